import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { globSync } from 'tinyglobby';
import { evalJsonSchema, messagesJsonSchema } from '../../src/evalfile/schema.ts';

/** Phrases that once made the product read as if translated. */
const UNIDIOMATIC =
  /unless (?:given|said)|must stand|comes? to be|at its place|a mistake of its own|not to be had/i;

const FILES = [
  'src/**/*.ts',
  'webview/**/*.ts',
  'scripts/**/*.ts',
  'types/*.ts',
  '*.md',
  'docs/**/*.md',
];

test('no text is written in words that a native maintainer would not use', () => {
  const found = globSync(FILES).flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        UNIDIOMATIC.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
      ),
  );
  assert.deepEqual(found, []);
});

test('a default in a description is its last sentence', () => {
  const descriptions = (value: unknown): string[] => {
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([key, inner]) =>
      key === 'description' && typeof inner === 'string' ? [inner] : descriptions(inner),
    );
  };
  const all = [evalJsonSchema(), messagesJsonSchema()].flatMap(descriptions);
  assert.ok(all.length > 100);
  const wrong = all.filter(
    (text) => /default/i.test(text) && !/(?:^|\. )Default: [^.]+(?:\.[^.\s][^.]*)*\.$/.test(text),
  );
  assert.deepEqual(wrong, []);
});
