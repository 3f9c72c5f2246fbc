import assert from 'node:assert/strict';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { readRecord } from '../../../src/store/records/runRecord.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { botSuite, ECHO, runFiles, workspaceWith } from '../../support/runs.ts';

/** From now on the disk takes lines as long as they hold none of a case's words, and then half of one. */
async function fillDisk(t: TestContext, words: string): Promise<void> {
  const file = await open(import.meta.filename);
  const handle: FileHandle = Object.getPrototypeOf(file);
  await file.close();
  const { appendFile } = handle;
  t.mock.method(handle, 'appendFile', async function (this: FileHandle, text: string) {
    if (!text.includes(words)) return appendFile.call(this, text);
    await appendFile.call(this, text.slice(0, text.length / 2));
    throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  });
}

const SUITE = botSuite(
  ['one', 'two', 'three']
    .map((id) => `  - {id: ${id}, turns: [x], assert: [{type: contains, value: x}]}\n`)
    .join(''),
);

describe('a disk that fills up during a run', () => {
  it('is told, turns no verdict, and leaves what was recorded before readable', async (t) => {
    await fillDisk(t, '"id":"two"');
    const told: string[] = [];
    const log = { debug() {}, info() {}, warn() {}, error: (text: string) => told.push(text) };
    const files = { 'bot.mjs': ECHO, 'suite.eval.yaml': SUITE };
    const ran = await runFiles(t, files, { concurrency: 1, log });
    assert.deepEqual(ran.end.counts, { pass: 3, fail: 0, error: 0, skipped: 0 });
    assert.equal(ran.lines.length, 3);
    const message = `The record cannot be written to ${ran.record}: the disk is full. Free some space.`;
    assert.deepEqual(
      ran.unwritten.map((error) => error.message),
      [message],
    );
    assert.deepEqual(told, [`${message} The run goes on without it.`]);
    const { cases, problems } = await readRecord(ran.record ?? '');
    assert.deepEqual(
      cases.map(({ id }) => id),
      ['one'],
    );
    assert.equal(problems.length, 1);
  });

  it('ends a recording, but no case', async (t) => {
    await fillDisk(t, 'second words');
    const server = await startModelServer(() => 'x');
    t.after(() => server.close());
    const target = `{type: chat, model: {provider: openai, model: m, base_url: "${server.baseUrl}"}}`;
    const cases = ['first', 'second', 'third'].map(
      (id) => `  - {id: ${id}, turns: [${id} words], assert: [{type: contains, value: x}]}\n`,
    );
    const suite = `target: ${target}\ncases:\n${cases.join('')}`;
    const record = join(await workspaceWith(t, {}), 'r.jsonl');
    const options = { record, concurrency: 1, keepRecord: false };
    const ran = await runFiles(t, { 'suite.eval.yaml': suite }, options);
    assert.deepEqual(ran.end.counts, { pass: 3, fail: 0, error: 0, skipped: 0 });
    assert.deepEqual(
      ran.unwritten.map((error) => error.message),
      [`The recording cannot be written to ${record}: the disk is full. Free some space.`],
    );
    assert.ok(!(await readFile(record, 'utf8')).includes('third'));
  });
});
