import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { closest, nearest } from '../../../../src/core/text/closest.ts';

describe('the intended word', () => {
  for (const [what, word, candidates, expected] of [
    ['a letter less', 'asert', ['assert', 'at'], 'assert'],
    ['a letter twice', 'targetts', ['target', 'targets'], 'targets'],
    ['two letters swapped, in a short word', 'di', ['id', 'at'], 'id'],
    ['another case and other separators', 'stopOnFailure', ['stop_on_failure'], 'stop_on_failure'],
    ['a longer form', 'assertions', ['assert', 'at'], 'assert'],
    ['nothing near', 'zzz', ['assert', 'at'], undefined],
    ['no candidates', 'assert', [], undefined],
    ['an empty word', '', ['assert'], undefined],
    ['a word too long to be mistyped', 'a'.repeat(101), ['a'.repeat(100)], undefined],
    ['a candidate too long to be meant', 'a'.repeat(100), ['a'.repeat(101)], undefined],
  ] as const) {
    it(`handles ${what}`, () => {
      assert.equal(closest(word, candidates), expected);
    });
  }

  it('comes before other similar words', () => {
    assert.deepEqual(nearest('contains-al', ['contains', 'contains-any', 'contains-all']), [
      'contains-all',
      'contains',
      'contains-any',
    ]);
  });
});
