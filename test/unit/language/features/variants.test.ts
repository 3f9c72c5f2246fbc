import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { VariantOutcome } from '../../../../src/core/record/caseHistory.ts';
import type { CaseLine } from '../../../../src/core/record/runRecord.ts';
import { codeLenses } from '../../../../src/language/features/codeLens.ts';
import { inlayHints } from '../../../../src/language/features/inlayHints.ts';
import { hover } from '../../../../src/language/hover/hover.ts';
import { buildCaseLine } from '../../../support/buildRun.ts';
import { documentOf } from '../../../support/language/evalDocument.ts';

const TEXT = `cases:
  - id: greets
    transcripts: talks.jsonl
    assert: [{type: contains, value: Hello}]
`;
const ALL = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
const SETTINGS = { turnNumbers: true, scores: true };

async function opened(statuses: Readonly<Record<string, VariantOutcome['status']>>) {
  const document = await documentOf(TEXT, { 'talks.jsonl': '' });
  const hash = document.suite.outline[0]?.hash ?? '';
  const outcomes = Object.entries(statuses).map(([variant, status]) => ({ variant, status, hash }));
  const lines = outcomes.map(({ variant, status }): CaseLine => {
    const line = buildCaseLine({ id: 'greets', variant, status });
    return { ...line, source: { ...line.source, hash } };
  });
  return { document, lastRuns: async () => lines, lastVariants: async () => outcomes };
}

describe('a case with variants', () => {
  it('shows the number of passed variants before its id', async () => {
    const { document, lastRuns, lastVariants } = await opened({ a: 'pass', b: 'error', c: 'pass' });
    const hints = await inlayHints(document, ALL, { lastRuns, lastVariants }, SETTINGS);
    assert.deepEqual(
      hints.map(({ label, position }) => [label, position]),
      [['⚠ 2 of 3 passed', { line: 1, character: 8 }]],
    );
  });

  it('shows if one of them has changed since', async () => {
    const { document, lastRuns, lastVariants } = await opened({ a: 'pass' });
    const before = async () =>
      (await lastVariants()).map((one) => ({ ...one, change: 'case' as const }));
    const hints = await inlayHints(document, ALL, { lastRuns, lastVariants: before }, SETTINGS);
    assert.deepEqual(
      hints.map(({ label }) => label),
      ['✓ 1 of 1 passed (stale)'],
    );
  });

  it("lists in its hover the variants that didn't pass, failed ones first", async () => {
    const names = { good: 'pass', late: 'error', bad: 'fail', 'bad-2': 'fail' } as const;
    const { document, lastRuns, lastVariants } = await opened(names);
    const position = { line: 1, character: 10 };
    const found = await hover(document, position, { lastRuns, lastVariants });
    const text = JSON.stringify(found?.contents);
    assert.match(text, /1 of 4 passed.*✗ bad.*✗ bad-2.*⚠ late/);
    assert.match(text, /### late/);
    assert.doesNotMatch(text, /good/);
  });

  it('has lenses to run and open it, but no estimate', async () => {
    const { document } = await opened({});
    const titles = codeLenses(document, 'file:///a').map(({ command }) => command?.title);
    assert.deepEqual(titles, ['Run all', 'Run', 'Open conversation']);
  });
});
