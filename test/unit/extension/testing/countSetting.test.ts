import assert from 'node:assert/strict';
import { it } from 'node:test';
import { countSetting } from '../../../../src/extension/testing/countSetting.ts';
import { SETTINGS } from '../../../../src/protocol/names.ts';

it('a setting that is not a whole number of at least 1 is reported, and the default is used', () => {
  const problems: string[] = [];
  const read = (value: unknown) =>
    countSetting(SETTINGS.timeout, value, 60_000, (problem) => problems.push(problem));
  assert.equal(read(5), 5);
  assert.deepEqual(problems, []);
  for (const value of [0, -5, 2.5, 'x', null]) assert.equal(read(value), 60_000);
  const expected =
    'The setting "turnlight.timeout" is not a whole number of at least 1. The default, 60000, is used.';
  assert.deepEqual(problems, Array(5).fill(expected));
});
