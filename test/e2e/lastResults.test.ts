import assert from 'node:assert/strict';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Workbench } from '../support/host/workbench.ts';
import { recordsOf } from '../support/resuming.ts';

const SUITE = `target: {type: module, path: ./agent.mjs}
cases:
  - {id: alpha, turns: [Hi], assert: [{type: contains, value: x}]}
  - {id: beta, turns: [Hi], assert: [{type: contains, value: y}]}
  - {id: gamma, turns: [Hi], repeat: 2, assert: [{type: contains, value: x}]}
`;

const OTHER = `target: {type: module, path: ./agent.mjs}
cases:
  - {id: elsewhere, turns: [Hi], assert: [{type: contains, value: y}]}
  - {id: never-ran, turns: [Hi], assert: [{type: contains, value: y}]}
`;

/** Labels of the other file's rows start with these. */
const OF_OTHER = ['z.eval', 'elsewhere', 'never-ran'];

describe('the last results in the Testing panel', { timeout: 300_000 }, () => {
  let folder: string;
  let suite: string;
  let workbench: Workbench;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-last-')));
    suite = join(folder, 'suite.eval.yaml');
    await writeFile(join(folder, 'agent.mjs'), 'export default () => "x";\n');
    await writeFile(suite, SUITE);
    await writeFile(join(folder, 'z.eval.yaml'), OTHER);
    workbench = await Workbench.open({ folder, trusted: true });
    await workbench.window.open(suite);
    await workbench.window.served(suite);
    await workbench.showTests();
    await workbench.unfoldTests();
    await workbench.window.command('turnlight.runFile');
    await workbench.testsShow('the outcomes', 'alpha (Passed)', 'beta (Failed)', 'gamma (Passed)');
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const messages = () => workbench.editor().locator('.test-error-content-widget').allInnerTexts();

  const idsRecorded = async () => {
    const [path = ''] = await recordsOf(folder);
    const lines = (await readFile(path, 'utf8')).trim().split('\n');
    const ids = lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === 'case');
    return [...new Set(ids.map(({ id }) => id))].sort();
  };

  /** Checks that the results of all cases stay after a case is renamed, or the rename is undone. */
  async function staysAs(ids: readonly string[]) {
    const wanted = [...ids].sort().join();
    await workbench.until('the recorded results', idsRecorded, (found) => found.join() === wanted);
    const outcomes = ids.map((id) => `${id} (${id === 'beta' ? 'Failed' : 'Passed'})`);
    await workbench.testsShow('all outcomes', ...outcomes);
    // Longer than the extension waits for a record.
    await workbench.page.waitForTimeout(1_500);
    await workbench.testsShow('all outcomes', ...outcomes);
    assert.equal((await messages()).length, 1, 'the message of the other case');
    const rows = await workbench.testRows();
    assert.ok(
      !rows.some(
        (row) => row.includes('Not yet run') && !OF_OTHER.some((name) => row.includes(name)),
      ),
      rows.join(),
    );
  }

  it('stay with all cases if one is renamed, and if that is undone', async () => {
    await workbench.until('a message beside beta', messages, (texts) => texts.length === 1);
    await workbench.window.rename(suite, 2, 10, 'delta');
    await staysAs(['delta', 'beta', 'gamma']);
    await workbench.screenshot('renamed-case');
    await workbench.putCursor(suite, 1, 1);
    await workbench.press('Control+z');
    await workbench.until(
      'the old id',
      () => workbench.window.textOf(suite),
      (text) => text === SUITE,
    );
    await staysAs(['alpha', 'beta', 'gamma']);
    await workbench.window.rename(suite, 4, 10, 'repeated');
    await staysAs(['alpha', 'beta', 'repeated']);
    await workbench.unfoldTest('repeated');
    await workbench.testsShow('its repetitions', 'repeated 2/2 (Passed)');
  });

  it('return for all files after a reload, marked as outdated if the case was edited', async () => {
    await workbench.window.open(join(folder, 'z.eval.yaml'), 3, 10);
    await workbench.window.command('turnlight.runCase');
    await workbench.unfoldTest('z.eval.yaml');
    await workbench.testsShow('the outcome', 'elsewhere (Failed)');
    await workbench.window.command('workbench.action.files.saveAll');
    await workbench.window.command('workbench.action.closeAllEditors');
    const before = await readFile(suite, 'utf8');
    await writeFile(suite, before.replace('alpha, turns: [Hi]', 'alpha, turns: [Hello]'));
    await workbench.window.open(suite);
    await workbench.reload();
    await workbench.showTests();
    await workbench.unfoldTests();
    await workbench.testsShow(
      'what was shown before',
      'alpha (Passed, outdated)',
      'beta (Failed)',
      'repeated (Passed)',
      'elsewhere (Failed)',
      'never-ran (Not yet run)',
    );
    await workbench.until('a message beside beta', messages, (texts) => texts.length === 1);
    await workbench.screenshot('after-reload');
  });
});
