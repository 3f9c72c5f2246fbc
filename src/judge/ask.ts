import * as z from 'zod';
import {
  answerSchema,
  type JudgeAnswer,
  type JudgeRequest,
  type Outcome,
  type Question,
} from '../assertions/contract.ts';
import { ReasonedError } from '../core/errors.ts';
import type { Image } from '../core/image.ts';
import { LIMITS } from '../core/limits.ts';
import type { Message } from '../core/message.ts';
import { addUsage, NO_USAGE, type Usage } from '../core/verdict.ts';
import {
  type AnswerFormat,
  type Model,
  ModelError,
  type ModelErrorReason,
  type ModelReply,
  type ModelRequest,
  type Replies,
  usageOfFailure,
} from '../models/model.ts';
import {
  type AnswerReason,
  type BadAnswer,
  checkAnswer,
  type ReadAnswer,
  readAnswer,
  readObject,
} from './answer.ts';
import { PROTOCOL, TOGETHER_PROTOCOL } from './protocol.ts';

/** Thrown if the judge's answer can't be used, and a repair wasn't possible or didn't help. */
export class JudgeError extends ReasonedError<AnswerReason | ModelErrorReason> {
  override readonly name = 'JudgeError';
  /** The unusable answers; the repaired one comes last. */
  readonly answers: readonly string[];

  constructor(
    reason: AnswerReason | ModelErrorReason,
    message: string,
    answers: readonly string[] = [],
  ) {
    super(reason, message);
    this.answers = answers;
  }
}

export interface RequestOptions {
  readonly temperature: number;
  readonly logprobs?: boolean;
  readonly shared?: boolean;
  readonly questions?: number;
  /** The images of the conversation that is shown. */
  readonly images?: readonly Image[];
}

/**
 * A request to a judge. All requests about a conversation start with the same bytes, so that prompt caches can serve
 * them.
 *
 * @param evidence the conversation, or findings about its parts
 */
export function judgeRequest(
  evidence: string | undefined,
  asked: AskedQuestion,
  { temperature, logprobs = false, shared = false, questions, images = [] }: RequestOptions,
): ModelRequest {
  const { name, answer } = asked;
  const question = questionText(asked);
  const text = evidence === undefined ? question : `${evidence}\n\n${question}`;
  return {
    messages: [
      { role: 'system', content: questions === undefined ? PROTOCOL : TOGETHER_PROTOCOL },
      // The images precede the question, so that a prompt cache serves them, too.
      ...(evidence !== undefined && images.length > 0
        ? [
            { role: 'user' as const, content: evidence, images: [...images] },
            { role: 'user' as const, content: question },
          ]
        : [{ role: 'user' as const, content: text }]),
    ],
    answer: { name, schema: answerSchema(answer) },
    temperature,
    ...(logprobs && { logprobs }),
    ...(shared && { shared }),
    ...(questions !== undefined && { questions }),
  };
}

export type AskedQuestion = Omit<JudgeRequest<unknown>, 'mistakes'>;

function questionText({ instructions, turns }: AskedQuestion): string {
  if (turns === undefined) return instructions;
  return `${instructions}\n\nTurns to judge: ${turns.map(({ number }) => number).join(',')}.`;
}

/** Called with each reply, including unusable and failed ones. */
export type OnReply = (
  reply: Pick<ModelReply, 'usage'> & Partial<Pick<ModelReply, 'version' | 'answerFormat'>>,
) => void;

/**
 * Asks a judge one question, once per sample. If an answer is unusable, the judge gets one request to repair it.
 *
 * @throws JudgeError if an answer can't be used; ModelError; the signal's reason when aborted
 */
export async function askJudge<Answer>(
  model: Model,
  request: ModelRequest,
  asked: JudgeRequest<Answer>,
  signal: AbortSignal,
  onReply: OnReply,
  samples = 1,
): Promise<[JudgeAnswer<Answer>, ...JudgeAnswer<Answer>[]]> {
  const ask = sender(model, signal, onReply);
  const [first, ...others] = await ask(request, samples);
  const answers: [JudgeAnswer<Answer>, ...JudgeAnswer<Answer>[]] = [await usable(first)];
  for (const reply of others) answers.push(await usable(reply));
  return answers;

  async function usable(reply: ModelReply): Promise<JudgeAnswer<Answer>> {
    const read = readAnswer(reply, asked);
    if ('answer' in read) return answered(read.answer, reply);
    if (!read.bad.repairable) {
      model.discard?.(reply);
      throw unusableError(read.bad, [reply]);
    }
    const messages = [...request.messages, ...repairMessages(reply.text, read.bad.faults)];
    const [second] = await ask({ ...request, messages }, 1);
    const repaired = readAnswer(second, asked);
    if ('answer' in repaired) return answered(repaired.answer, second);
    model.discard?.(reply);
    model.discard?.(second);
    throw unusableError(repaired.bad, [reply, second]);
  }
}

function sender(model: Model, signal: AbortSignal, onReply: OnReply) {
  return async (request: ModelRequest, count: number): Promise<Replies> => {
    const replies = await reportFailure(onReply, model.complete(request, count, signal));
    for (const reply of replies) onReply(reply);
    return replies;
  };
}

export async function reportFailure<Reply>(
  onReply: OnReply,
  asked: Promise<Reply>,
): Promise<Reply> {
  return asked.catch((error: unknown) => {
    onReply({ usage: usageOfFailure(error) });
    throw error;
  });
}

function unusableError(
  { reason, faults }: BadAnswer,
  replies: readonly Pick<ModelReply, 'text'>[],
): JudgeError {
  const answers = replies.map(({ text }) => firstBytes(text, LIMITS.unusableAnswer));
  return new JudgeError(reason, faults.join(' '), answers);
}

function firstBytes(text: string, count: number): string {
  const bytes = Buffer.from(text);
  return bytes.length <= count ? text : `${bytes.subarray(0, count).toString()} …`;
}

function answered<Answer>(answer: Answer, { text, tokens }: ModelReply): JudgeAnswer<Answer> {
  return { answer, text, ...(tokens && { tokens }) };
}

const WHOLE_ANSWER = 'Give the whole answer again, in the same form, with this put right.';

function repairMessages(text: string, faults: readonly string[], wanted = WHOLE_ANSWER): Message[] {
  const list = faults.map((fault) => `- ${fault}`).join('\n');
  return [
    { role: 'assistant', content: text === '' ? '(empty)' : text },
    { role: 'user', content: `Your answer cannot be used:\n${list}\n${wanted}` },
  ];
}

export class UsageMeter {
  usage: Usage = NO_USAGE;
  /** The model's name as the endpoint last reported it. */
  version: string | undefined;
  /** The answer format of the last reply, if there was a choice. */
  answerFormat: AnswerFormat | undefined;

  readonly onReply: OnReply = ({ usage, version, answerFormat }) => {
    this.usage = addUsage(this.usage, usage);
    this.version = version ?? this.version;
    this.answerFormat = answerFormat ?? this.answerFormat;
  };
}

export interface NamedQuestion {
  readonly name: string;
  readonly question: Question<unknown, Outcome[]>;
}

/** Combines several questions into one, whose answer contains each question's answer by name. */
export function jointQuestion(questions: readonly NamedQuestion[]) {
  const words = questions.map(
    ({ name, question }) => `=== QUESTION ${name} ===\n${questionText(question)}`,
  );
  const names = questions.map(({ name }) => `\`${name}\``).join(', ');
  return {
    name: 'together',
    instructions: [
      ...words,
      `=== END OF QUESTIONS ===\nAnswer each of them under its name: ${names}.`,
    ].join('\n\n'),
    answer: z.object(
      Object.fromEntries(questions.map(({ name, question }) => [name, question.answer])),
    ),
  };
}

export type AnswerOrError =
  | { readonly answer: unknown }
  | { readonly error: JudgeError | ModelError };

/**
 * Asks a judge several questions in one request, once per sample. Unusable answers get one request to repair them, and
 * don't affect other answers.
 *
 * @returns for each sample, the questions' results in the same order
 * @throws ModelError; the signal's reason when aborted
 */
export async function askTogether(
  model: Model,
  request: ModelRequest,
  questions: readonly NamedQuestion[],
  signal: AbortSignal,
  onReply: OnReply,
  samples: number,
): Promise<AnswerOrError[][]> {
  const ask = sender(model, signal, onReply);
  const given: AnswerOrError[][] = [];
  for (const first of await ask(request, samples)) {
    const read = questions.map(readerOf(first));
    const wrong = questions.filter((_one, index) => isRepairable(read[index]));
    const again = wrong.length === 0 ? [] : await askAgain(first, wrong, read);
    const answers = read.map(
      (one) => (isRepairable(one) && again.shift()) || answerOrError(one, [first]),
    );
    if (answers.some((one) => 'error' in one)) model.discard?.(first);
    given.push(answers);
  }
  return given;

  async function askAgain(
    first: ModelReply,
    wrong: readonly NamedQuestion[],
    read: readonly ReadAnswer<unknown>[],
  ): Promise<AnswerOrError[]> {
    try {
      const [second] = await ask(repairRequest(request, first, wrong, read), 1);
      const answers = wrong.map(readerOf(second)).map((one) => answerOrError(one, [first, second]));
      if (answers.some((one) => 'error' in one)) model.discard?.(second);
      return answers;
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      return wrong.map(() => ({ error }));
    }
  }
}

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

function answerOrError(read: ReadAnswer<unknown>, replies: readonly ModelReply[]): AnswerOrError {
  return 'bad' in read ? { error: unusableError(read.bad, replies) } : { answer: read.answer };
}

function repairRequest(
  request: ModelRequest,
  { text }: ModelReply,
  wrong: readonly NamedQuestion[],
  read: readonly ReadAnswer<unknown>[],
): ModelRequest {
  const { name, answer } = jointQuestion(wrong);
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
    messages: [...request.messages, ...repairMessages(text, faults, wanted)],
    answer: { name, schema: answerSchema(answer) },
    questions: wrong.length,
  };
}

/** The answers to one of several questions, one per sample. @throws the question's first error */
export function answersTo(index: number, given: readonly (readonly AnswerOrError[])[]): unknown[] {
  return given.map((sample) => {
    const one = sample[index];
    if (!one) throw new Error('Internal error: a question was left out.');
    if ('error' in one) throw one.error;
    return one.answer;
  });
}
