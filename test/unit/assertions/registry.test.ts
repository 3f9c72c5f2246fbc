import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as z from 'zod';
import { docsMarkdown } from '../../../src/assertions/docs.ts';
import { assertionTypes, findAssertionType } from '../../../src/assertions/registry.ts';
import { isError } from '../../../src/core/problem.ts';
import { exampleOf, loadExamples } from '../../support/docsExample.ts';

/** A schema's description. Optional keys have it on the wrapped schema. */
function descriptionOf(schema: z.core.$ZodType): string | undefined {
  const known = z.globalRegistry.get(schema)?.description;
  if (known !== undefined || !(schema instanceof z.ZodOptional)) return known;
  return descriptionOf(schema.unwrap());
}

describe('the registry', () => {
  it('names each type once', () => {
    const names = assertionTypes.map(({ type }) => type);
    assert.equal(new Set(names).size, names.length);
    assert.equal(findAssertionType('contains')?.type, 'contains');
    assert.equal(findAssertionType('toString'), undefined);
  });

  for (const assertionType of assertionTypes) {
    const { type, summary, docs, params, defaultThreshold } = assertionType;
    it(`describes ${type} with a formula and an example`, () => {
      assert.match(summary, /^[A-Z].*[.?]$/);
      for (const text of [docs.score, docs.example, docs.skipped ?? '.']) assert.match(text, /\.$/);
      assert.ok(JSON.stringify(exampleOf(docsMarkdown(assertionType))).includes(type));
      assert.ok(defaultThreshold >= 0 && defaultThreshold <= 1);
    });
    it(`describes every key of ${type}, and takes no other`, () => {
      for (const [key, schema] of Object.entries(params.shape)) {
        assert.ok(descriptionOf(schema), `${key} has no description`);
      }
      assert.equal(params.safeParse({ 'no-such-key': 1 }).success, false);
    });

    it(`reads the example of ${type} from a file, all that it needs with it`, async (t) => {
      const [loaded] = await loadExamples(t, docsMarkdown(assertionType));
      assert.deepEqual(loaded?.problems.filter(isError), []);
      const assertions = loaded?.suite?.cases[0]?.assertions ?? [];
      const found = assertions.filter((one) => one.type === type);
      assert.ok(found.length > 0);
      for (const one of found) assert.equal(params.safeParse(one.params).success, true);
    });
  }
});
