import type { TestContext } from 'node:test';
import type { CaseLine } from '../../src/core/record/runRecord.ts';
import type { ChatBody } from './modelServer/chatBody.ts';
import { startModelServer } from './modelServer/server.ts';
import { json, type Step } from './modelServer/steps.ts';
import { type Ran, type RunFilesOptions, runFiles } from './runs.ts';

/** A simulated user's answer that continues the conversation. */
export const says = (message: string) =>
  json({ reason: 'not there yet', status: 'continue', message });

/** A simulated user's answer that ends the conversation. */
export const ends = (status: string, reason = 'The agent said so.') =>
  json({ reason, status, message: '' });

/** Returns a model's answer to a request. */
export type Answering = (body: ChatBody) => Step;

/** Gives the answers in turn, whatever the request, and then repeats the last one. */
export function inTurn(...answers: readonly Step[]): Answering {
  let next = 0;
  return () => {
    const answer = answers[Math.min(next, answers.length - 1)];
    next += 1;
    return answer ?? says('Hm.');
  };
}

export interface SimulatedOptions extends RunFilesOptions {
  /** Additional keys of `simulate`, besides `goal` and `model`. */
  readonly keys?: string;
  /** Keys of the case, one per line. */
  readonly caseKeys?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** Answers requests that aren't for a user turn. */
  readonly judge?: Answering;
}

export interface Simulated extends Ran {
  readonly line: CaseLine;
  /** Requests to the model that plays the user. */
  readonly asked: readonly ChatBody[];
}

/** Runs one case with the target `bot.mjs` and a simulated user, played by a model server. */
export async function simulate(
  t: Pick<TestContext, 'after'>,
  user: Answering,
  bot: string,
  { keys = '', caseKeys = '', files = {}, judge = () => '{}', ...options }: SimulatedOptions = {},
): Promise<Simulated> {
  const server = await startModelServer((body) => (isUserTurn(body) ? user(body) : judge(body)));
  t.after(() => server.close());
  const asserted = caseKeys.includes('assert:') ? '' : '    assert: [{type: max-turns, max: 99}]\n';
  const suite = `models:
  m: {provider: openai, model: m, base_url: "${server.baseUrl}"}
targets:
  bot: {type: module, path: ./bot.mjs}
target: bot
cases:
  - id: a
    simulate: {goal: Return the shoes., model: m${keys === '' ? '' : `, ${keys}`}}
${caseKeys}${asserted}`;
  const ran = await runFiles(t, { 'bot.mjs': bot, 'suite.eval.yaml': suite, ...files }, options);
  const [line] = ran.lines;
  if (!line) throw new Error('Nothing ran.');
  const asked = server.requests.map(({ body }) => body).filter(isUserTurn);
  return { ...ran, line, asked };
}

/** Whether the request asks for a user turn. */
export function isUserTurn({ response_format }: ChatBody): boolean {
  return response_format?.json_schema?.name === 'user_turn';
}
