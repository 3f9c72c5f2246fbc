import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseYaml } from '../../../src/yaml/yamlDocument.ts';

describe('lines of a text', () => {
  it('end where editors end them', () => {
    const text = 'a\r\nbb\rc\n👋d';
    const lines = parseYaml(text, '/x.yaml');
    const starts = [0, 3, 6, 8].map((offset) => lines.positionAt(offset));
    assert.deepEqual(
      starts,
      [0, 1, 2, 3].map((line) => ({ line, character: 0 })),
    );
    assert.deepEqual(lines.positionAt(10), { line: 3, character: 2 });
    for (const offset of [0, 1, 3, 4, 6, 7, 8, 11]) {
      assert.equal(lines.offsetAt(lines.positionAt(offset)), offset);
    }
  });

  it('map positions outside of the text to its ends', () => {
    const lines = parseYaml('ab\r\nc', '/x.yaml');
    assert.deepEqual(lines.positionAt(99), { line: 1, character: 1 });
    assert.deepEqual(lines.positionAt(-1), { line: 0, character: 0 });
    assert.equal(lines.offsetAt({ line: 0, character: 99 }), 2);
    assert.equal(lines.offsetAt({ line: 9, character: 0 }), 5);
  });

  it('are counted correctly after a syntax error', () => {
    // The quoted text ends before the end of the line.
    const yaml = parseYaml('cases:\n  - a\n  -at: "1"\'s all\n\n  - id: two\n', '/x.eval.yaml');
    const offset = yaml.text.indexOf('two');
    assert.deepEqual(yaml.positionAt(offset), { line: 4, character: 8 });
  });
});
