import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, it } from 'node:test';
import { Workbench } from '../support/host/workbench.ts';
import { describeLong } from '../support/long.ts';
import { type ModelServer, startModelServer } from '../support/modelServer/server.ts';
import { json } from '../support/modelServer/steps.ts';

const EXAMPLE = resolve(import.meta.dirname, '../../examples/next-step');
const BETTER = 'The assistant says who does what next, and by when.';

describeLong('improving a judge in the editor', () => {
  let folder: string;
  let suite: string;
  let server: ModelServer;
  let workbench: Workbench;

  before(async () => {
    server = await startModelServer((body) => {
      if (body.response_format?.json_schema?.name === 'rewrite') {
        return json({ why: 'People want a day.', words: BETTER });
      }
      const text = body.messages.map(({ content }) => content).join('\n');
      const block = /=== CONVERSATION ===\n([\s\S]*?)=== END OF/.exec(text)?.[1] ?? '';
      const isMet = !text.includes(BETTER) || /day|tomorrow|sent|unlocked/.test(block);
      const verdict = isMet ? 'pass' : 'fail';
      const turn = { turn: 2, applicable: true, rationale: 'r', evidence: '', verdict };
      const outcome = isMet ? 'met' : 'not-met';
      const one = { criterion: 1, turns: [turn], rationale: 'As it says.', outcome };
      return json({ criteria: [one], rationale: 'r' });
    });
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-improve-')));
    await cp(EXAMPLE, folder, { recursive: true });
    suite = join(folder, 'next-step.eval.yaml');
    const text = (await readFile(suite, 'utf8'))
      .replace('provider: replay', 'provider: openai')
      .replace('path: ./recordings/judge.jsonl', `base_url: "${server.baseUrl}"`)
      .replace('      examples: labels\n', '');
    await writeFile(suite, text);
    workbench = await Workbench.open({ folder, trusted: true });
    await workbench.window.open(suite, 24);
    await workbench.window.served(suite);
  });

  after(async () => {
    await workbench?.close();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('shows the change with the agreement of both wordings, and changes nothing before it is applied', async () => {
    const { page } = workbench;
    const before = await readFile(suite, 'utf8');
    const done = workbench.window.command('turnlight.improveJudge');
    await page.getByRole('option', { name: "the judge's own model" }).waitFor();
    await page.keyboard.press('Enter');
    const apply = page.getByRole('button', { name: 'Apply', exact: true });
    await apply.waitFor();
    await page
      .locator('.monaco-diff-editor')
      .getByText(/who\sdoes\swhat\snext/)
      .first()
      .waitFor();
    await workbench.screenshot('improve-judge');
    assert.equal(await readFile(suite, 'utf8'), before);
    const tab = page.getByRole('tab', {
      name: /original: \d of 6 right.*rewritten: \d of 6 right/,
    });
    assert.equal(await tab.count(), 1);
    await apply.click();
    await done;
    await workbench.until(
      'the rewritten question',
      async () => (await page.locator('.editor.original .view-lines').textContent()) ?? '',
      (shown) => shown.replace(/\u00a0/g, ' ').includes('who does what next'),
    );
  });
});
