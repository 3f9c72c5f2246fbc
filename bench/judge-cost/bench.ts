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

/** One conversation, or the sum of several. */
export interface Group {
  readonly name: string;
  /** Number of turns in the conversation; absent if there are several conversations. */
  readonly turns?: number;
  readonly rows: readonly Row[];
  /** All assertions in one call, as in a run. */
  readonly all: Compared;
  /** Eight assertions in one call. */
  readonly eight: Counts;
  readonly eightAtAzure: Counts;
  readonly eightTogether: Counts;
  /** Maximum number of tokens in `eight` that a cache could serve. */
  readonly most: number;
  /** The version of DeepEval that judged the same conversation. */
  readonly deepEval?: string;
}

/** Our assertions compared with DeepEval's metrics. */
interface Compared {
  readonly counts: Counts;
  /** Calculated by formula. */
  readonly deepEvalRequests: number;
  /** The requests that DeepEval actually sent. */
  readonly sent?: Counts;
}

export interface Row extends Compared {
  readonly type: ComparedType;
  /** Maximum number of requests for one conversation. */
  readonly mostRequests: number;
}

export interface BenchResult extends Result {
  readonly groups: readonly Group[];
  /** Skipped parts, each with the reason. */
  readonly skipped: readonly string[];
}

/** Numbers of turns, from both sides. */
const LENGTHS: readonly number[] = [4, 10, 40, 200];

/** The lengths for which DeepEval itself runs. The longer one takes it half a minute. */
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
