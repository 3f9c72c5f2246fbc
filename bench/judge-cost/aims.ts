import { type Aim, ratio } from '../print.ts';
import type { BenchResult, Group } from './bench.ts';
import type { Counts } from './countingServer.ts';
import { BLOCK } from './promptCache.ts';

/** Number of turns of the conversation with 20 exchanges and three contexts each. */
const STOCK_TURNS = 40;

const MOST_REQUESTS = 16;
const LEAST_TOKEN_RATIO = 10;
const LEAST_CACHEABLE = 0.8;
const LEAST_BEHIND_SCHEMA = 0.7;
const LARGEST_TOGETHER = 0.2;

/** Maximum relative difference between the cost of a turn in a long and in a short conversation. */
const LINEAR_WITHIN = 0.1;

export function aimsOf(result: BenchResult): Aim[] {
  const { groups } = result;
  return [
    oneRequest(result),
    linear(result),
    ...groups.map(cacheable),
    ...groups.filter(({ turns }) => turns === STOCK_TURNS).flatMap(long),
    ...stock(result),
  ];
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

/** Compares the cost of an additional turn between 40 and 200 turns with the cost between 10 and 40. */
function linear({ groups }: BenchResult): Aim {
  const slope = (from: number, to: number) => {
    const tokens = (turns: number) =>
      groups.find((group) => group.turns === turns)?.all.counts.promptTokens ?? Number.NaN;
    return (tokens(to) - tokens(from)) / (to - from);
  };
  const short = slope(10, 40);
  const long = slope(40, 200);
  return {
    aim: 'Prompt tokens are linear in turns',
    measured: `${Math.round(short)} tokens per turn from 10 to 40 turns, ${Math.round(long)} from 40 to 200, for all assertions`,
    met: Math.abs(long / short - 1) <= LINEAR_WITHIN,
  };
}

function long(group: Group): Aim[] {
  return [cacheableAtAzure(group), together(group)];
}

function together({ name, eight, eightTogether }: Group): Aim {
  const { requests, promptTokens } = eightTogether;
  return {
    aim: `${name}: eight assertions together take one request and at most a fifth of the prompt tokens`,
    measured: `${requests}, ${share(promptTokens, eight)}`,
    met: requests === 1 && promptTokens <= LARGEST_TOGETHER * eight.promptTokens,
  };
}

/** For an endpoint that reads the schema first, so `answer_format: auto` can choose. */
function cacheableAtAzure({ name, eightAtAzure: eight }: Group): Aim {
  return {
    aim: `${name} at Azure, which reads the schema first: 70% of the prompt tokens of eight assertions are cacheable`,
    measured: share(eight.cacheableBehindSchema, eight),
    met: eight.cacheableBehindSchema / eight.promptTokens >= LEAST_BEHIND_SCHEMA,
  };
}

function cacheable({ name, eight, most }: Group): Aim {
  return {
    aim: `${name}: 80% of the prompt tokens of eight assertions are cacheable`,
    measured: [
      `${share(eight.cacheable, eight)} of at most ${share(most, eight)} in blocks of ${thousands(BLOCK)}`,
      `${share(eight.cacheableInSteps, eight)} in steps of 128`,
      `if the endpoint reads the schema first, ${share(eight.cacheableBehindSchema, eight)}`,
    ].join('; '),
    met: eight.cacheable / eight.promptTokens >= LEAST_CACHEABLE,
  };
}

function stock({ groups }: BenchResult): Aim[] {
  const group = groups.find(({ turns }) => turns === STOCK_TURNS);
  if (!group) return [];
  const { counts, deepEvalRequests, sent } = group.all;
  const requests: Aim = {
    aim: `all eleven on 20 exchanges with three contexts each: at most ${MOST_REQUESTS} requests`,
    measured: `${counts.requests}, DeepEval ${deepEvalRequests} by formula: ${ratio(deepEvalRequests / counts.requests)} fewer`,
    met: counts.requests <= MOST_REQUESTS,
  };
  const aim = `all eleven in the same conversation: at least ${LEAST_TOKEN_RATIO} × fewer prompt tokens`;
  if (!sent) return [requests, { aim, measured: 'DeepEval did not run' }];
  const uncached = (sent.promptTokens - sent.cacheable) / (counts.promptTokens - counts.cacheable);
  return [
    requests,
    {
      aim,
      measured: `${thousands(counts.promptTokens)}, DeepEval ${group.deepEval} ${thousands(sent.promptTokens)}: ${ratio(sent.promptTokens / counts.promptTokens)} fewer, and ${ratio(uncached)} fewer behind a prompt cache`,
      met: sent.promptTokens >= LEAST_TOKEN_RATIO * counts.promptTokens,
    },
  ];
}

export function share(part: number, { promptTokens }: Pick<Counts, 'promptTokens'>): string {
  return promptTokens === 0 ? '–' : `${Math.round((part / promptTokens) * 100)}%`;
}

export function thousands(number: number): string {
  return number.toLocaleString('en-US');
}
