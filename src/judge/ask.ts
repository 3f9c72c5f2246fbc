import * as z from 'zod';
import {
  type Answered,
  answerSchema,
  type JudgeRequest,
  type Outcome,
  type Question,
} from '../assertions/contract.ts';
import { ReasonedError } from '../core/errors.ts';
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

/** The judge answered, but not usably, and the repair did not help or could not be asked for. */
export class JudgeError extends ReasonedError<AnswerReason | ModelErrorReason> {
  override readonly name = 'JudgeError';
  /** The answers that could not be used, the repaired one last. */
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
  /** As of `ModelRequest`. */
  readonly shared?: boolean;
  /** How many questions stand in it, where there are several. */
  readonly questions?: number;
}

/**
 * A request to a judge. What all assertions of a conversation send first is the same, byte for byte.
 *
 * @param evidence the conversation, or findings about its parts; absent if none is needed
 */
export function judgeRequest(
  evidence: string | undefined,
  asked: AskedQuestion,
  { temperature, logprobs = false, shared = false, questions }: RequestOptions,
): ModelRequest {
  const { name, answer } = asked;
  const parts = [...(evidence === undefined ? [] : [evidence]), questionText(asked)];
  return {
    messages: [
      { role: 'system', content: questions === undefined ? PROTOCOL : TOGETHER_PROTOCOL },
      { role: 'user', content: parts.join('\n\n') },
    ],
    answer: { name, schema: answerSchema(answer) },
    temperature,
    ...(logprobs && { logprobs }),
    ...(shared && { shared }),
    ...(questions !== undefined && { questions }),
  };
}

/** What a request needs to know of a question. */
export type AskedQuestion = Omit<JudgeRequest<unknown>, 'mistakes'>;

/** What is asked, and of which turns. */
export function questionText({ instructions, turns }: AskedQuestion): string {
  if (turns === undefined) return instructions;
  return `${instructions}\n\nTurns to judge: ${turns.map(({ number }) => number).join(',')}.`;
}

/** Hears of each reply, also of those that could not be used or did not come. */
export type OnReply = (
  reply: Pick<ModelReply, 'usage'> & Partial<Pick<ModelReply, 'version' | 'answerFormat'>>,
) => void;

/**
 * Asks a judge one question so many times. A bad answer gets one request to repair it.
 *
 * @throws JudgeError where an answer is not usable; ModelError where the model could not be asked;
 * the signal's reason when aborted
 */
export async function askJudge<Answer>(
  model: Model,
  request: ModelRequest,
  asked: JudgeRequest<Answer>,
  signal: AbortSignal,
  onReply: OnReply,
  samples = 1,
): Promise<Answered<Answer>[]> {
  const answers: Answered<Answer>[] = [];
  for (const first of await reportingFailure(onReply, () =>
    model.complete(request, samples, signal),
  )) {
    onReply(first);
    answers.push(await usableAnswer(model, request, first, asked, signal, onReply));
  }
  return answers;
}

async function usableAnswer<Answer>(
  model: Model,
  request: ModelRequest,
  first: ModelReply,
  asked: JudgeRequest<Answer>,
  signal: AbortSignal,
  onReply: OnReply,
): Promise<Answered<Answer>> {
  const read = readAnswer(first, asked);
  if ('answer' in read) return answered(read.answer, first);
  if (!read.bad.repairable) {
    model.discard?.(first);
    throw unusableError(read.bad, [first]);
  }
  const messages = [...request.messages, ...repairMessages(first.text, read.bad.faults)];
  const repair = { ...request, messages };
  const [second] = await reportingFailure(onReply, () => model.complete(repair, 1, signal));
  onReply(second);
  const repaired = readAnswer(second, asked);
  if ('answer' in repaired) return answered(repaired.answer, second);
  model.discard?.(first);
  model.discard?.(second);
  throw unusableError(repaired.bad, [first, second]);
}

/** @throws as `ask`, once it was told */
export async function reportingFailure<Replies>(
  onReply: OnReply,
  ask: () => Promise<Replies>,
): Promise<Replies> {
  try {
    return await ask();
  } catch (error) {
    onReply({ usage: usageOfFailure(error) });
    throw error;
  }
}

/** @param replies at most two */
export function unusableError(
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

function answered<Answer>(answer: Answer, { text, tokens }: ModelReply): Answered<Answer> {
  return { answer, text, ...(tokens && { tokens }) };
}

const WHOLE_ANSWER = 'Give the whole answer again, in the same form, with this put right.';

/** @param wanted what to give instead */
export function repairMessages(
  text: string,
  faults: readonly string[],
  wanted = WHOLE_ANSWER,
): Message[] {
  const list = faults.map((fault) => `- ${fault}`).join('\n');
  return [
    { role: 'assistant', content: text === '' ? '(empty)' : text },
    {
      role: 'user',
      content: `Your answer cannot be used:\n${list}\n${wanted}`,
    },
  ];
}

/** Counts what replies cost. */
export class UsageMeter {
  usage: Usage = NO_USAGE;
  /** The model's name as the endpoint reported it last. */
  version: string | undefined;
  /** How answers were asked for last, where the model had the choice. */
  answerFormat: AnswerFormat | undefined;

  readonly onReply: OnReply = ({ usage, version, answerFormat }) => {
    this.usage = addUsage(this.usage, usage);
    this.version = version ?? this.version;
    this.answerFormat = answerFormat ?? this.answerFormat;
  };

  add(usage: Usage): void {
    this.usage = addUsage(this.usage, usage);
  }

  /** What was asked, counted also where it fails. */
  async failing<Reply>(asked: Promise<Reply>): Promise<Reply> {
    return reportingFailure(this.onReply, () => asked);
  }
}

/** A question among others of one request. */
export interface NamedQuestion {
  /** The key of its answer. */
  readonly name: string;
  readonly question: Question<unknown, Outcome[]>;
}

/** Questions as one: their words one after another, their answers under their names. */
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

/** What came of a question: its answer, or why there is none. */
export type AnswerOrError =
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
): Promise<AnswerOrError[][]> {
  const ask = async (sent: ModelRequest, count: number) => {
    const replies = await reportingFailure(onReply, () => model.complete(sent, count, signal));
    for (const reply of replies) onReply(reply);
    return replies;
  };
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

function answerOrError(read: ReadAnswer<unknown>, replies: readonly ModelReply[]): AnswerOrError {
  return 'bad' in read ? { error: unusableError(read.bad, replies) } : { answer: read.answer };
}

/** Asks once more for these alone. */
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

/** What came of one of the questions in each sample. @throws its first error */
export function answersTo(index: number, given: readonly (readonly AnswerOrError[])[]): unknown[] {
  return given.map((sample) => {
    const one = sample[index];
    if (!one) throw new Error('Internal error: a question was left out.');
    if ('error' in one) throw one.error;
    return one.answer;
  });
}
