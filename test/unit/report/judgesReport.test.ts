import assert from 'node:assert/strict';
import { it } from 'node:test';
import { compareJudges } from '../../../src/analysis/judgeComparison.ts';
import { conversationHash } from '../../../src/node/hashes.ts';
import { judgesReport } from '../../../src/report/findings/judgesReport.ts';
import { MARKDOWN, terminalLayout } from '../../../src/report/findings/layout.ts';
import { createPaint } from '../../../src/report/style.ts';
import { buildVerdict, judgedLine } from '../../support/comparing.ts';

it('omits rows without comparisons, and says why', () => {
  const verdict = buildVerdict(0, { turns: [[2, 'skipped']] });
  const line = judgedLine('a', [verdict], { said: 'Hi' });
  const label = (turn: { readonly turn?: number }) => ({
    case: 'a',
    assertion: 'Kind',
    conversation_hash: conversationHash(line.conversation),
    status: 'fail' as const,
    at: '2026-01-01T00:00:00.000Z',
    ...{ person: 'ann', path: '/work/suite.labels/ann.jsonl', line: 1 },
    ...turn,
  });
  const compared = compareJudges([label({}), label({ turn: 2 })], [{ name: 'j', lines: [line] }]);
  const found = { ...compared, conversations: 1, folds: 2, left: {} };
  for (const text of [
    judgesReport(found, terminalLayout(createPaint(false))),
    judgesReport(found, MARKDOWN),
  ]) {
    assert.match(text, /j[ |]+all[ |]+cases[ |]+1/);
    assert.doesNotMatch(text, /turns[ |]+0/);
    assert.match(text, /j: 1 label not counted: the judge errored or skipped it\./);
  }
});
