import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { agreementOf } from '../../../src/analysis/agreement.ts';
import { ComparisonData } from '../../../src/analysis/comparisonData.ts';
import type { PlacedLabel } from '../../../src/core/record/label.ts';
import type { CaseLine } from '../../../src/core/record/runRecord.ts';
import { conversationHash } from '../../../src/node/hashes.ts';
import { buildVerdict, type Given, judgedLine } from '../../support/comparing.ts';

const said = (id: number) => `Reply ${id}`;

function lineOf(
  id: number,
  given: Given,
  built: Parameters<typeof buildVerdict>[1] = {},
): CaseLine {
  return judgedLine(`case-${id}`, [buildVerdict(given, built)], { said: said(id) });
}

function label(line: CaseLine, given: Partial<PlacedLabel> = {}): PlacedLabel {
  return {
    case: line.id,
    assertion: 'Kind',
    conversation_hash: conversationHash(line.conversation),
    status: 'pass',
    at: '2026-01-01T00:00:00.000Z',
    person: 'ann',
    path: '/work/suite.labels/ann.jsonl',
    line: 1,
    ...given,
  };
}

function gatheredOf(...lines: readonly CaseLine[]): ComparisonData {
  const data = new ComparisonData();
  for (const line of lines) data.add(line);
  return data;
}

describe('agreement of judges with labels', () => {
  it('counts, measures and lists what judge and people say the opposite of', () => {
    // 20 failed by both, 5 only by the judge, 10 only by people, 15 passed by both: kappa 0.4, as in Cohen's example.
    const kinds = [
      ...Array(20).fill('ff'),
      ...Array(5).fill('fp'),
      ...Array(10).fill('pf'),
      ...Array(15).fill('pp'),
    ];
    const lines = kinds.map((kind: string, id) => lineOf(id, kind[0] === 'f' ? 0 : 1));
    const labels = lines.map((line, id) =>
      label(line, { status: kinds[id]?.[1] === 'f' ? 'fail' : 'pass', line: id + 1 }),
    );
    const { rows, disagreements, unmatched } = agreementOf(labels, gatheredOf(...lines));
    assert.equal(rows.length, 2);
    const [all, kind] = rows;
    assert.equal(all?.assertion, undefined);
    assert.deepEqual(kind?.confusion, { failFail: 20, failPass: 5, passFail: 10, passPass: 15 });
    assert.deepEqual([kind?.compared, kind?.accuracy, kind?.of], [50, 0.7, 'cases']);
    assert.deepEqual([kind?.precision, kind?.recall], [20 / 25, 20 / 30]);
    assert.ok(Math.abs((kind?.kappa?.kappa ?? 0) - 0.4) < 1e-12 && kind?.alpha === null);
    assert.equal(disagreements.length, 15);
    assert.deepEqual(disagreements[0]?.labels[0].line, 21);
    assert.deepEqual(unmatched, []);
  });

  it('includes assertions in groups, by their own judge', () => {
    const tone = buildVerdict(1, { key: 'Refund/Tone' });
    const group = { ...buildVerdict(1, { key: 'Refund', judge: null }), nested: [tone] };
    const line = judgedLine('refund', [group], { said: 'Hi' });
    const labels = [label(line, { assertion: 'Refund/Tone', status: 'fail' })];
    const { rows, disagreements, unmatched } = agreementOf(labels, gatheredOf(line));
    assert.deepEqual(unmatched, []);
    assert.deepEqual(
      rows.map(({ judge, assertion, compared }) => [judge, assertion?.key, compared]),
      [
        ['openai:judge', undefined, 1],
        ['openai:judge', 'Refund/Tone', 1],
      ],
    );
    assert.deepEqual(
      disagreements.map(({ assertion }) => assertion.key),
      ['Refund/Tone'],
    );
  });

  it('compares turns with turns, and each judge by itself; the newest verdict counts', () => {
    const turns = (second: Given) => ({ turns: [[2, second]] as [number, Given][] });
    const newest = lineOf(1, 1, turns(0));
    const older = lineOf(1, 0, turns(1));
    const other = lineOf(1, 0, { ...turns(1), judge: 'ollama:x', question: 'q2' });
    const labels = [label(newest, { turn: 2, status: 'fail' }), label(newest, { status: 'pass' })];
    const { rows } = agreementOf(labels, gatheredOf(newest, older, other));
    assert.deepEqual(
      rows
        .filter(({ assertion }) => assertion)
        .map(({ judge, of, accuracy }) => `${judge} ${of} ${accuracy}`),
      ['openai:judge cases 1', 'openai:judge turns 1', 'ollama:x cases 0', 'ollama:x turns 0'],
    );
  });

  it('uses the majority of people, and measures their agreement', () => {
    const lines = [0, 1, 2, 3].map((id) => lineOf(id, id < 2 ? 0 : 1));
    const by = (person: string, statuses: readonly PlacedLabel['status'][]) =>
      lines.map((line, id) => label(line, { person, status: statuses[id] ?? 'pass' }));
    const labels = [
      ...by('ann', ['fail', 'fail', 'pass', 'pass']),
      ...by('bob', ['fail', 'pass', 'pass', 'fail']),
      ...by('cy', ['fail', 'fail', 'pass', 'fail']).slice(0, 2),
    ];
    const { rows, disagreements } = agreementOf(labels, gatheredOf(...lines));
    const [, kind] = rows;
    assert.deepEqual([kind?.compared, kind?.split, kind?.accuracy], [3, 1, 1]);
    assert.deepEqual(kind?.people, ['ann', 'bob', 'cy']);
    assert.ok(kind?.alpha !== null && (kind?.alpha ?? 1) < 1);
    assert.deepEqual(
      disagreements.map(({ id, people }) => [id, people]),
      [['case-3', undefined]],
    );
  });

  it('counts apart what the judge could not judge and what does not apply', () => {
    const lines = [lineOf(0, 'error'), lineOf(1, 'skipped'), lineOf(2, 1), lineOf(3, 1)];
    const statuses = ['fail', 'pass', 'skipped', 'pass'] as const;
    const labels = lines.map((line, id) => label(line, { status: statuses[id] ?? 'pass' }));
    const { rows, disagreements } = agreementOf(labels, gatheredOf(...lines));
    const [, kind] = rows;
    assert.deepEqual(
      [kind?.compared, kind?.unjudged, kind?.notApplicable, kind?.kappa],
      [1, 2, 1, null],
    );
    assert.deepEqual(
      disagreements.map(({ id }) => id),
      ['case-2'],
    );
  });

  it('marks another question, and says why a label has no verdict', () => {
    const line = lineOf(0, 1);
    const labels = [
      label(line, { question_hash: 'earlier' }),
      label(line, { assertion: 'Polite' }),
      label(line, { turn: 9 }),
      label(line, { conversation_hash: 'edited' }),
      label(line, { conversation_hash: 'never', case: 'unknown' }),
    ];
    const { rows, unmatched } = agreementOf(labels, gatheredOf(line));
    assert.deepEqual([rows[1]?.compared, rows[1]?.otherQuestion], [1, 1]);
    assert.deepEqual(
      unmatched.map(({ reason }) => reason),
      ['not-judged', 'not-judged', 'earlier-text', 'not-run'],
    );
  });
});
