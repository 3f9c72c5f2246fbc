import { parseRecording } from '../../src/models/replaySource.ts';
import type { ChatBody } from '../../test/support/modelServer/chatBody.ts';
import { type Answer, json } from '../../test/support/modelServer/steps.ts';

/**
 * An answer to a question. The question is identified by its schema's name, and by text that appears only in its
 * request.
 */
export interface WrittenAnswer {
  readonly question: string;
  readonly about: readonly string[];
  readonly answer: object;
}

interface RecordedAnswer {
  readonly question: string;
  /** The request's lines. */
  readonly asked: ReadonlySet<string>;
  readonly answer: Answer;
}

/** The answers in a recording. Each is used once, unless a written answer matches the request. */
export class KnownAnswers {
  #recorded: readonly RecordedAnswer[];
  readonly #vectors = new Map<string, readonly number[]>();
  readonly #written: readonly WrittenAnswer[];

  /** @param path path of the recording, for error messages */
  constructor(recording: string, path: string, written: readonly WrittenAnswer[]) {
    this.#written = written;
    this.#recorded = parseRecording(recording, path).flatMap(({ exchange }) => {
      if (exchange.kind === 'embedding') {
        for (const [index, text] of exchange.request.texts.entries()) {
          this.#vectors.set(text, exchange.reply?.vectors[index] ?? []);
        }
      }
      if (exchange.kind !== 'model' || !exchange.reply) return [];
      const { request, reply } = exchange;
      const tokens = reply.tokens?.map(({ text, top }) => ({
        text,
        top: Object.fromEntries(top.map((one) => [one.text, one.logprob])),
      }));
      const question = request.answer?.name ?? '';
      const asked = linesOf(textOf(request.messages));
      return [{ question, asked, answer: { text: reply.text, ...(tokens && { tokens }) } }];
    });
  }

  answer({ response_format, messages }: ChatBody): Answer {
    const question = response_format?.json_schema?.name ?? '';
    const text = textOf(messages);
    const recorded = this.#takeNearest(question, text);
    const written = this.#written.find(
      (one) => one.question === question && one.about.every((words) => text.includes(words)),
    );
    const answer = written ? json(written.answer) : recorded?.answer;
    if (!answer) throw new Error(`No answer is left to ${question}:\n${text}`);
    // Cached tokens depend on which request comes first, so they would differ in every recording.
    return { ...answer, usage: { input: tokens(text), output: tokens(answer.text ?? '') } };
  }

  /** Removes and returns the recorded answer whose request shares the largest fraction of lines with this one. */
  #takeNearest(question: string, text: string): RecordedAnswer | undefined {
    const lines = linesOf(text);
    const likeness = ({ asked }: RecordedAnswer) => {
      const shared = [...lines].filter((line) => asked.has(line)).length;
      return shared / (lines.size + asked.size - shared);
    };
    const [nearest] = this.#recorded
      .filter((one) => one.question === question)
      .sort((a, b) => likeness(b) - likeness(a));
    this.#recorded = this.#recorded.filter((one) => one !== nearest);
    return nearest;
  }

  vectorOf(text: string): readonly number[] {
    const vector = this.#vectors.get(text);
    if (!vector) throw new Error(`No vector is recorded for: ${text}`);
    return vector;
  }

  /** Recorded answers that no request used. */
  unasked(): Answer[] {
    return this.#recorded.map(({ answer }) => answer);
  }
}

function textOf(messages: readonly { readonly content: string | null }[]): string {
  return messages.map(({ content }) => content ?? '').join('\n');
}

/** The request's lines, without examples: which examples a judge sees doesn't change the answer. */
function linesOf(text: string): Set<string> {
  const examples = /(?<=^=== EXAMPLES ===\n)(?:.*\n)*?(?=^=== END OF EXAMPLES ===$)/m;
  return new Set(text.replace(examples, '').split('\n'));
}

/** An estimate: four characters per token. */
function tokens(text: string): number {
  return Math.ceil(text.length / 4);
}
