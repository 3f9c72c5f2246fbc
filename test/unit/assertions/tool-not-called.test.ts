import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toolNotCalled } from '../../../src/assertions/types/tool-not-called.ts';
import type { Assertion } from '../../../src/core/suite.ts';
import {
  EACH,
  FIRST,
  findingOf,
  LAST,
  NOT,
  replies,
  statuses,
} from '../../support/deterministic.ts';
import { assistant, call } from '../../support/judging.ts';

/** Turn 2 refunds twice and looks up, turn 4 calls nothing, and turn 6 looks up. */
const shop = replies(
  [
    ...call('refund', { order: '1', amount: 5 }, 'ok', 'a'),
    ...call('refund', { order: '2', amount: 5 }, 'ok', 'b'),
    ...call('lookup', {}, 'ok', 'c'),
    assistant('Done.'),
  ],
  [assistant('Anything else?')],
  [...call('lookup', { order: '3' }, 'ok', 'd'), assistant('It is there.')],
);
const name = 'refund';

describe('tool-not-called', () => {
  const rows: [
    what: string,
    params: Record<string, unknown>,
    rest: Partial<Assertion>,
    score: number,
    entries: string[],
  ][] = [
    ['one that was called', { name }, {}, 0, ['2 fail']],
    ['one that was not', { name: 'cancel' }, {}, 1, []],
    ['one in a turn without it', { name }, LAST, 1, ['6 pass']],
    ['one in the turn with it', { name }, FIRST, 0, ['2 fail']],
    ['one in each turn', { name }, EACH, 2 / 3, ['2 fail', '4 pass', '6 pass']],
    ['any tool', {}, {}, 0, ['2 fail', '6 fail']],
    ['any tool in each turn', {}, EACH, 1 / 3, ['2 fail', '4 pass', '6 fail']],
    ['other arguments', { name, args: { order: '9' } }, {}, 1, []],
    ['these arguments', { name, args: { order: '2' } }, {}, 0, ['2 fail']],
    ['these and no others', { name, args: { order: '2' }, match: 'exact' }, {}, 1, []],
    ['a pattern', { name, args: { order: '^[12]$' }, match: 'pattern' }, {}, 0, ['2 fail']],
    ['any tool with these arguments', { args: { order: '3' } }, {}, 0, ['6 fail']],
    ['negated, called', { name }, NOT, 1, ['2 pass']],
    ['negated, not called', { name: 'cancel' }, NOT, 0, []],
    ['negated, in each turn', { name }, { ...EACH, ...NOT }, 1 / 3, ['2 pass', '4 fail', '6 fail']],
  ];
  for (const [what, params, rest, score, entries] of rows) {
    it(`${what}: ${score}`, async () => {
      const finding = await findingOf(toolNotCalled, params, shop, rest);
      assert.equal(finding.score, score);
      assert.deepEqual(statuses(finding), entries);
      const cited = score === 1 ? finding.hits : finding.misses;
      assert.ok(cited.length > 0);
      for (const text of [...finding.hits, ...finding.misses]) assert.match(text, /^Turns? \d/);
    });
  }

  it('cites every call with its turn', async () => {
    const { misses, value, details, rationale } = await findingOf(toolNotCalled, { name }, shop);
    assert.deepEqual(misses, [
      'Turn 2: called refund {"order":"1","amount":5}',
      'Turn 2: called refund {"order":"2","amount":5}',
    ]);
    assert.deepEqual([value, details], [2, { calls: 2 }]);
    assert.equal(rationale, 'Turns 2, 4, 6: 2 calls to refund.');
  });

  it('cites no turn if none made the call', async () => {
    const { hits } = await findingOf(toolNotCalled, { name: 'cancel' }, shop);
    assert.deepEqual(hits, ['Turns 2, 4, 6: 0 calls to cancel']);
  });

  it('shows long arguments by their beginning', async () => {
    const long = replies(call('write', { text: 'x'.repeat(5000) }, 'ok'));
    const { misses } = await findingOf(toolNotCalled, {}, long);
    assert.ok((misses[0] ?? '').length < 300);
  });

  it('reports an invalid pattern before the run', () => {
    const [fault] = toolNotCalled.faults?.({ args: { order: '(' }, match: 'pattern' }) ?? [];
    assert.deepEqual(fault?.path, ['args']);
    assert.deepEqual(toolNotCalled.faults?.({ args: { order: '(' } }), []);
  });
});
