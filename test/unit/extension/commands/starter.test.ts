import assert from 'node:assert/strict';
import { it } from 'node:test';
import { STARTER } from '../../../../src/extension/commands/starter.ts';
import { load } from '../../../support/evalFiles.ts';

it('a new eval file is valid and needs no judge', async () => {
  const { problems, suite } = await load(STARTER);
  assert.deepEqual(problems, []);
  assert.deepEqual(
    suite?.cases.flatMap(({ assertions }) => assertions.map(({ type }) => type)),
    ['contains'],
  );
});
