import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as z from 'zod';
import { valuesAt } from '../../../src/schema/schemaWalk.ts';

it('is reported without a copy of its surroundings', () => {
  const schema = z.record(z.string(), z.strictObject({ type: z.enum(['a', 'b']) }));
  let copies = 0;
  const root = new Proxy<Record<string, unknown>>(
    { one: { type: '' } },
    {
      ownKeys(target) {
        copies += 1;
        return Reflect.ownKeys(target);
      },
    },
  );
  const told = valuesAt(schema, root, ['one', 'type']).map(({ value }) => value);
  assert.deepEqual(told, ['a', 'b']);
  assert.equal(copies, 0);
});
