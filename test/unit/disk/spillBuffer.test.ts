import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { SpillBuffer } from '../../../src/disk/spillBuffer.ts';

test('returns texts unchanged, whether they fit into memory or not', () => {
  const buffer = new SpillBuffer();
  const texts = Array.from({ length: 12 }, (_, index) => `${index} ä 📦 `.repeat(100_000));
  const numbers = texts.map((text) => buffer.put(text));
  for (const [index, number] of [...numbers.entries()].reverse()) {
    assert.equal(buffer.get(number) === texts[index], true, `text ${index}`);
  }
});

test('leaves nothing in the temporary folder', () => {
  const before = new Set(readdirSync(tmpdir()));
  const buffer = new SpillBuffer();
  for (let count = 0; count < 3; count += 1) buffer.put('secret'.repeat(1_000_000));
  const own = readdirSync(tmpdir()).filter(
    (name) => !before.has(name) && /^turnlight-[0-9a-f]{8}-[0-9a-f]{4}-/.test(name),
  );
  assert.deepEqual(own, []);
});
