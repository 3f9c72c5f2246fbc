import type { TestContext } from 'node:test';
import type { CaseFacts } from '../../src/assertions/contract.ts';
import { typeOf } from '../../src/assertions/registry.ts';
import { type Conversation, toConversation } from '../../src/core/conversation.ts';
import type { Message } from '../../src/core/message.ts';
import { START } from '../../src/core/problem.ts';
import { Scrubber } from '../../src/core/scrubber.ts';
import type { Assertion, JudgePrompt } from '../../src/core/suite.ts';
import type { Verdict } from '../../src/core/verdict.ts';
import { type JudgeOptions, judgeAssertions } from '../../src/judge/judgeAssertions.ts';
import type { Model } from '../../src/models/model.ts';
import { createModel } from '../../src/models/registry.ts';
import {
  type ModelServer,
  type Script,
  type ServerOptions,
  startModelServer,
} from './modelServer/server.ts';
import { json, type Step } from './modelServer/steps.ts';

export function user(content: string): Message {
  return { role: 'user', content };
}

export function assistant(content: string, retrievalContext?: string[]): Message {
  return { role: 'assistant', content, ...(retrievalContext && { retrievalContext }) };
}

/** Assigns the assistant messages to an agent. */
export function by(agent: string, ...messages: readonly Message[]): Message[] {
  return messages.map((one) => (one.role === 'assistant' ? { ...one, agent } : one));
}

export function system(content: string): Message {
  return { role: 'system', content };
}

/** A tool call and its result. */
export function call(name: string, args: unknown, result: string, id = `call_${name}`): Message[] {
  return [
    { role: 'assistant', content: '', toolCalls: [{ id, name, arguments: args }] },
    { role: 'tool', callId: id, content: result },
  ];
}

export function talk(...messages: Message[]): Conversation {
  return toConversation(messages.map((message) => ({ message })));
}

/** Turn 1 user, 2 assistant, 3 user, 4 assistant. */
export const ORDER_TALK = talk(
  user('Where is my order #98765?'),
  assistant('It was shipped on Monday.'),
  user('Thanks, and the refund for the hat?'),
  assistant('The refund was sent today.'),
);

export function buildAssertion(
  type: string,
  params: Readonly<Record<string, unknown>> = {},
  rest: Partial<Assertion> = {},
): Assertion {
  return {
    index: 0,
    key: type,
    type,
    name: type,
    source: { path: '/suite.eval.yaml', range: START },
    params,
    threshold: rest.prompt?.threshold ?? typeOf({ type }).defaultThreshold,
    weight: 1,
    required: false,
    negate: false,
    at: { kind: 'all' },
    ...rest,
  };
}

export function buildPrompt(body: string, rest: Partial<JudgePrompt> = {}): JudgePrompt {
  return {
    path: '/judges/own.md',
    grading: { kind: 'scale', scale: [0, 1] },
    perTurn: false,
    body,
    bodyRange: START,
    ...rest,
  };
}

export function buildFacts(rest: Partial<CaseFacts> = {}): CaseFacts {
  return { id: 'case', topics: [], tools: [], expectations: {}, context: {}, ...rest };
}

/** A judge's entry for one turn, with a passing verdict by default. */
export function entry(turn: number, rest: Readonly<Record<string, unknown>> = {}) {
  return { turn, applicable: true, verdict: 'pass', rationale: `r${turn}`, evidence: '', ...rest };
}

export function fails(turn: number, rest: Readonly<Record<string, unknown>> = {}) {
  return entry(turn, { verdict: 'fail', ...rest });
}

export function away(turn: number, rest: Readonly<Record<string, unknown>> = {}) {
  return entry(turn, { applicable: false, ...rest });
}

/** A judge's counts of a turn's arguments. */
export interface ArgumentCounts {
  readonly given: number;
  readonly right: number;
  readonly missing: number;
}

/** Counts with the given fraction of ten arguments right; null for a turn without calls. */
export function countsOf(share: number | null): ArgumentCounts | null {
  return share === null ? null : { given: 10, right: share * 10, missing: 0 };
}

export function answer(...turns: object[]) {
  return { turns, rationale: 'As a whole.' };
}

export interface Judged {
  readonly verdicts: Verdict[];
  readonly server: ModelServer;
}

export interface JudgingOptions extends Partial<JudgeOptions> {
  readonly endpoint?: ServerOptions;
}

/** Judges assertions over HTTP, with the local endpoint. */
export async function judge(
  t: TestContext,
  script: Script,
  assertions: readonly Assertion[],
  { endpoint, ...rest }: JudgingOptions = {},
): Promise<Judged> {
  const { server, model } = await judgeModel(t, script, endpoint);
  const verdicts = await judgeAssertions({
    conversation: ORDER_TALK,
    facts: buildFacts(),
    assertions: assertions.map((one, index) => ({ ...one, index })),
    replyTurns: [],
    modelFor: async () => model,
    signal: new AbortController().signal,
    ...rest,
  });
  return { verdicts, server };
}

/** Judges one assertion. The `answers` are sent in order; values that aren't text are sent as JSON. */
export async function judgeOne(
  t: TestContext,
  assertion: Assertion,
  answers: readonly (Step | object)[],
  rest: JudgingOptions = {},
): Promise<Verdict & { readonly requests: ModelServer['requests'] }> {
  const { verdicts, server } = await judge(t, answers.map(step), [assertion], rest);
  const [verdict] = verdicts;
  if (!verdict) throw new Error('There is no verdict.');
  return { ...verdict, requests: server.requests };
}

function step(given: Step | object): Step {
  if (typeof given === 'string') return given;
  const known = ['text', 'toolCalls', 'finish', 'refusal', 'fault', 'usage', 'tokens'];
  return known.some((key) => key in given) ? (given as Step) : json(given);
}

export async function judgeModel(
  t: TestContext,
  script: Script,
  endpoint: ServerOptions = {},
  provider: 'openai' | 'azure-openai' = 'openai',
): Promise<{ server: ModelServer; model: Model }> {
  const server = await startModelServer(script, endpoint);
  t.after(() => server.close());
  const { baseUrl } = server;
  const base_url = provider === 'openai' ? baseUrl : new URL(baseUrl).origin;
  const params = { provider, model: 'judge', base_url };
  const model = await createModel(
    { id: 'openai:judge', provider, params, folder: '/' },
    {
      secret: async () => 'sk-test',
      env: () => undefined,
      scrubber: new Scrubber(),
      log: { debug() {}, info() {}, warn() {}, error() {} },
    },
  );
  return { server, model };
}
