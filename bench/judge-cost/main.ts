import { print, ratio, table } from '../print.ts';
import { aimsOf, share, thousands } from './aims.ts';
import { type Group, runBench } from './bench.ts';
import type { Counts } from './countingServer.ts';

const HEAD = [
  'conversation',
  'assertion',
  'requests',
  'prompt tokens',
  'cacheable',
  'in steps of 128',
  'schema first',
  'DeepEval requests',
  '× fewer',
  'DeepEval sent',
  'its prompt tokens',
  '× fewer',
];

function rowsOf({ name, rows, all, eight, eightAtAzure, eightTogether }: Group): string[][] {
  const line = (what: string, counts: Counts, theirs?: number, sent?: Counts) => [
    name,
    what,
    thousands(counts.requests),
    thousands(counts.promptTokens),
    share(counts.cacheable, counts),
    share(counts.cacheableInSteps, counts),
    share(counts.cacheableBehindSchema, counts),
    theirs === undefined ? '' : thousands(theirs),
    theirs === undefined ? '' : ratio(theirs / counts.requests),
    sent ? thousands(sent.requests) : '',
    sent ? thousands(sent.promptTokens) : '',
    sent ? ratio(sent.promptTokens / counts.promptTokens) : '',
  ];
  return [
    ...rows.map((row) => line(row.type, row.counts, row.deepEvalRequests, row.sent)),
    line('all, as in a run', all.counts, all.deepEvalRequests, all.sent),
    line('eight, as in a run', eight),
    line('eight, as in a run, at Azure', eightAtAzure),
    line('eight, together', eightTogether),
  ];
}

const result = await runBench();
const rows = result.groups.flatMap(rowsOf);
const skipped = result.skipped.map((reason) => `SKIPPED: ${reason}`);
const tables = [table(HEAD, rows, ['conversation', 'assertion']), ...skipped];
print('What judging costs', result, tables, aimsOf(result));
