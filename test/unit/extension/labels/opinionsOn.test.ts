import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PlacedLabel } from '../../../../src/core/record/label.ts';
import { opinionsOn } from '../../../../src/extension/labels/opinionsOn.ts';
import { conversationHash } from '../../../../src/node/hashes.ts';
import { opinionsText, opinionText } from '../../../../webview/labels/opinionText.ts';
import { buildVerdict, judgedLine } from '../../../support/comparing.ts';

const line = judgedLine('refund', [buildVerdict(1)]);
const before = judgedLine('refund', [buildVerdict(1)], { said: 'Something else' });

function label(given: Partial<PlacedLabel> = {}): PlacedLabel {
  return {
    case: 'refund',
    assertion: 'Kind',
    conversation_hash: conversationHash(line.conversation),
    question_hash: 'q1',
    status: 'fail',
    at: '2026-01-01T00:00:00.000Z',
    person: 'ann',
    path: '/work/suite.labels/ann.jsonl',
    line: 1,
    ...given,
  };
}

const told = (labels: readonly PlacedLabel[]) =>
  opinionsOn(line, labels).map(({ person, status, standing }) => `${person} ${status} ${standing}`);

describe('opinions on the verdicts of a case', () => {
  it('belong to its conversation, even if the case had another name', () => {
    assert.deepEqual(
      told([label({ case: 'old-name' }), label({ person: 'bob', question_hash: 'q0' })]),
      ['ann fail current', 'bob fail other-question'],
    );
    assert.deepEqual(told([label({ assertion: 'Gone' })]), []);
  });

  it("include a person's last label of an earlier text if there is none for this text", () => {
    const hash = { conversation_hash: conversationHash(before.conversation) };
    const older = { conversation_hash: 'f'.repeat(64), at: '2025-01-01T00:00:00.000Z' };
    assert.deepEqual(
      told([
        label({ ...hash, status: 'pass' }),
        label({ ...older, status: 'skipped' }),
        label({ ...hash, person: 'bob' }),
        label({ person: 'bob', status: 'pass' }),
        label({ ...hash, person: 'cy', case: 'other' }),
      ]),
      ['bob pass current', 'ann pass earlier-text'],
    );
  });

  it('are described in words, except those of an earlier text', () => {
    const [fail, pass] = opinionsOn(line, [
      label(),
      label({ person: 'bob', status: 'pass', score: 0.8 }),
    ]);
    const judged = { status: 'pass', label: undefined } as const;
    assert.ok(fail && pass);
    assert.equal(opinionText(fail, judged), 'wrong, should be failed');
    assert.equal(opinionText(pass, judged), 'right (score 0.80)');
    assert.equal(opinionText({ ...fail, status: 'skipped' }, judged), 'wrong, it does not apply');
    assert.equal(opinionText({ ...fail, label: 'rude' }, judged), 'wrong, should be “rude”');
    assert.equal(opinionText(fail, { status: 'error' }), 'should be failed');
    assert.equal(opinionsText([fail, pass], judged, 'ann'), 'you: wrong · others: 1 right');
    assert.equal(opinionsText([fail, pass], judged, 'cy'), 'people: 1 right, 1 wrong');
    assert.equal(opinionsText([{ ...fail, standing: 'earlier-text' }], judged, 'ann'), undefined);
  });
});
