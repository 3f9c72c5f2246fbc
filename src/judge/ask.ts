import type { Message } from '../core/message.ts';
import { addUsage, type Usage } from '../core/verdict.ts';
import type { Question } from '../metrics/assertionType.ts';
import {
  type Model,
  ModelError,
  type ModelErrorReason,
  type ModelReply,
  type ModelRequest,
} from '../models/model.ts';
import { type AnswerReason, answerSchema, type BadAnswer, readAnswer } from './answer.ts';
import { PROTOCOL } from './protocol.ts';

/** The judge answered, but not usably, and the repair did not help or could not be asked for. */
export class JudgeError extends Error {
  override readonly name = 'JudgeError';
  readonly reason: AnswerReason | ModelErrorReason;
  /** Of the answers that came. */
  readonly usage: Usage;

  constructor(reason: AnswerReason | ModelErrorReason, message: string, usage: Usage) {
    super(message);
    this.reason = reason;
    this.usage = usage;
  }
}

export interface JudgeAnswer<Answer> {
  readonly answer: Answer;
  readonly usage: Usage;
  /** The model's name as the endpoint reported it. */
  readonly version?: string;
}

/** What all assertions of a conversation send first, byte for byte. */
export function judgeRequest(
  block: string,
  question: Pick<Question<unknown, unknown>, 'name' | 'instructions' | 'answer'>,
  temperature: number,
): ModelRequest {
  return {
    messages: [
      { role: 'system', content: PROTOCOL },
      { role: 'user', content: `${block}\n\n${question.instructions}` },
    ],
    answer: { name: question.name, schema: answerSchema(question.answer) },
    temperature,
  };
}

/**
 * Asks a judge one question. A bad answer gets one request to repair it.
 *
 * @throws JudgeError where no usable answer came; ModelError where the model could not be asked; the
 * signal's reason when aborted
 */
export async function askJudge<Answer>(
  model: Model,
  request: ModelRequest,
  question: Question<Answer, unknown>,
  signal: AbortSignal,
): Promise<JudgeAnswer<Answer>> {
  const first = await model.complete(request, signal);
  const read = readAnswer(first, question);
  if ('answer' in read) return answered(read.answer, first.usage, first.version);
  if (!read.bad.repairable) throw unusable(read.bad, first.usage);

  const repair = { ...request, messages: [...request.messages, ...repairOf(first.text, read.bad)] };
  const second = await askAgain(model, repair, first.usage, signal);
  const usage = addUsage(first.usage, second.usage);
  const repaired = readAnswer(second, question);
  if ('answer' in repaired) return answered(repaired.answer, usage, second.version);
  throw unusable(repaired.bad, usage);
}

/** What the first answer cost is not lost where the second never comes. */
async function askAgain(
  model: Model,
  repair: ModelRequest,
  spent: Usage,
  signal: AbortSignal,
): Promise<ModelReply> {
  try {
    return await model.complete(repair, signal);
  } catch (error) {
    if (error instanceof ModelError) throw new JudgeError(error.reason, error.message, spent);
    throw error;
  }
}

function unusable({ reason, faults }: BadAnswer, usage: Usage): JudgeError {
  return new JudgeError(reason, faults.join(' '), usage);
}

function answered<Answer>(
  answer: Answer,
  usage: Usage,
  version: string | undefined,
): JudgeAnswer<Answer> {
  return { answer, usage, ...(version !== undefined && { version }) };
}

const MAX_FAULTS = 20;

function repairOf(text: string, { faults }: BadAnswer): Message[] {
  const shown = faults.slice(0, MAX_FAULTS).map((fault) => `- ${fault}`);
  const more = faults.length - shown.length;
  const list = [...shown, ...(more > 0 ? [`- and ${more} more like these`] : [])].join('\n');
  return [
    { role: 'assistant', content: text === '' ? '(empty)' : text },
    {
      role: 'user',
      content: `Your answer cannot be used:\n${list}\nGive the whole answer again, in the same form, with this put right.`,
    },
  ];
}
