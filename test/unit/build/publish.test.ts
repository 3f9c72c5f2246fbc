import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { publish, removeLeftovers } from '../../../scripts/build/publish.ts';

async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'turnlight-build-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe('publishing a build', () => {
  it('shows whoever reads meanwhile each file whole, from first to last', async (t) => {
    const folder = await folderOf(t);
    const path = join(folder, 'a.js');
    const versions = ['a'.repeat(3_000_000), 'b'.repeat(2_000_000), 'c'.repeat(1_000_000)];
    await publish(new Map([[path, versions[0] ?? '']]), folder);
    let writing = true;
    const written = (async () => {
      for (let round = 0; round < 30; round += 1) {
        await publish(new Map([[path, versions[round % 3] ?? '']]), folder);
      }
      writing = false;
    })();
    let reads = 0;
    while (writing) {
      const text = await readFile(path, 'utf8');
      assert.ok(versions.includes(text), `${text.length} characters`);
      reads += 1;
    }
    await written;
    assert.ok(reads > 0);
  });

  it('puts each file in its place in the order given, and leaves nothing else', async (t) => {
    const folder = await folderOf(t);
    const inner = join(folder, 'new', 'b.json');
    const files = new Map<string, string | Uint8Array>([
      [join(folder, 'a.js'), 'a'],
      [inner, new Uint8Array([98])],
    ]);
    await publish(files, folder);
    assert.equal(await readFile(inner, 'utf8'), 'b');
    assert.deepEqual((await readdir(folder)).sort(), ['a.js', 'new']);
  });

  it('leaves nothing beside where a file cannot be put in its place', async (t) => {
    const folder = await folderOf(t);
    await writeFile(join(folder, 'file'), '');
    const places = new Map([[join(folder, 'file', 'a.js'), 'a']]);
    await assert.rejects(publish(places, folder));
    assert.deepEqual(await readdir(folder), ['file']);
  });

  it('goes on side by side', async (t) => {
    const folder = await folderOf(t);
    const build = (name: string) =>
      publish(
        new Map(['a.js', 'b.js'].map((file) => [join(folder, file), name.repeat(100_000)])),
        folder,
      );
    await Promise.all(['1', '2', '3', '4'].map(build));
    assert.deepEqual((await readdir(folder)).sort(), ['a.js', 'b.js']);
    assert.match(await readFile(join(folder, 'a.js'), 'utf8'), /^(\d)\1{99999}$/);
  });
});

describe('what earlier builds left', () => {
  const MINUTE = 60_000;

  const leftAfter = async (t: TestContext, ages: Readonly<Record<string, number>>) => {
    const folder = await folderOf(t);
    const began = Date.now();
    for (const [name, age] of Object.entries(ages)) {
      await writeFile(join(folder, name), '');
      const written = new Date(began - age * MINUTE);
      await utimes(join(folder, name), written, written);
    }
    const built = new Set([join(folder, 'cli.js'), join(folder, 'dev-NEW.js')]);
    await removeLeftovers(folder, { built, inUse: /^dev-/, began });
    return (await readdir(folder)).sort();
  };

  it('goes, where no process loads it after its start', async (t) => {
    const ages = { 'cli.js': 5, 'gone.js': 5 };
    assert.deepEqual(await leftAfter(t, ages), ['cli.js']);
  });

  it('stays for an hour where a process may still load it', async (t) => {
    const ages = { 'dev-NEW.js': 90, 'dev-OLD.js': 5, 'dev-OLDER.js': 61 };
    assert.deepEqual(await leftAfter(t, ages), ['dev-NEW.js', 'dev-OLD.js']);
  });

  it('stays where another build has just written it', async (t) => {
    const ages = { 'other.js': -1 };
    assert.deepEqual(await leftAfter(t, ages), ['other.js']);
  });
});
