import assert from 'node:assert/strict';
import {
  chmod,
  mkdir,
  readFile,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { LIMITS } from '../../../src/core/limits.ts';
import { Scrubber } from '../../../src/core/scrubber.ts';
import {
  AnswerCache,
  answerFile,
  answersFolder,
  bytesOf,
  listCacheFiles,
  prune,
} from '../../../src/store/answers.ts';
import { emptyCache } from '../../support/answersFolder.ts';

function open(folder: string, warned: string[] = []): AnswerCache {
  const warn = (message: string) => void warned.push(message);
  return new AnswerCache({ folder, fresh: false, workspaces: [], scrubber: new Scrubber(), warn });
}

function keyOf(index: number): string {
  return index.toString(16).padStart(2, '0').repeat(32);
}

async function kept(answers: Readonly<Record<number, unknown>>): Promise<string> {
  const folder = join(emptyCache(), 'answers');
  const store = open(folder);
  for (const [index, answer] of Object.entries(answers)) store.save(keyOf(Number(index)), answer);
  await store.close();
  return folder;
}

describe('the folder of answers', () => {
  it('is the given one, or the platform’s', () => {
    const env = (given: Record<string, string>) => (name: string) => given[name];
    assert.equal(answersFolder(env({ TURNLIGHT_CACHE_DIR: '/c' })), join('/c', 'answers'));
    if (process.platform === 'win32') return;
    const xdg = answersFolder(env({ XDG_CACHE_HOME: '/x' }));
    assert.equal(xdg, '/x/turnlight/answers');
    assert.ok(answersFolder(env({})).startsWith(homedir()));
  });

  it('is accessible only to the user, with all its files', async () => {
    if (process.platform === 'win32') return;
    const folder = await kept({ 1: 'yes' });
    const [file] = await listCacheFiles(folder);
    const modes = [folder, dirname(file?.path ?? ''), file?.path ?? ''].map(
      async (path) => (await stat(path)).mode & 0o777,
    );
    assert.deepEqual(await Promise.all(modes), [0o700, 0o700, 0o600]);
  });

  it('is not used, with one warning, if others can write to it or if it is a link', async () => {
    if (process.platform === 'win32') return;
    const open755 = await kept({ 1: 'yes' });
    await chmod(open755, 0o777);
    const elsewhere = await kept({ 1: 'yes' });
    const link = join(emptyCache(), 'answers');
    await symlink(elsewhere, link);
    for (const [folder, words] of [
      [open755, /Other users can write/],
      [link, /symbolic link/],
    ] as const) {
      const warned: string[] = [];
      const store = open(folder, warned);
      assert.equal(await store.load(keyOf(1)), undefined);
      store.save(keyOf(2), 'no');
      await store.close();
      assert.equal(warned.length, 1);
      assert.match(warned[0] ?? '', words);
    }
    assert.equal((await listCacheFiles(elsewhere)).length, 1);
  });

  it('may be impossible to create: nothing is stored, and the run continues', async () => {
    const file = join(emptyCache(), 'file');
    await writeFile(file, '');
    const warned: string[] = [];
    const store = open(join(file, 'answers'), warned);
    store.save(keyOf(1), 'yes');
    assert.equal(await store.load(keyOf(1)), undefined);
    await store.close();
    assert.equal(warned.length, 1);
  });
});

describe('an answer', () => {
  it('is found until it is deleted', async () => {
    const folder = await kept({ 1: { said: 'yes' } });
    const store = open(folder);
    assert.deepEqual(await store.load(keyOf(1)), { said: 'yes' });
    store.delete(keyOf(1));
    store.save(keyOf(2), 'two');
    store.delete(keyOf(2));
    await store.close();
    assert.deepEqual(await listCacheFiles(folder), []);
  });

  it('replaces a link in its place without changing the target', async () => {
    if (process.platform === 'win32') return;
    const folder = await kept({ 2: 'other' });
    const target = join(folder, '..', 'precious');
    await writeFile(target, 'mine');
    const path = answerFile(folder, keyOf(1));
    await mkdir(dirname(path), { recursive: true });
    await symlink(target, path);
    const store = open(folder);
    assert.equal(await store.load(keyOf(1)), undefined);
    store.save(keyOf(1), 'yes');
    await store.close();
    assert.equal(await readFile(target, 'utf8'), 'mine');
    assert.equal(await open(folder).load(keyOf(1)), 'yes');
  });

  it('is not stored if it is longer than the limit', async () => {
    const folder = await kept({ 1: 'x'.repeat(LIMITS.cachedAnswer) });
    assert.deepEqual(await listCacheFiles(folder), []);
  });

  it('is removed first if it is the least recently used', async () => {
    const folder = await kept({ 1: 'one', 2: 'two', 3: 'three' });
    const old = Date.now() / 1000 - 100_000;
    for (const index of [1, 2, 3]) {
      await utimes(answerFile(folder, keyOf(index)), old + index, old + index);
    }
    await open(folder).load(keyOf(1));
    const bytes = bytesOf(await listCacheFiles(folder));
    await prune(folder, (bytes / 3) * 2);
    const store = open(folder);
    const left = [1, 2, 3].map((index) => store.load(keyOf(index)));
    assert.deepEqual(await Promise.all(left), ['one', undefined, 'three']);
  });

  it('triggers a cleanup after enough bytes were added', async () => {
    const folder = await kept({ 1: 'one' });
    const path = answerFile(folder, keyOf(1));
    const old = Date.now() / 1000 - 100_000;
    // A sparse file, which takes up no disk space.
    await writeFile(path, '');
    await truncate(path, LIMITS.cache);
    await utimes(path, old, old);
    const some = async (index: number, size: number) => {
      const store = open(folder);
      store.save(keyOf(index), 'x'.repeat(size));
      await store.close();
    };
    await some(2, 10);
    assert.equal((await listCacheFiles(folder)).length, 2);
    for (let index = 3; index < 9; index += 1) await some(index, LIMITS.cachedAnswer - 200);
    assert.ok(bytesOf(await listCacheFiles(folder)) <= LIMITS.cache);
  });

  it('is the only thing that is removed', async () => {
    const folder = await kept({ 1: 'one' });
    await writeFile(join(folder, 'notes.txt'), 'mine');
    await writeFile(join(dirname(answerFile(folder, keyOf(1))), 'notes.txt'), 'mine');
    await prune(folder, 0);
    assert.equal(await readFile(join(folder, 'notes.txt'), 'utf8'), 'mine');
    assert.deepEqual(await listCacheFiles(folder), []);
  });
});
