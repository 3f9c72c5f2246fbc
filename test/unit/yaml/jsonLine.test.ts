import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Path } from '../../../src/core/data/data.ts';
import { readJsonLine } from '../../../src/yaml/jsonLine.ts';
import { parseYaml } from '../../../src/yaml/yamlDocument.ts';

const LINES = [
  '{"messages": [{"role": "user", "content": "Hi \\"you\\" \\\\"}, {"role": "assistant", "content": "📦 ä"}]}',
  '  [ {"user": "a, b] }"} , {"assistant" : ["x", {"deep": [[1], [2, {"a": -1.5e3}]]}]}, "text", null ]',
  '{"id": 7, "data": [["c", {"messages": [{"user": "\\ud83d\\ude00"}]}]], "empty": [], "none": {}}',
  '[[], {}, [[]], [{"a": {"b": [{"c": true}]}}]]',
  '"text"',
];

/** All paths in a value. */
function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const entries: (readonly [string | number, unknown])[] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  return [path, ...entries.flatMap(([key, inner]) => pathsIn(inner, [...path, key]))];
}

describe('a line of JSON', () => {
  for (const line of LINES) {
    it(`has the same values and ranges as YAML: ${line.slice(0, 40)}`, () => {
      const found = readJsonLine(line, '/data.jsonl');
      const whole = parseYaml(line, '/data.jsonl');
      assert.ok(found);
      assert.deepEqual(found.value, whole.value);
      for (const path of pathsIn(whole.value)) {
        assert.deepEqual(found.entryRangeOf(path), whole.entryRangeOf(path), path.join('.'));
        assert.deepEqual(found.rangeOf(path), whole.rangeOf(path), path.join('.'));
      }
    });
  }

  const ambiguous = {
    'a duplicate key': '{"a": 1, "a": 2}',
    'a key with an escape': '{"a": 1, "\\u0061": 2}',
    'a key that is too long for YAML': `{"${'k'.repeat(1_100)}": 1}`,
    'the key `__proto__`': '{"__proto__": {"a": 1}}',
  };
  for (const [what, line] of Object.entries(ambiguous)) {
    it(`is parsed as YAML if it has ${what}`, () => {
      assert.equal(readJsonLine(line, '/data.jsonl'), undefined);
    });
  }
});
