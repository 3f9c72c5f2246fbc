import assert from 'node:assert/strict';
import { test } from 'node:test';
import { visibleJson } from '../../../src/core/text/visibleText.ts';
import { streamJson } from '../../../src/report/streamJson.ts';

const ENTRIES = [{ id: 'a', said: ['Hi\n##[error]', '\u202e'] }, {}, [], 'text', 1, null];

function* generated<Entry>(entries: readonly Entry[]): Generator<Entry> {
  yield* entries;
}

test('JSON written in pieces equals the JSON of the same lists', () => {
  const pieces = [
    ...streamJson({
      run: null,
      left: undefined,
      cases: generated(ENTRIES),
      none: generated([]),
      within: [{ scope: { name: 'x' }, records: generated(ENTRIES) }],
    }),
  ];
  const whole = {
    run: null,
    cases: ENTRIES,
    none: [],
    within: [{ scope: { name: 'x' }, records: ENTRIES }],
  };
  assert.equal(pieces.join(''), visibleJson(whole));
  assert.ok(pieces.length > ENTRIES.length * 2);
});
