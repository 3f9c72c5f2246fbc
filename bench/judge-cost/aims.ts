import { type BenchResult, type Group, sentFor } from './bench.ts';
import type { Counts } from './countingServer.ts';
import { comparedTypes } from './deepeval.ts';
import { BLOCK } from './promptCache.ts';

export interface Aim {
  readonly aim: string;
  readonly measured: string;
  /** Undefined where it could not be measured. */
  readonly met?: boolean;
}

/** The conversation of 20 exchanges with three contexts each. */
const STOCK_TURNS = 40;

const MOST_REQUESTS = 16;
const LEAST_TOKEN_RATIO = 10;
const LEAST_CACHEABLE = 0.8;

/** How much dearer a turn of a long conversation may be than one of a short one. */
const LINEAR_WITHIN = 0.1;

export function aimsOf(result: BenchResult): Aim[] {
  return [oneRequest(result), linear(result), ...result.groups.map(cacheable), ...stock(result)];
}

function oneRequest({ groups }: BenchResult): Aim {
  const rows = groups.flatMap((group) => group.rows);
  const most = Math.max(...rows.map(({ mostRequests }) => mostRequests));
  const dear = [...new Set(rows.filter((row) => row.mostRequests > 1).map(({ type }) => type))];
  return {
    aim: 'One request for each assertion and conversation',
    measured: `at most ${most}${dear.length > 0 ? ` (${dear.join(', ')})` : ''}`,
    met: most === 1,
  };
}

/** What a turn more costs between 40 and 200 turns, against between 10 and 40. */
function linear({ groups }: BenchResult): Aim {
  const slope = (from: number, to: number) => {
    const tokens = (turns: number) =>
      groups.find((group) => group.turns === turns)?.apart.promptTokens ?? Number.NaN;
    return (tokens(to) - tokens(from)) / (to - from);
  };
  const short = slope(10, 40);
  const long = slope(40, 200);
  return {
    aim: 'Prompt tokens are linear in turns',
    measured: `${Math.round(short)} tokens a turn from 10 to 40 turns, ${Math.round(long)} from 40 to 200, the whole set`,
    met: Math.abs(long / short - 1) <= LINEAR_WITHIN,
  };
}

function cacheable({ name, eight }: Group): Aim {
  const aim = `${name}: 80 % of the prompt tokens of eight assertions are cacheable`;
  if (!eight) return { aim, measured: 'fewer than eight assertions asked anything' };
  const { asInRun, schemaLast, most } = eight;
  const { cacheable, cacheableInSteps, cacheableBehindSchema, promptTokens } = asInRun;
  return {
    aim,
    measured: [
      `${share(cacheable, asInRun)} of at most ${share(most, asInRun)} in blocks of ${thousands(BLOCK)}`,
      `${share(cacheableInSteps, asInRun)} in steps of 128`,
      `where the endpoint reads the schema first ${share(cacheableBehindSchema, asInRun)}, with the schema last ${share(schemaLast.cacheableBehindSchema, schemaLast)}`,
    ].join('; '),
    met: cacheable / promptTokens >= LEAST_CACHEABLE,
  };
}

function stock({ groups, absent }: BenchResult): Aim[] {
  const group = groups.find(({ turns }) => turns === STOCK_TURNS);
  if (!group) return [];
  const { apart, deepEvalRequests, deepEval, rows } = group;
  const of = absent.length === 0 ? 'all eleven' : `${rows.length} of ${comparedTypes.length}`;
  const requests: Aim = {
    aim: `${of} on 20 exchanges with three contexts each: at most ${MOST_REQUESTS} requests`,
    measured: `${apart.requests}, DeepEval ${deepEvalRequests} by formula: ${ratio(deepEvalRequests, apart.requests)} fewer`,
    met: apart.requests <= MOST_REQUESTS,
  };
  const tokens = `${of} there: at least ${LEAST_TOKEN_RATIO} × fewer prompt tokens`;
  if (!deepEval) return [requests, { aim: tokens, measured: 'DeepEval did not run' }];
  const theirs = sentFor(rows, deepEval);
  const uncached = theirs.promptTokens - theirs.cacheable;
  return [
    requests,
    {
      aim: tokens,
      measured: `${thousands(apart.promptTokens)}, DeepEval ${deepEval.version} ${thousands(theirs.promptTokens)}: ${ratio(theirs.promptTokens, apart.promptTokens)} fewer, and ${ratio(uncached, apart.promptTokens - apart.cacheable)} fewer behind a prompt cache`,
      met: theirs.promptTokens >= LEAST_TOKEN_RATIO * apart.promptTokens,
    },
  ];
}

export function share(part: number, { promptTokens }: Counts): string {
  return promptTokens === 0 ? '–' : `${Math.round((part / promptTokens) * 100)} %`;
}

export function ratio(theirs: number, ours: number): string {
  return ours === 0 ? '–' : `${(theirs / ours).toFixed(1)} ×`;
}

export function thousands(number: number): string {
  return number.toLocaleString('en-US');
}
