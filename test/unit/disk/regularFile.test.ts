import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { link, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import {
  APPEND,
  CREATE,
  isRealFolder,
  makeRealFolder,
  openRegular,
  readRegular,
  realPathOf,
  writeRegular,
} from '../../../src/disk/regularFile.ts';

const POSIX = { skip: process.platform === 'win32' };

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'turnlight-disk-'));
  t.after(() => rm(path, { recursive: true }));
  return path;
}

describe("one of Turnlight's own files", () => {
  it('can be read, appended to, and created', async (t) => {
    const path = join(await folder(t), 'file');
    await writeRegular(path, 'a', CREATE);
    await writeRegular(path, 'a', APPEND);
    assert.equal(String(await readRegular(path, 2)), 'aa');
    await assert.rejects(openRegular(path, CREATE), { code: 'EEXIST' });
    await assert.rejects(readRegular(path, 1), { reason: 'too-large' });
  });

  it('is not appended to if it is a hard link', async (t) => {
    const at = await folder(t);
    await writeFile(join(at, 'outside'), 'mine');
    await link(join(at, 'outside'), join(at, 'hard'));
    await assert.rejects(writeRegular(join(at, 'hard'), 'a', APPEND), { reason: 'link' });
    assert.equal(await readFile(join(at, 'outside'), 'utf8'), 'mine');
    assert.equal(String(await readRegular(join(at, 'hard'), 10)), 'mine');
  });

  it('is neither read nor written if it is a link', async (t) => {
    const at = await folder(t);
    await writeFile(join(at, 'outside'), 'secret');
    await symlink(join(at, 'outside'), join(at, 'link'));
    await symlink(join(at, 'nowhere'), join(at, 'dangling'));
    for (const name of ['link', 'dangling']) {
      for (const flags of [undefined, APPEND, CREATE]) {
        await assert.rejects(openRegular(join(at, name), flags), {
          reason: 'link',
          message: `${join(at, name)} is a symbolic link. Remove it.`,
        });
      }
    }
    assert.equal(await readFile(join(at, 'outside'), 'utf8'), 'secret');
    await assert.rejects(stat(join(at, 'nowhere')));
  });

  it('is refused at once if it is a pipe, a device, or a folder', POSIX, async (t) => {
    const at = await folder(t);
    execFileSync('mkfifo', [join(at, 'pipe')]);
    for (const path of [join(at, 'pipe'), '/dev/zero', at]) {
      await assert.rejects(readRegular(path, 100), { reason: 'not-a-file' });
      await assert.rejects(openRegular(path, APPEND), { reason: 'not-a-file' });
    }
  });
});

describe("one of Turnlight's own folders", () => {
  it('is created unless it exists', async (t) => {
    const path = join(await folder(t), 'made');
    assert.equal(isRealFolder(path), false);
    await Promise.all([makeRealFolder(path), makeRealFolder(path)]);
    await makeRealFolder(path);
    assert.equal(isRealFolder(path), true);
  });

  it('must not be a link to a folder, or a file', async (t) => {
    const at = await folder(t);
    await mkdir(join(at, 'outside'));
    await symlink(join(at, 'outside'), join(at, 'link'));
    await writeFile(join(at, 'file'), '');
    await assert.rejects(makeRealFolder(join(at, 'link')), { reason: 'link' });
    await assert.rejects(makeRealFolder(join(at, 'file')), { reason: 'not-a-folder' });
    assert.equal(isRealFolder(join(at, 'link')), false);
    assert.equal(isRealFolder(join(at, 'file')), false);
    assert.equal(isRealFolder(join(at, 'file/within')), false);
  });
});

describe('the real path of a file', () => {
  it(
    'follows links, and keeps what does not exist, however many parts that has',
    POSIX,
    async (t) => {
      const at = await folder(t);
      await mkdir(join(at, 'outside'));
      await symlink(join(at, 'outside'), join(at, 'link'));
      const real = realPathOf(join(at, 'outside'));
      for (const missing of ['', '/a', `/${'a/'.repeat(1_000_000)}b`]) {
        assert.equal(realPathOf(`${at}/link${missing}`), `${real}${missing}`);
      }
    },
  );
});
