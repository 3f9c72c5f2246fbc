import assert from 'node:assert/strict';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Workbench } from '../support/host/workbench.ts';
import { startModelServer } from '../support/modelServer/server.ts';
import { json } from '../support/modelServer/steps.ts';

const LOG = [
  {
    id: 'late-order',
    messages: [
      { role: 'user', content: 'Where is order 7?' },
      { role: 'assistant', content: 'It was shipped.' },
    ],
    reward: 1,
  },
]
  .map((line) => JSON.stringify(line))
  .join('\n');

describe('a chat log in the real VS Code', { timeout: 300_000 }, () => {
  let folder: string;
  let workbench: Workbench;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-import-')));
    await writeFile(join(folder, 'log.jsonl'), `${LOG}\n{"mess\n`);
    workbench = await Workbench.open({ folder, trusted: true });
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const imported = async () => {
    await workbench.window.command('workbench.view.explorer');
    const file = workbench.page.locator('.explorer-folders-view').getByText('log.jsonl').first();
    await file.click({ button: 'right' });
    await workbench.chooseInMenu('Import as Eval File');
  };
  const opened = (path: string) =>
    workbench.until(
      path,
      () => workbench.window.active(),
      (editor) => editor?.path === path,
    );

  it('is imported from its context menu, opens, and reports the omitted items', async () => {
    await imported();
    const path = join(folder, 'log.eval.yaml');
    await opened(path);
    assert.match(await readFile(path, 'utf8'), /- id: late-order/);
    const notice = workbench.page.getByText(
      '1 case from log.jsonl in log.eval.yaml. 2 items omitted.',
    );
    await notice.first().waitFor();
    await workbench.screenshot('import-notice');
    assert.deepEqual(await workbench.window.problems(path), []);
  });

  it('is imported as another file the second time, without overwriting the first', async () => {
    const path = join(folder, 'log.eval.yaml');
    await writeFile(path, '# mine\n');
    await imported();
    await opened(join(folder, 'log-2.eval.yaml'));
    assert.equal(await readFile(path, 'utf8'), '# mine\n');
  });

  it("isn't needed: a model drafts cases from the system prompt", async () => {
    const drafted = {
      id: 'lost-parcel',
      description: 'A parcel never came.',
      goal: 'Find out where order 98765 is.',
      persona: 'A worried customer',
      opening: 'Where is my parcel?',
      criteria: ['The assistant asks for the order number.'],
    };
    const server = await startModelServer([json({ cases: [drafted] })]);
    const input = workbench.page.locator('.quick-input-widget:visible');
    const answer = async (question: string, words: string) => {
      await input.getByText(question).first().waitFor();
      await workbench.press('ControlOrMeta+A');
      await workbench.page.keyboard.type(words);
      await workbench.press('Enter');
    };
    try {
      const prompt = join(folder, 'prompt.md');
      await writeFile(prompt, 'You are the assistant of a shop.\n');
      await workbench.window.open(prompt);
      // It ends with the draft, and is answered until then.
      const done = workbench.window.command('turnlight.generateCases');
      await input.locator('input').first().waitFor();
      await workbench.page.keyboard.type('Custom endpoint');
      await input.locator('.monaco-list-row.focused').getByText('Custom endpoint').waitFor();
      await workbench.press('Enter');
      await answer('Address of the endpoint', server.baseUrl);
      await answer("The model's name", 'draft');
      const path = join(folder, 'prompt.eval.yaml');
      await opened(path);
      await done;
      await workbench.page.getByText('1 drafted case in prompt.eval.yaml.').first().waitFor();
      await workbench.screenshot('generate-draft');
      assert.deepEqual(await workbench.window.problems(path), []);
    } finally {
      await server.close();
    }
  });
});
