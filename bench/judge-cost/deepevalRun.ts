import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Turn, textOf, turnsOf } from '../../src/core/conversation.ts';
import type { ChatBody } from '../../test/support/modelServer/chatBody.ts';
import type { BenchConversation } from './conversations.ts';
import { type Counts, startCountingServer, sumUp } from './countingServer.ts';
import { type ComparedType, comparedTypes, LIST_LENGTH } from './deepeval.ts';
import { fill } from './fill.ts';

export interface DeepEvalRun {
  readonly version: string;
  readonly byType: ReadonlyMap<ComparedType, Counts>;
  /** Metrics that failed, each with its error. */
  readonly faults: readonly string[];
}

/** A Python program that has DeepEval, and DeepEval's version; or the reason why there is none. */
export async function pythonWithDeepEval(
  python = process.env.TURNLIGHT_PYTHON ?? 'python3',
): Promise<{ readonly python: string; readonly version: string } | { readonly missing: string }> {
  try {
    const version = await run(python, ['-c', 'import deepeval; print(deepeval.__version__)'], '');
    return { python, version: version.trim() };
  } catch {
    const hint =
      'Install deepeval 4.1.10 into a virtual environment and set TURNLIGHT_PYTHON to its python.';
    return { missing: `${python} cannot import deepeval. ${hint}` };
  }
}

/** Lets DeepEval judge a conversation, with a counting server as the endpoint. */
export async function runDeepEval(
  python: string,
  conversation: BenchConversation,
): Promise<DeepEvalRun> {
  const server = await startCountingServer(deepEvalAnswer);
  try {
    const script = join(import.meta.dirname, 'deepeval_run.py');
    const output = await run(
      python,
      [script],
      JSON.stringify(caseOf(conversation, server.baseUrl)),
    );
    const result: unknown = JSON.parse(output.trim().split('\n').at(-1) ?? '');
    const errors = Object.entries(Object(Reflect.get(Object(result), 'errors')));
    const requests = server.drain();
    const sent = (type: string) => sumUp(requests.filter(({ label }) => label === type));
    return {
      version: String(Reflect.get(Object(result), 'version')),
      byType: new Map(comparedTypes.map((type) => [type, sent(type)])),
      faults: errors.map(([type, error]) => `DeepEval, ${conversation.name}, ${type}: ${error}`),
    };
  } finally {
    await server.close();
  }
}

/** An answer that matches the requested schema. Its lists are as long as the formulas assume. */
function deepEvalAnswer(body: ChatBody): string {
  const schema = body.response_format?.json_schema?.schema;
  if (typeof schema !== 'object' || schema === null) return 'The score follows from the turns.';
  const field = (key: string, one: Readonly<Record<string, unknown>>) =>
    key === 'verdict' && one.enum === undefined ? 'yes' : undefined;
  const filled = fill({ ...schema }, { listLength: LIST_LENGTH, field });
  return JSON.stringify(filled);
}

function caseOf({ conversation, facts }: BenchConversation, baseUrl: string) {
  return {
    base_url: baseUrl,
    turns: turnsOf(conversation).map(turnOf),
    role: facts.role ?? 'An assistant.',
    topics: facts.topics,
    tools: facts.tools.map(({ name }) => name),
    outcome: String(facts.expectations.outcome ?? ''),
  };
}

function turnOf(turn: Turn) {
  const tools = turn.items.flatMap((item) =>
    item.kind === 'tool-call'
      ? [{ name: item.call.name, input: item.call.arguments, output: item.result ?? '' }]
      : [],
  );
  const { side: role, retrievalContext: contexts = [] } = turn;
  return { role, content: textOf(turn), contexts, tools };
}

/**
 * Runs a program in an empty folder, where DeepEval puts its files, and without this environment's API keys.
 *
 * @returns its standard output
 * @throws Error with its standard error if it can't be started or fails
 */
async function run(program: string, args: readonly string[], input: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'judge-cost-'));
  try {
    const env = { PATH: process.env.PATH, HOME: folder, OPENAI_API_KEY: 'local' };
    const running = promisify(execFile)(program, args, { cwd: folder, env, maxBuffer: 2 ** 26 });
    running.child.stdin?.end(input);
    return (await running).stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
