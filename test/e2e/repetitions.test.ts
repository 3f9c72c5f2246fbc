import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Workbench } from '../support/host/workbench.ts';
import { botSuite } from '../support/runs.ts';

/** The agent's second conversation about an order goes wrong. */
const BOT = `import { mkdirSync } from 'node:fs';
const first = (name) => {
  try {
    mkdirSync(new URL(name, import.meta.url));
    return true;
  } catch {
    return false;
  }
};
export default async (messages) => {
  const { content } = messages.at(-1);
  if (!content.includes('order')) return 'It is here.';
  return first('./one') || !first('./two') ? 'It is here.' : 'No idea.';
};
`;

const SUITE = botSuite(
  ['order', 'parcel', 'letter']
    .map(
      (id) =>
        `  - {id: ${id}, repeat: 3, turns: ["Where is my ${id}?"], assert: [{type: contains, value: here, name: Says where}, {type: max-turns, max: 4}]}\n`,
    )
    .join(''),
);

describe('repetitions of cases in the real VS Code', { timeout: 300_000 }, () => {
  let folder: string;
  let suite: string;
  let workbench: Workbench;

  const results = () => workbench.frameWith('[data-page="results"] .grid .body .row');

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-repetitions-')));
    suite = join(folder, 'replies.eval.yaml');
    await writeFile(suite, SUITE);
    await writeFile(join(folder, 'bot.mjs'), BOT);
    workbench = await Workbench.open({ folder, trusted: true });
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('are one row of the results, with the same counts as the list of runs and the trends', async () => {
    await workbench.clickLens('Run all', suite, 1);
    await workbench.showRuns();
    const run = await workbench.until(
      'the run as it ended',
      () => workbench.firstRun(),
      (text) => !text.includes('not finished'),
    );
    assert.match(run, /^replies\.eval\.yaml, 2 of 3 passed, 1 failed/);
    await workbench.press('Home', 'Enter');
    const table = await results();
    const tree = () => table.locator('body').ariaSnapshot();
    await workbench.until('the rows', tree, (text) =>
      text.includes('rowheader "order, failed, 2 of 3 passed, score 0.83, 0.50 to 1.00"'),
    );
    for (const line of [
      'gridcell "Says where: failed, 2 of 3 passed, score 0.67 (0.00–1.00)"',
      'rowheader "parcel, passed, 3 of 3 passed, score 1.00"',
      '2 passed, 1 failed',
    ]) {
      assert.ok((await tree()).includes(line), `${line} in\n${await tree()}`);
    }
    assert.equal(await table.locator('.body .row').count(), 3);
    await workbench.screenshot('repetitions-results');
    await table.locator('.body').getByText('order').click();
    const view = await workbench.frameWith('[data-page="conversation"] h1');
    await view.getByText('No idea.').first().waitFor();
    await workbench.screenshot('repetitions-conversation');
    await workbench.window.command('turnlight.showTrends');
    const trends = await workbench.frameWith('[data-page="trends"] table');
    await trends.getByText('3 cases, 9 conversations').first().waitFor();
    await trends.getByText('67%').first().waitFor();
    await workbench.screenshot('repetitions-trends');
  });
});
