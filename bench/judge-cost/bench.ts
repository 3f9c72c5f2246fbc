import { type Result, say, today } from '../print.ts';
import {
  type BenchConversation,
  realConversations,
  syntheticConversation,
} from './conversations.ts';
import { type Counts, startCountingServer, sumUp } from './countingServer.ts';
import { type ComparedType, comparedTypes, deepEvalRequests, deepEvalTalk } from './deepeval.ts';
import { type DeepEvalRun, pythonWithDeepEval, runDeepEval } from './deepevalRun.ts';
import { judgeAnswer } from './judgeAnswer.ts';
import { type Measured, measure } from './measure.ts';

/** One conversation, or several summed. */
export interface Group {
  readonly name: string;
  /** Turns of the conversation; absent if there are several. */
  readonly turns?: number;
  readonly rows: readonly Row[];
  /** All assertions in one call, as in a run. */
  readonly all: Compared;
  /** Eight assertions in one call. */
  readonly eight: Counts;
  readonly eightAtAzure: Counts;
  readonly eightTogether: Counts;
  /** The most tokens of `eight` that could be served. */
  readonly most: number;
  /** The version of DeepEval that judged the same. */
  readonly deepEval?: string;
}

/** Our assertions beside DeepEval's metrics. */
interface Compared {
  readonly counts: Counts;
  /** By formula. */
  readonly deepEvalRequests: number;
  /** What DeepEval sent. */
  readonly sent?: Counts;
}

export interface Row extends Compared {
  readonly type: ComparedType;
  /** The most requests that it took on one conversation. */
  readonly mostRequests: number;
}

export interface BenchResult extends Result {
  readonly groups: readonly Group[];
  /** What was left out and why. */
  readonly skipped: readonly string[];
}

/** Turns of both sides. */
const LENGTHS: readonly number[] = [4, 10, 40, 200];

/** The lengths that DeepEval itself runs on: it takes half a minute on the longer one. */
const DEEPEVAL_LENGTHS: readonly number[] = [10, 40];

export async function runBench(): Promise<BenchResult> {
  const real = realConversations();
  const found = await pythonWithDeepEval();
  const skipped = [
    ...('missing' in real ? [`tau-bench: ${real.missing}`] : []),
    ...('missing' in found ? [`DeepEval itself: ${found.missing}`] : []),
  ];
  const groups: Group[] = [];
  const faults: string[] = [];
  for (const turns of LENGTHS) {
    say(`Judging ${turns} turns …`);
    const bench = syntheticConversation(turns);
    const run =
      'python' in found && DEEPEVAL_LENGTHS.includes(turns)
        ? await runDeepEval(found.python, bench)
        : undefined;
    faults.push(...(run?.faults ?? []));
    groups.push({ ...(await groupOf(bench.name, [bench], faults, run)), turns });
  }
  if (!('missing' in real)) {
    say(`Judging ${real.length} conversations of tau-bench …`);
    groups.push(await groupOf(`tau-bench (${real.length})`, real, faults));
  }
  return { date: today(), groups, skipped, faults };
}

async function groupOf(
  name: string,
  conversations: readonly BenchConversation[],
  faults: string[],
  run?: DeepEvalRun,
): Promise<Group> {
  const server = await startCountingServer(judgeAnswer);
  try {
    const measured: Measured[] = [];
    for (const one of conversations) measured.push(await measure(one, server));
    const talks = conversations.map(({ conversation }) => deepEvalTalk(conversation));
    const rows = comparedTypes.map((type): Row => {
      const counts = measured.flatMap(({ apart }) => apart.get(type) ?? []);
      const expected = talks.reduce((sum, talk) => sum + deepEvalRequests[type](talk), 0);
      const sent = run?.byType.get(type);
      if (sent && sent.requests !== expected) {
        faults.push(`${name}, ${type}: DeepEval sent ${sent.requests} requests, not ${expected}.`);
      }
      return {
        type,
        counts: sumUp(counts),
        mostRequests: Math.max(...counts.map(({ requests }) => requests)),
        deepEvalRequests: expected,
        ...(sent && { sent }),
      };
    });
    faults.push(...measured.flatMap((one) => one.faults));
    return {
      name,
      rows,
      all: {
        counts: sumUp(measured.map(({ together }) => together)),
        deepEvalRequests: rows.reduce((sum, row) => sum + row.deepEvalRequests, 0),
        ...(run && { sent: sumUp([...run.byType.values()]) }),
      },
      eight: sumUp(measured.map(({ eight }) => eight)),
      eightAtAzure: sumUp(measured.map(({ eightAtAzure }) => eightAtAzure)),
      eightTogether: sumUp(measured.map(({ eightTogether }) => eightTogether)),
      most: measured.reduce((sum, { most }) => sum + most, 0),
      ...(run && { deepEval: run.version }),
    };
  } finally {
    await server.close();
  }
}
