import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJson } from '../../../src/assertions/types/is-json.ts';
import type { Assertion } from '../../../src/core/suite.ts';
import {
  EACH,
  findingOf,
  LAST,
  NOT,
  outcomeOf,
  replies,
  statuses,
} from '../../support/deterministic.ts';
import { assistant, call } from '../../support/judging.ts';

const ONE = { at: { kind: 'first' } } as const;
const fenced = { fenced: true };
const inFence = '```json\n{"a": 1}\n```';

describe('is-json of one reply', () => {
  it('that is nested deeper than anybody writes is no JSON to it', async () => {
    const nested = '['.repeat(50_000) + ']'.repeat(50_000);
    const { score, turns } = await findingOf(isJson, {}, replies([assistant(nested)]));
    assert.equal(score, 0);
    assert.match(turns[0]?.rationale ?? '', /nested too deep/);
  });

  const rows: [
    text: string,
    params: Record<string, unknown>,
    rest: Partial<Assertion>,
    score: number,
  ][] = [
    ['{"a": 1}', {}, ONE, 1],
    ['[1, 2]', {}, ONE, 1],
    ['"text"', {}, ONE, 1],
    ['null', {}, ONE, 1],
    ['-1.5e3', {}, ONE, 1],
    [' \n{"a": 1}\n\t', {}, ONE, 1],
    ['{"a": 1} {"a": 2}', {}, ONE, 0],
    ['{"a": 1,}', {}, ONE, 0],
    ["{'a': 1}", {}, ONE, 0],
    ['{"a": NaN}', {}, ONE, 0],
    ['Here you are: {"a": 1}', {}, ONE, 0],
    ['Hello', {}, ONE, 0],
    ['', {}, ONE, 0],
    [' \n ', {}, ONE, 0],
    ['Hello', {}, { ...ONE, ...NOT }, 1],
    ['{"a": 1}', {}, { ...ONE, ...NOT }, 0],
    [inFence, {}, ONE, 0],
    [inFence, fenced, ONE, 1],
    ['{"a": 1}', fenced, ONE, 1],
    ['```JSON \r\n{"a": 1}\r\n```\n', fenced, ONE, 1],
    [`${inFence}\n${inFence}`, fenced, ONE, 0],
    [`Sure:\n${inFence}`, fenced, ONE, 0],
    ['```json\n\n```', fenced, ONE, 0],
    ['```\n{"a": 1}\n```', fenced, ONE, 0],
    ['```json\n"a ``` b"\n```', fenced, ONE, 1],
  ];
  for (const [text, params, rest, score] of rows) {
    const how = `${'fenced' in params ? ', fenced' : ''}${rest.negate ? ', negated' : ''}`;
    it(`${JSON.stringify(text)}${how}: ${score}`, async () => {
      const finding = await findingOf(isJson, params, replies([assistant(text)]), rest);
      assert.equal(finding.score, score);
      assert.deepEqual(statuses(finding), [`2 ${score === 1 ? 'pass' : 'fail'}`]);
      assert.deepEqual([finding.hits.length, finding.misses.length], score === 1 ? [1, 0] : [0, 1]);
    });
  }
});

describe('is-json of several replies', () => {
  const mixed = replies([assistant('{}')], [assistant('Well')], [assistant('[]')]);
  const rows: [rest: Partial<Assertion>, score: number, entries: string[]][] = [
    [{}, 2 / 3, ['2 pass', '4 fail', '6 pass']],
    [EACH, 2 / 3, ['2 pass', '4 fail', '6 pass']],
    [NOT, 1 / 3, ['2 fail', '4 pass', '6 fail']],
    [LAST, 1, ['6 pass']],
  ];
  for (const [rest, score, entries] of rows) {
    it(`${JSON.stringify(rest)}: ${score}`, async () => {
      const finding = await findingOf(isJson, {}, mixed, rest);
      assert.equal(finding.score, score);
      assert.deepEqual(statuses(finding), entries);
    });
  }

  it('reports the error of each turn', async () => {
    const { rationale, hits, misses } = await findingOf(isJson, {}, mixed);
    assert.equal(rationale, 'Is JSON: 2 of 3 turns.');
    assert.deepEqual(hits, ['Turn 2: is JSON', 'Turn 6: is JSON']);
    assert.match(misses[0] ?? '', /^Turn 4: is not JSON: ./);
  });

  it('takes a reply of tool calls alone for no JSON', async () => {
    const outcome = await outcomeOf(isJson, {}, replies(call('look', {}, '{}')));
    assert.deepEqual(statuses(outcome), ['2 fail']);
    assert.equal(outcome.turns[0]?.rationale, 'is not JSON: there is no text');
  });
});
