import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { globSync } from 'tinyglobby';
import type { Path } from '../../../src/core/data/data.ts';
import { loadDocument } from '../../../src/evalfile/load.ts';
import { nodeFiles } from '../../../src/evalfile/nodeFiles.ts';
import { evalFileSchema } from '../../../src/evalfile/schema.ts';
import { fixesOf } from '../../../src/language/codeActions/fixes.ts';
import { diagnosticsByFile } from '../../../src/language/features/diagnostics.ts';
import { keysAt } from '../../../src/schema/schemaWalk.ts';
import { parseYaml } from '../../../src/yaml/yamlDocument.ts';
import { uriOf } from '../../support/language/codeActions.ts';
import { LONG } from '../../support/long.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

const SLIPS: readonly ((key: string) => string)[] = [
  // drop: `assert` → `assrt`
  (key) => key.slice(0, key.length >> 1) + key.slice((key.length >> 1) + 1),
  // double: `assert` → `asseert`
  (key) => key.slice(0, (key.length >> 1) + 1) + key.slice(key.length >> 1),
  // swap: `assert` → `asesrt`; not if both letters are the same
  (key) => {
    const at = [...key].findIndex(
      (letter, index) => index >= (key.length >> 1) - 1 && letter !== key[index + 1],
    );
    return key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2);
  },
  // replace: `assert` → `assxrt`
  (key) => `${key.slice(0, key.length >> 1)}q${key.slice((key.length >> 1) + 1)}`,
];

/** Paths of the keys that the schema knows. Model names and keys of `context` are the user's own. */
function knownKeys(root: unknown): Path[] {
  const walk = (value: unknown, path: Path): Path[] => {
    if (typeof value !== 'object' || value === null) return [];
    if (Array.isArray(value)) return value.flatMap((item, index) => walk(item, [...path, index]));
    const known = keysAt(evalFileSchema, root, path).map(({ name }) => name);
    return Object.entries(value).flatMap(([key, inner]) => [
      ...(known.includes(key) ? [[...path, key]] : []),
      ...walk(inner, [...path, key]),
    ]);
  };
  return walk(root, []);
}

describe('a key of an example mistyped by one letter', () => {
  for (const file of globSync('examples/**/*.eval.yaml', { cwd: ROOT }).sort()) {
    const path = resolve(ROOT, file);
    const text = readFileSync(path, 'utf8');
    const sound = parseYaml(text, path);
    const options = { workspace: dirname(path), env: () => undefined };

    it(`is reported once, at its place, with a fix that restores it: ${file}`, async () => {
      const keys = knownKeys(sound.value);
      assert.ok(keys.length > 15);
      const wrong: string[] = [];
      for (const [index, place] of keys.entries()) {
        // Each kind of typo gets its share of the sample.
        if (!LONG && index % (SLIPS.length + 1) !== 0) continue;
        const key = String(place.at(-1));
        for (const slip of LONG ? SLIPS : [SLIPS[index % SLIPS.length] ?? String]) {
          const mistyped = slip(key);
          const range = sound.keyRangeOf(place);
          const start = sound.offsetAt(range.start);
          assert.equal(text.slice(start, start + key.length), key);
          const changed = text.slice(0, start) + mistyped + text.slice(start + key.length);
          const yaml = parseYaml(changed, path);
          const { problems } = await loadDocument(yaml, nodeFiles(), options);
          const diagnostics = diagnosticsByFile(problems).get(path) ?? [];
          const [fix] = fixesOf(diagnostics, ['replacement'], { uri: path, yaml, uriOf });
          const [edit] = fix?.edit?.changes?.[path] ?? [];
          const restores =
            problems.length === 1 &&
            diagnostics[0]?.range.start.line === range.start.line &&
            diagnostics[0].range.start.character === range.start.character &&
            edit !== undefined &&
            changed.slice(0, yaml.offsetAt(edit.range.start)) +
              edit.newText +
              changed.slice(yaml.offsetAt(edit.range.end)) ===
              text;
          if (restores) continue;
          const told = problems.map(
            ({ code, range: { start: at }, replacement = '' }) =>
              `${at.line + 1}:${at.character + 1} ${code} ${replacement}`,
          );
          wrong.push(
            `${place.join('.')} as ${mistyped} (${range.start.line + 1}): ${told.join(' | ') || 'nothing'}`,
          );
        }
      }
      assert.deepEqual(wrong, []);
    });
  }
});
