import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { docsFiles, FOLDER } from '../../../scripts/docs/pages.ts';
import { assertionTypes } from '../../../src/assertions/registry.ts';

const pages = docsFiles();
const pageOf = (type: string) => pages.get(`${FOLDER}/${type}.md`) ?? '';

describe('the pages of the assertions', () => {
  it('are all listed in the index', () => {
    for (const { type } of assertionTypes)
      assert.ok(pageOf('README').includes(`(${type}.md)`), type);
  });

  for (const type of assertionTypes) {
    it(`give ${type.type} a formula, an example in numbers and each of its keys`, () => {
      assert.match(pageOf(type.type), /^Score: \S/m);
      assert.match(pageOf(type.type), /^Example: .*\d/m);
      for (const key of Object.keys(type.params.shape)) {
        assert.match(
          pageOf(type.type),
          new RegExp(`^\\| \`${key}\` \\| .+ \\| .* \\| .+ \\|$`, 'm'),
        );
      }
    });
  }

  it('tell what is needed, the threshold in its own scale and whose metric it is like', () => {
    assert.match(pageOf('tool-use'), /\| needs \| the tools the/);
    assert.match(pageOf('coherence'), /\| 0\.5 \(3 on the scale from 1 to 5\) \|/);
    assert.match(pageOf('coherence'), /\| as in \| Azure \|/);
    assert.match(pageOf('g-eval'), /`rubric\[\]\.means`/);
  });
});
