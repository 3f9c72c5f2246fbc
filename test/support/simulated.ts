import type { TestContext } from 'node:test';
import type { CaseLine } from '../../src/core/record/runRecord.ts';
import type { ChatBody } from './modelServer/chatBody.ts';
import { startModelServer } from './modelServer/server.ts';
import { json, type Step } from './modelServer/steps.ts';
import { type Ran, type RunFilesOptions, runFiles } from './runs.ts';

/** What a simulated user answers: on it goes. */
export const says = (message: string) =>
  json({ reason: 'not there yet', status: 'continue', message });

/** What it answers where it takes the conversation for over. */
export const ends = (status: string, reason = 'The agent said so.') =>
  json({ reason, status, message: '' });

/** What a model answers to a request. */
export type Answering = (body: ChatBody) => Step;

/** Says these in turn, whatever it hears; the last one again and again. */
export function inTurn(...answers: readonly Step[]): Answering {
  let next = 0;
  return () => {
    const answer = answers[Math.min(next, answers.length - 1)];
    next += 1;
    return answer ?? says('Hm.');
  };
}

export interface SimulatedOptions extends RunFilesOptions {
  /** Keys of `simulate` beside `goal` and `model`. */
  readonly keys?: string;
  /** Keys of the case, each on a line of its own. */
  readonly caseKeys?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** Answers what is no user's turn. */
  readonly judge?: Answering;
}

export interface Simulated extends Ran {
  readonly line: CaseLine;
  /** What the model that plays the user was asked. */
  readonly asked: readonly ChatBody[];
}

/** Runs one case whose user a model server plays, with a target `bot.mjs`. */
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

/** Whether it asks for a turn of the user. */
export function isUserTurn({ response_format }: ChatBody): boolean {
  return response_format?.json_schema?.name === 'user_turn';
}
