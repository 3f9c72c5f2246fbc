import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { globSync } from 'tinyglobby';
import { ALONE, grouped } from '../../scripts/testGroups.ts';

const ROOT = resolve(import.meta.dirname, '../..');

describe('the groups of test files', () => {
  const files = globSync('test/{unit,server,webview,e2e}/**/*.test.ts', {
    cwd: ROOT,
    absolute: true,
  });
  const groups = grouped(files);
  const runs = groups.flatMap((path) => {
    const isGroup = basename(path).startsWith('group-');
    const imported = readFileSync(path, 'utf8').matchAll(/^import "file:\/\/(.*)";$/gm);
    return isGroup ? [...imported].map(([, one = '']) => decodeURI(one)) : [path];
  });

  it('run every file once', { skip: process.platform === 'win32' }, () => {
    assert.deepEqual(runs.sort(), files.sort());
  });

  it('leave alone what cannot share a process', () => {
    for (const name of ALONE) assert.ok(groups.includes(resolve(ROOT, name)), name);
    assert.ok(groups.length < files.length / 3, `${groups.length} processes`);
  });
});
