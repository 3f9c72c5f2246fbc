import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { matchingFiles, PatternError } from '../../../src/disk/glob.ts';
import { workspaceWith } from '../../support/runs.ts';

const FILES = [
  'a.json',
  'b.jsonl',
  'data/a.json',
  'data/deep/c.json',
  'data/deep/er/[x].json',
  'data/x-1.yaml',
  '.hidden/a.json',
  'data/.a.json',
  'node_modules/p/a.json',
];

describe('a pattern', () => {
  const MATCHES: Readonly<Record<string, readonly string[]>> = {
    '*.json': ['a.json'],
    '*.{json,jsonl}': ['a.json', 'b.jsonl'],
    '**/*.json': ['a.json', 'data/a.json', 'data/deep/c.json', 'data/deep/er/[x].json'],
    'data/**': ['data/a.json', 'data/deep/c.json', 'data/deep/er/[x].json', 'data/x-1.yaml'],
    'data/**/c.json': ['data/deep/c.json'],
    './data/*.json': ['data/a.json'],
    'data/*/*.json': ['data/deep/c.json'],
    'data/?-[0-9].y*ml': ['data/x-1.yaml'],
    'data/[!a-w]-*': ['data/x-1.yaml'],
    '{data/deep,.}/c.json': ['data/deep/c.json'],
    '{a,{b,c}}.json*': ['a.json', 'b.jsonl'],
    '**/.a.json': ['data/.a.json'],
    '.hidden/*': ['.hidden/a.json'],
    '*.{json': [],
    '{a}*': [],
    '**/p/a.json': [],
  };
  for (const [pattern, expected] of Object.entries(MATCHES)) {
    it(`${pattern} matches ${expected.join(', ') || 'nothing'}`, async (t) => {
      const folder = await workspaceWith(t, Object.fromEntries(FILES.map((name) => [name, ''])));
      const found = await matchingFiles([pattern], folder);
      assert.deepEqual(
        found.map((path) => relative(folder, path)),
        expected,
      );
    });
  }

  it('matches links to files, even broken ones, and no file behind a link to a folder', async (t) => {
    const folder = await workspaceWith(t, { 'data/a.json': '' });
    await symlink('a.json', join(folder, 'data/link.json'));
    await symlink('missing.json', join(folder, 'data/broken.json'));
    await symlink('data', join(folder, 'folder'));
    const found = await matchingFiles(['**/*.json'], folder);
    assert.deepEqual(
      found.map((path) => relative(folder, path)),
      ['data/a.json', 'data/broken.json', 'data/link.json'],
    );
  });

  it('matches at once even if a regular expression would take years', async (t) => {
    const folder = await workspaceWith(t, { [`${'a'.repeat(200)}.json`]: '' });
    const hard = [
      `${'*a'.repeat(90)}*b`,
      '+(a|aa)+(a|aa)b',
      `${'**/'.repeat(60)}b`,
      '*'.repeat(199),
    ];
    for (const pattern of hard) await matchingFiles([pattern], folder);
  });

  it('is refused if matching it takes too many steps', async (t) => {
    const deep = 'a/'.repeat(900);
    const folder = await workspaceWith(
      t,
      Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`${deep}${index}.json`, ''])),
    );
    const hard = `**/${'a/'.repeat(85)}{b,c,d,e,f,g,h}`;
    await assert.rejects(
      matchingFiles([hard], folder),
      /^PatternError: Matching this pattern .* too long/,
    );
    assert.equal((await matchingFiles(['**/1*.json'], folder)).length, 11);
  });

  it('is refused if it is too long, or has too many braces', async (t) => {
    const folder = await workspaceWith(t, {});
    for (const pattern of ['*'.repeat(201), '{a,b}'.repeat(25), `*${'/'.repeat(70_000)}`]) {
      await assert.rejects(matchingFiles([pattern], folder), PatternError);
    }
  });
});
