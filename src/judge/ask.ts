import { type Answered, type Asked, answerSchema } from '../assertions/contract.ts';
import { ReasonedError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { Message } from '../core/message.ts';
import { addUsage, NO_USAGE, type Usage } from '../core/verdict.ts';
import {
  type AnswerFormat,
  type Model,
  type ModelErrorReason,
  type ModelReply,
  type ModelRequest,
  usageOfFailure,
} from '../models/model.ts';
import { type AnswerReason, type BadAnswer, readAnswer } from './answer.ts';
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
  asked: Question,
  { temperature, logprobs = false, shared = false, questions }: RequestOptions,
): ModelRequest {
  const { name, answer } = asked;
  const parts = [...(evidence === undefined ? [] : [evidence]), wordsOf(asked)];
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

type Question = Omit<Asked<unknown>, 'mistakes'>;

/** What is asked, and of which turns. */
export function wordsOf({ instructions, turns }: Question): string {
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
  asked: Asked<Answer>,
  signal: AbortSignal,
  onReply: OnReply,
  samples = 1,
): Promise<Answered<Answer>[]> {
  const answers: Answered<Answer>[] = [];
  for (const first of await counted(onReply, () => model.complete(request, samples, signal))) {
    onReply(first);
    answers.push(await usable(model, request, first, asked, signal, onReply));
  }
  return answers;
}

async function usable<Answer>(
  model: Model,
  request: ModelRequest,
  first: ModelReply,
  asked: Asked<Answer>,
  signal: AbortSignal,
  onReply: OnReply,
): Promise<Answered<Answer>> {
  const read = readAnswer(first, asked);
  if ('answer' in read) return answered(read.answer, first);
  if (!read.bad.repairable) {
    model.discard?.(first);
    throw unusable(read.bad, [first]);
  }
  const messages = [...request.messages, ...repairOf(first.text, read.bad.faults)];
  const repair = { ...request, messages };
  const [second] = await counted(onReply, () => model.complete(repair, 1, signal));
  onReply(second);
  const repaired = readAnswer(second, asked);
  if ('answer' in repaired) return answered(repaired.answer, second);
  model.discard?.(first);
  model.discard?.(second);
  throw unusable(repaired.bad, [first, second]);
}

/** @throws as `ask`, once it was told */
export async function counted<Replies>(
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
export function unusable(
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

const WHOLE = 'Give the whole answer again, in the same form, with this put right.';

/** @param wanted what to give instead */
export function repairOf(text: string, faults: readonly string[], wanted = WHOLE): Message[] {
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
export class Meter {
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
    return counted(this.onReply, () => asked);
  }
}
