import assert from 'node:assert/strict';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { readRecord } from '../../src/store/records/runRecord.ts';
import { Workbench } from '../support/host/workbench.ts';
import { describeLong } from '../support/long.ts';
import { asked, askedBot, ids, recordsOf, suiteOf } from '../support/resuming.ts';

function aCase(id: string, value: string): string {
  return `  - id: ${id}\n    turns: [x]\n    assert: [{type: contains, value: ${value}}]\n`;
}

describeLong('judging again and resuming in the editor', () => {
  let folder: string;
  let suite: string;
  let workbench: Workbench;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-back-')));
    suite = join(folder, 'suite.eval.yaml');
    await writeFile(join(folder, 'bot.mjs'), askedBot());
    await writeFile(suite, suiteOf([aCase('first', 'x'), aCase('second', 'x')]));
    workbench = await Workbench.open({ folder, trusted: true });
    await workbench.window.open(suite, 6);
    await workbench.window.served(suite);
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const record = async (index: number, ended: boolean) => {
    const found = await workbench.until(
      `record ${index}`,
      async () => {
        const path = (await recordsOf(folder))[index];
        return path === undefined ? undefined : readRecord(path);
      },
      (one) => (one?.end !== undefined) === ended,
    );
    assert.ok(found);
    return found;
  };

  it('judges a conversation again after an assertion was edited, with the button next to the mark', async () => {
    await workbench.window.command('turnlight.openConversation');
    const view = await workbench.frameWith('.facts');
    await view.getByRole('button', { name: 'Run' }).click();
    await view.locator('.badge[data-status="pass"]').first().waitFor();
    await writeFile(suite, suiteOf([aCase('first', 'nothing'), aCase('second', 'x')]));
    const judge = view.getByRole('button', { name: 'Judge again' });
    await workbench.window.command(
      'turnlight.openConversation',
      pathToFileURL(suite).href,
      'first',
    );
    await judge.waitFor();
    await workbench.screenshot('judge-again');
    await judge.click();
    await view.locator('.badge[data-status="fail"]').first().waitFor();
    const { run, cases } = await record(1, true);
    assert.equal(run?.judged_from, (await record(0, true)).run?.id);
    assert.deepEqual(ids(cases), ['first']);
    assert.deepEqual(await asked(folder), ['first']);
  });

  it('resumes the unfinished cases of a killed run', async () => {
    await workbench.window.command('turnlight.runFile', pathToFileURL(suite).href);
    await record(2, true);
    const [, , path = ''] = await recordsOf(folder);
    const lines = (await readFile(path, 'utf8')).split('\n');
    await writeFile(path, `${lines.slice(0, 2).join('\n')}\n{"kind":"ca`);
    await writeFile(join(folder, 'asked.txt'), '');
    await workbench.window.command('turnlight.resume');
    const { cases, run } = await record(2, true);
    assert.deepEqual(ids(cases), ['first', 'second']);
    assert.equal(run?.resumed?.length, 1);
    assert.equal((await asked(folder)).length, 1);
    await workbench.showTests();
    await workbench.screenshot('resumed');
  });
});
