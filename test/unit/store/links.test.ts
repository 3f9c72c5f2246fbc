import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { findHome } from '../../../src/store/home.ts';
import { keptAnswers } from '../../../src/store/kept.ts';
import { recordsIn } from '../../../src/store/records/files.ts';
import { LatestRuns } from '../../../src/store/records/latest.ts';
import { renameCase } from '../../../src/store/records/renameCase.ts';
import { RecordWatch } from '../../../src/store/watchRecords.ts';
import { buildCaseLine } from '../../support/buildRun.ts';
import { botSuite, ECHO, runFiles, workspaceWith } from '../../support/runs.ts';
import { until } from '../../support/until.ts';

const FILES = {
  'bot.mjs': ECHO,
  'suite.eval.yaml': botSuite('  - {id: a, turns: [x], assert: [{type: contains, value: x}]}\n'),
};

const THEIRS = `${JSON.stringify({ key: 'a', answer: 'theirs' })}\n`;

/** A workspace in which one thing of `.turnlight` is a link to a file or folder outside. */
async function linked(t: TestContext, name: '' | 'runs' | 'kept.jsonl') {
  const outside = join(await workspaceWith(t, { 'there/kept.jsonl': THEIRS }), 'there');
  const workspace = await workspaceWith(t, FILES);
  if (name !== '') await mkdir(join(workspace, '.turnlight'));
  const target = name === 'kept.jsonl' ? join(outside, 'kept.jsonl') : outside;
  await symlink(target, join(workspace, '.turnlight', name).replace(/\/$/, ''));
  return { outside, workspace, link: join(workspace, '.turnlight', name) };
}

describe('a link that a workspace brings along', () => {
  for (const name of ['', 'runs'] as const) {
    it(`as .turnlight/${name} stops the run before anything is asked or written`, async (t) => {
      const { outside, workspace } = await linked(t, name);
      const events: string[] = [];
      const run = runFiles(t, {}, { workspace, onEvent: ({ kind }) => events.push(kind) });
      await assert.rejects(run, { name: 'UnwritableError', reason: 'in-the-way' });
      assert.deepEqual(events, []);
      assert.deepEqual(await readdir(outside), ['kept.jsonl']);
    });
  }

  it('as kept.jsonl is neither read nor appended to', async (t) => {
    const { outside, workspace, link } = await linked(t, 'kept.jsonl');
    const answers = keptAnswers({ root: workspace, kept: [workspace] }, new Scrubber());
    assert.equal(await answers.load('a'), undefined);
    await assert.rejects(answers.save('a', 'words'), {
      message: `What judges were asked once cannot be written. ${link} is a symbolic link. Remove it.`,
    });
    assert.equal(await readFile(join(outside, 'kept.jsonl'), 'utf8'), THEIRS);
  });

  it('holds no records', async (t) => {
    const elsewhere = await workspaceWith(t, {});
    const workspace = await workspaceWith(t, FILES);
    const suite = join(workspace, 'suite.eval.yaml');
    const record = join(elsewhere, 'x.jsonl');
    const text = `${JSON.stringify(buildCaseLine({ id: 'a', status: 'pass', suite }))}\n`;
    await writeFile(record, text);
    await mkdir(join(workspace, '.turnlight'));
    await symlink(elsewhere, recordsIn(workspace));
    assert.deepEqual(await new LatestRuns().find(suite, 'a'), []);
    assert.deepEqual((await renameCase({ suite, from: 'a', to: 'b' })).changed, []);
    assert.equal(await readFile(record, 'utf8'), text);
  });

  it('among the records is no record', async (t) => {
    const workspace = await workspaceWith(t, FILES);
    const suite = join(workspace, 'suite.eval.yaml');
    const text = `${JSON.stringify(buildCaseLine({ id: 'a', status: 'pass', suite }))}\n`;
    await mkdir(recordsIn(workspace), { recursive: true });
    await writeFile(join(workspace, 'x'), text);
    await symlink(join(workspace, 'x'), join(recordsIn(workspace), 'x.jsonl'));
    assert.deepEqual(await new LatestRuns().find(suite, 'a'), []);
  });

  it('as .turnlight is not watched', async (t) => {
    const { outside, workspace } = await linked(t, '');
    const told: string[] = [];
    const watch = new RecordWatch((path) => told.push(path));
    t.after(() => watch.dispose());
    const file = { path: join(workspace, 'suite.eval.yaml'), workspace };
    const { root } = findHome(file);
    await watch.add(file);
    await mkdir(join(outside, 'runs'));
    await writeFile(join(outside, 'runs/x.jsonl'), '');
    const other = await workspaceWith(t, { ...FILES, '.turnlight/runs/y.jsonl': '' });
    await watch.add({ path: join(other, 'suite.eval.yaml'), workspace: other });
    await writeFile(join(other, '.turnlight/runs/y.jsonl'), '\n');
    const seen = async () => told.some((path) => path.endsWith('y.jsonl'));
    await until('A change elsewhere', seen, Boolean);
    assert.deepEqual(
      told.filter((path) => path.startsWith(root)),
      [],
    );
  });
});
