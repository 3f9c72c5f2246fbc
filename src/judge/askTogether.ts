import { answerSchema } from '../assertions/contract.ts';
import { type Model, ModelError, type ModelReply, type ModelRequest } from '../models/model.ts';
import { checkAnswer, type ReadAnswer, readObject } from './answer.ts';
import { counted, type JudgeError, type OnReply, repairOf, unusable } from './ask.ts';
import type { NamedQuestion } from './questions.ts';
import { askedTogether } from './together.ts';

/** What came of a question: its answer, or why there is none. */
export type GivenAnswer =
  | { readonly answer: unknown }
  | { readonly error: JudgeError | ModelError };

/**
 * Asks a judge several questions in one request, so many times. What is wrong is asked for once
 * more, and spoils no other answer.
 *
 * @returns for each sample what came of the questions, in their order
 * @throws ModelError where the model could not be asked; the signal's reason when aborted
 */
export async function askTogether(
  model: Model,
  request: ModelRequest,
  questions: readonly NamedQuestion[],
  signal: AbortSignal,
  onReply: OnReply,
  samples: number,
): Promise<GivenAnswer[][]> {
  const ask = async (sent: ModelRequest, count: number) => {
    const replies = await counted(onReply, () => model.complete(sent, count, signal));
    for (const reply of replies) onReply(reply);
    return replies;
  };
  const given: GivenAnswer[][] = [];
  for (const first of await ask(request, samples)) {
    const read = questions.map(readerOf(first));
    const wrong = questions.filter((_one, index) => isRepairable(read[index]));
    const again = wrong.length === 0 ? [] : await askAgain(first, wrong, read);
    const answers = read.map(
      (one) => (isRepairable(one) && again.shift()) || settled(one, [first]),
    );
    if (answers.some((one) => 'error' in one)) model.discard?.(first);
    given.push(answers);
  }
  return given;

  async function askAgain(
    first: ModelReply,
    wrong: readonly NamedQuestion[],
    read: readonly ReadAnswer<unknown>[],
  ): Promise<GivenAnswer[]> {
    try {
      const [second] = await ask(repairRequest(request, first, wrong, read), 1);
      const answers = wrong.map(readerOf(second)).map((one) => settled(one, [first, second]));
      if (answers.some((one) => 'error' in one)) model.discard?.(second);
      return answers;
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      return wrong.map(() => ({ error }));
    }
  }
}

/** Reads the answers of one reply, each under its name. */
function readerOf(reply: ModelReply): (question: NamedQuestion) => ReadAnswer<unknown> {
  const read = readObject(reply);
  return ({ name, question }) => {
    if ('bad' in read) return read;
    if (!Object.hasOwn(read.object, name)) {
      const faults = ['The answer is missing.'];
      return { bad: { reason: 'missing-field', faults, repairable: true } };
    }
    return checkAnswer(Reflect.get(read.object, name), question);
  };
}

function isRepairable(read: ReadAnswer<unknown> | undefined): boolean {
  return read !== undefined && 'bad' in read && read.bad.repairable;
}

function settled(read: ReadAnswer<unknown>, replies: readonly ModelReply[]): GivenAnswer {
  return 'bad' in read ? { error: unusable(read.bad, replies) } : { answer: read.answer };
}

/** Asks once more for these alone. */
function repairRequest(
  request: ModelRequest,
  { text }: ModelReply,
  wrong: readonly NamedQuestion[],
  read: readonly ReadAnswer<unknown>[],
): ModelRequest {
  const { name, answer } = askedTogether(wrong);
  const bad = read.flatMap((one) => ('bad' in one ? [one.bad] : []));
  const isWhole = bad.length === read.length && bad.every((one) => one === bad[0]);
  const faults = isWhole
    ? (bad[0]?.faults ?? [])
    : bad.flatMap(({ faults }, index) =>
        faults.map((fault) => `Question ${wrong[index]?.name}: ${fault}`),
      );
  const names = wrong.map((one) => `\`${one.name}\``).join(', ');
  const wanted = `Give the whole answer under ${names} again, in the same form, with this put right, and no other.`;
  return {
    ...request,
    messages: [...request.messages, ...repairOf(text, faults, wanted)],
    answer: { name, schema: answerSchema(answer) },
    questions: wrong.length,
  };
}

/** What came of one of the questions in each sample. @throws its first error */
export function answersTo(index: number, given: readonly (readonly GivenAnswer[])[]): unknown[] {
  return given.map((sample) => {
    const one = sample[index];
    if (!one) throw new Error('Internal error: a question was left out.');
    if ('error' in one) throw one.error;
    return one.answer;
  });
}
