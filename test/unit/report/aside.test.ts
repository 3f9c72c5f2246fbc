import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { Aside } from '../../../src/report/aside.ts';

test('what is put aside comes back as it was, also what no longer fits into memory', () => {
  const aside = new Aside();
  const texts = Array.from({ length: 12 }, (_, index) => `${index} ä 📦 `.repeat(100_000));
  const numbers = texts.map((text) => aside.put(text));
  for (const [index, number] of [...numbers.entries()].reverse()) {
    assert.equal(aside.get(number) === texts[index], true, `text ${index}`);
  }
});

test('nothing of it stands in the folder for temporary files', () => {
  const before = new Set(readdirSync(tmpdir()));
  const aside = new Aside();
  for (let count = 0; count < 3; count += 1) aside.put('secret'.repeat(1_000_000));
  const own = readdirSync(tmpdir()).filter(
    (name) => !before.has(name) && /^turnlight-[0-9a-f]{8}-[0-9a-f]{4}-/.test(name),
  );
  assert.deepEqual(own, []);
});
