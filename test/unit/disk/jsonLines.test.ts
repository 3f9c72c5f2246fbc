import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readFileLines } from '../../../src/disk/jsonLines.ts';
import { workspaceWith } from '../../support/runs.ts';

describe('lines of JSON', () => {
  it('are numbered with empty lines, which are skipped quickly', async (t) => {
    const text = `1\n${'\n'.repeat(300_000)}2\n\n3`;
    const folder = await workspaceWith(t, { 'lines.jsonl': text });
    const searches = t.mock.method(Buffer.prototype, 'indexOf');
    const lines: unknown[] = [];
    for await (const one of readFileLines(join(folder, 'lines.jsonl'), text.length)) {
      lines.push([one.number, one.value, text.slice(one.offset, one.offset + one.length)]);
    }
    assert.deepEqual(lines, [
      [1, 1, '1'],
      [300_002, 2, '2'],
      [300_004, 3, '3'],
    ]);
    assert.ok(searches.mock.callCount() < 100, `${searches.mock.callCount()} searches`);
  });
});
