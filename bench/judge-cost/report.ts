import Table from 'cli-table3';
import { aimsOf, ratio, share, thousands } from './aims.ts';
import { type BenchResult, type Group, sentFor } from './bench.ts';
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

/** The table and the aims, as plain text. */
export function reportOf(result: BenchResult): string {
  const table = new Table({
    head: HEAD,
    style: { head: [], border: [], compact: true },
    colAligns: HEAD.map((_, index) => (index < 2 ? 'left' : 'right')),
  });
  for (const group of result.groups) table.push(...rowsOf(group));
  const aims = aimsOf(result).map(({ aim, measured, met }) => {
    const mark = met === undefined ? 'NOT MEASURED' : met ? 'met' : 'MISSED';
    return `  ${mark}: ${aim}: ${measured}.`;
  });
  return [
    `What judging costs, ${result.date}`,
    table.toString(),
    '',
    ...result.absent.map((type) => `NOT THERE: the assertion type ${type}.`),
    ...result.skipped.map((reason) => `SKIPPED: ${reason}`),
    ...result.faults.map((fault) => `WRONG: ${fault}`),
    'Aims',
    ...aims,
  ].join('\n');
}

function rowsOf(group: Group): string[][] {
  const { name, rows, apart, together, eight, deepEval } = group;
  const line = (what: string, counts: Counts, theirs?: number, sent?: Counts) => [
    name,
    what,
    thousands(counts.requests),
    thousands(counts.promptTokens),
    share(counts.cacheable, counts),
    share(counts.cacheableInSteps, counts),
    share(counts.cacheableBehindSchema, counts),
    ...(theirs === undefined ? ['', ''] : [thousands(theirs), ratio(theirs, counts.requests)]),
    ...(sent
      ? [
          thousands(sent.requests),
          thousands(sent.promptTokens),
          ratio(sent.promptTokens, counts.promptTokens),
        ]
      : ['', '', '']),
  ];
  const whole = deepEval && sentFor(rows, deepEval);
  return [
    ...rows.map((row) =>
      line(row.type, row.counts, row.deepEvalRequests, deepEval?.byType.get(row.type)),
    ),
    line('all, one by one', apart, group.deepEvalRequests, whole),
    line('all, as in a run', together, group.deepEvalRequests, whole),
    ...(eight
      ? [
          line('eight, one by one', eight.oneByOne),
          line('eight, as in a run', eight.asInRun),
          line('eight, as in a run, schema last', eight.schemaLast),
        ]
      : []),
  ];
}
