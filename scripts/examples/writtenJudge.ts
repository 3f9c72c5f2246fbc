import type { ChatBody } from '../../test/support/modelServer/chatBody.ts';
import { type Answer, json, jsonInTokens } from '../../test/support/modelServer/steps.ts';
import type { ExampleAnswer } from './answer.ts';

/** Gives the answers that are written for requests, each as often as it is asked for. */
export class WrittenJudge {
  readonly #answers: readonly ExampleAnswer[];
  readonly #asked = new Map<ExampleAnswer, number>();

  constructor(answers: readonly ExampleAnswer[]) {
    this.#answers = answers;
  }

  answer(body: ChatBody): Answer {
    const question = body.response_format?.json_schema?.name;
    const words = body.messages.map(({ content }) => content ?? '').join('\n');
    const fitting = this.#answers.filter(
      (one) => one.question === question && one.about.every((word) => words.includes(word)),
    );
    const [only] = fitting;
    if (!only || fitting.length > 1) {
      throw new Error(`${fitting.length} answers are written for ${question}:\n${words}`);
    }
    const count = this.#asked.get(only) ?? 0;
    this.#asked.set(only, count + 1);
    const { answer, probabilities } = only;
    const said: unknown = Array.isArray(answer) ? answer[count] : answer;
    // What a cache serves depends on which request comes first: then each recording would differ.
    const usage = { input: tokens(words), output: tokens(JSON.stringify(said)) };
    if (!probabilities) return { ...json(said), usage };
    const top = Object.entries(probabilities).map(([token, share]) => [token, Math.log(share)]);
    const score = String(Reflect.get(Object(said), 'score'));
    return { ...jsonInTokens(said, score, Object.fromEntries(top)), usage };
  }

  /** Answers that no request wanted. */
  unasked(): ExampleAnswer[] {
    return this.#answers.filter((one) => !this.#asked.has(one));
  }
}

function tokens(text: string): number {
  return Math.ceil(text.length / 4);
}
