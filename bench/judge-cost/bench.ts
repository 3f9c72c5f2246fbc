import {
  type BenchConversation,
  realConversations,
  SYNTHETIC_LENGTHS,
  syntheticConversation,
} from './conversations.ts';
import { type Counts, startCountingServer } from './countingServer.ts';
import { type ComparedType, comparedTypes, deepEvalRequests } from './deepeval.ts';
import { type DeepEvalRun, pythonWithDeepEval, runDeepEval } from './deepevalRun.ts';
import { deepEvalTalk } from './deepevalTalk.ts';
import { judgeAnswer } from './judgeAnswer.ts';
import { absentTypes, type Eight, type Measured, measure, presentTypes } from './measure.ts';

/** One conversation, or several summed. */
export interface Group {
  readonly name: string;
  /** Turns of the conversation; absent where there are several. */
  readonly turns?: number;
  readonly conversations: number;
  readonly rows: readonly Row[];
  /** All assertions that are there, one after the other. */
  readonly apart: Counts;
  /** All assertions that are there in one call, as in a run. */
  readonly together: Counts;
  /** Eight assertions; absent where fewer are there or ask anything. */
  readonly eight?: Eight;
  /** DeepEval's metrics for the same assertions, by formula. */
  readonly deepEvalRequests: number;
  readonly deepEval?: DeepEvalRun;
}

export interface Row {
  readonly type: ComparedType;
  readonly counts: Counts;
  /** The most requests that it took on one conversation. */
  readonly mostRequests: number;
  /** Of DeepEval's metric, by formula. */
  readonly deepEvalRequests: number;
}

export interface BenchResult {
  readonly date: string;
  readonly groups: readonly Group[];
  readonly absent: readonly ComparedType[];
  /** What was left out and why. */
  readonly skipped: readonly string[];
  readonly faults: readonly string[];
}

/** The lengths that DeepEval itself runs on: it takes half a minute on the longer one. */
const DEEPEVAL_LENGTHS: readonly number[] = [10, 40];

export async function runBench(say: (line: string) => void): Promise<BenchResult> {
  const skipped: string[] = [];
  const real = realConversations();
  if ('missing' in real) skipped.push(`tau-bench: ${real.missing}`);
  const found = await pythonWithDeepEval();
  if ('missing' in found) skipped.push(`DeepEval itself: ${found.missing}`);

  const groups: Group[] = [];
  const faults: string[] = [];
  for (const turns of SYNTHETIC_LENGTHS) {
    say(`Judging ${turns} turns …`);
    const bench = syntheticConversation(turns);
    const measured = await groupOf(bench.name, [bench], faults);
    if ('python' in found && DEEPEVAL_LENGTHS.includes(turns)) {
      say(`Letting DeepEval judge ${turns} turns …`);
      const deepEval = await runDeepEval(found.python, bench);
      faults.push(...deepEval.faults, ...formulaFaults(bench, deepEval));
      groups.push({ ...measured, turns, deepEval });
    } else groups.push({ ...measured, turns });
  }
  if (!('missing' in real)) {
    say(`Judging ${real.length} conversations of tau-bench …`);
    groups.push(await groupOf(`tau-bench (${real.length})`, real, faults));
  }
  const date = new Date().toISOString().slice(0, 10);
  return { date, groups, absent: absentTypes, skipped, faults };
}

/** A formula that DeepEval does not bear out. */
function formulaFaults(
  { name, conversation }: BenchConversation,
  { byType }: DeepEvalRun,
): string[] {
  const talk = deepEvalTalk(conversation);
  return comparedTypes.flatMap((type) => {
    const sent = byType.get(type)?.requests ?? 0;
    const expected = deepEvalRequests[type](talk);
    if (sent === expected) return [];
    return `${name}, ${type}: DeepEval sent ${sent} requests, the formula says ${expected}.`;
  });
}

async function groupOf(
  name: string,
  conversations: readonly BenchConversation[],
  faults: string[],
): Promise<Group> {
  const server = await startCountingServer(judgeAnswer);
  try {
    const all: Measured[] = [];
    for (const one of conversations) all.push(await measure(one, server));
    faults.push(...all.flatMap((one) => one.faults));
    const talks = conversations.map(({ conversation }) => deepEvalTalk(conversation));
    const rows = presentTypes.map((type): Row => {
      const counts = all.map(({ apart }) => apart.get(type) ?? NONE);
      return {
        type,
        counts: total(counts),
        mostRequests: Math.max(...counts.map(({ requests }) => requests)),
        deepEvalRequests: talks.reduce((sum, talk) => sum + deepEvalRequests[type](talk), 0),
      };
    });
    const eights = all.flatMap(({ eight }) => eight ?? []);
    return {
      name,
      conversations: conversations.length,
      rows,
      apart: total(rows.map(({ counts }) => counts)),
      together: total(all.map(({ together }) => together)),
      ...(eights.length === all.length && { eight: totalEight(eights) }),
      deepEvalRequests: rows.reduce((sum, row) => sum + row.deepEvalRequests, 0),
    };
  } finally {
    await server.close();
  }
}

function totalEight(eights: readonly Eight[]): Eight {
  return {
    oneByOne: total(eights.map(({ oneByOne }) => oneByOne)),
    asInRun: total(eights.map(({ asInRun }) => asInRun)),
    schemaLast: total(eights.map(({ schemaLast }) => schemaLast)),
    most: eights.reduce((sum, { most }) => sum + most, 0),
  };
}

/** What DeepEval sent for the metrics of these rows. */
export function sentFor(rows: readonly Row[], { byType }: DeepEvalRun): Counts {
  return total(rows.map(({ type }) => byType.get(type) ?? NONE));
}

const NONE: Counts = {
  requests: 0,
  promptTokens: 0,
  cacheable: 0,
  cacheableInSteps: 0,
  cacheableBehindSchema: 0,
};

function total(counts: readonly Counts[]): Counts {
  return counts.reduce(
    (sum, one) => ({
      requests: sum.requests + one.requests,
      promptTokens: sum.promptTokens + one.promptTokens,
      cacheable: sum.cacheable + one.cacheable,
      cacheableInSteps: sum.cacheableInSteps + one.cacheableInSteps,
      cacheableBehindSchema: sum.cacheableBehindSchema + one.cacheableBehindSchema,
    }),
    NONE,
  );
}
