import type { CaseLine } from '../../../src/core/record/runRecord.ts';
import type { Status } from '../../../src/core/verdict.ts';
import type { Results } from '../../../src/protocol/resultsProtocol.ts';
import { TableBuilder } from '../../../src/report/resultsTable.ts';
import { buildVerdict } from '../build.ts';
import { buildCaseLine } from '../buildRun.ts';

/** Results with the given cases. */
export function buildResults(lines: readonly CaseLine[], given: Partial<Results> = {}): Results {
  const builder = new TableBuilder((path) => path.split('/').at(-1) ?? path);
  for (const line of lines) builder.add(line);
  return {
    records: ['/work/.turnlight/runs/r1.jsonl'],
    title: 'suite.eval.yaml',
    facts: ['cost 0.0100'],
    phase: 'over',
    generation: 0,
    problems: [],
    table: builder.table,
    ...given,
  };
}

export function buildCase(id: string, status: Status, given: Partial<CaseLine> = {}): CaseLine {
  const score = status === 'pass' ? 1 : status === 'fail' ? 0.4 : null;
  return buildCaseLine({ id, status, score, ...given });
}

const NAMES = [
  'Never promises a date for a refund',
  'Knowledge retention',
  'Tone',
  'Frustration',
  'Turn relevancy',
  'Faithfulness',
  'Role adherence',
  'Cost',
];

/**
 * A run with the given number of cases, each with a verdict for the given number of assertions. @param shift changes
 * the scores
 */
export function manyCases(count: number, assertions = NAMES.length, shift = 0): CaseLine[] {
  return Array.from({ length: count }, (_, at) => {
    const verdicts = NAMES.slice(0, assertions).map((name, index) => {
      const score = ((at * 7 + index * 13 + shift) % 21) / 20;
      const status = score >= 0.5 ? 'pass' : 'fail';
      const label = index === 3 && { label: ['none', 'unresolved', 'resolved'][at % 3] ?? '' };
      return at % 50 === index
        ? buildVerdict({ index, name, status: 'error', score: null, reason: 'timeout' })
        : buildVerdict({ index, name, status, score, ...label });
    });
    const failed = verdicts.some(({ status }) => status === 'fail');
    const errored = verdicts.some(({ status }) => status === 'error');
    const scores = verdicts.flatMap(({ score }) => score ?? []);
    return buildCase(`case-${at + 1}`, errored ? 'error' : failed ? 'fail' : 'pass', {
      score: errored ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length,
      suite: at % 2 === 0 ? '/work/support.eval.yaml' : '/work/sales.eval.yaml',
      tags: at % 4 === 0 ? ['smoke', 'returns'] : at % 4 === 1 ? ['returns'] : [],
      duration: 400 + ((at * 37) % 3000),
      usage: { calls: 8, input_tokens: 900, cached_tokens: 0, output_tokens: 90, cost: at / 1e5 },
      verdicts,
    });
  });
}
