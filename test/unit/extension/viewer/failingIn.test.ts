import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { failingIn } from '../../../../src/extension/viewer/failingIn.ts';
import { recordsIn } from '../../../../src/store/records/files.ts';
import { LatestRuns } from '../../../../src/store/records/latest.ts';
import { buildCaseLine } from '../../../support/buildRun.ts';
import { workspaceWith } from '../../../support/runs.ts';

it('the failing cases of a run follow each other as in their files, whichever finished first', async (t) => {
  const root = await workspaceWith(t, {});
  await mkdir(recordsIn(root), { recursive: true });
  const record = join(recordsIn(root), '2026.jsonl');
  const at = (suite: string, id: string, line: number, variant?: string) => {
    const range = { start: { line, character: 0 }, end: { line, character: 1 } };
    const source = { path: suite, range, hash: '0'.repeat(64) };
    return JSON.stringify(buildCaseLine({ suite, id, variant, source, status: 'fail' }));
  };
  const lines = [
    at('b.eval.yaml', 'alone', 1),
    at('a.eval.yaml', 'third', 9, 'line-10'),
    at('a.eval.yaml', 'third', 9, 'line-9'),
    at('a.eval.yaml', 'second', 5),
    at('a.eval.yaml', 'first', 1),
  ];
  await writeFile(record, `${lines.join('\n')}\n`);
  const runs = new LatestRuns();
  const begin = { suite: join(root, 'a.eval.yaml'), id: 'first', repetition: 1 };
  const first = await failingIn(runs, { record, root }, begin);
  assert.deepEqual([first?.count, first?.at], [5, 1]);
  const seen: string[] = [];
  for (let shown = first?.neighbor(1); shown && seen.length < 5; ) {
    seen.push([shown.id, ...(shown.variant === undefined ? [] : [shown.variant])].join('/'));
    shown = (await failingIn(runs, { record, root }, shown))?.neighbor(1);
  }
  assert.deepEqual(seen, ['second', 'third/line-9', 'third/line-10', 'alone', 'first']);
});
