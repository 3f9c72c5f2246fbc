import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
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
      'Imported 1 case from log.jsonl into log.eval.yaml. 1 item omitted.',
    );
    await notice.first().waitFor();
    await workbench.screenshot('import-notice');
    assert.match(await readFile(join(folder, 'log.labels/log.jsonl'), 'utf8'), /"reward"/);
    assert.deepEqual(await workbench.window.problems(path), []);
  });

  it('is imported again into its own file, and asks first if that was edited', async () => {
    const path = join(folder, 'log.eval.yaml');
    const before = await readFile(path, 'utf8');
    const more = LOG.replace('late-order', 'lost-order');
    await writeFile(join(folder, 'log.jsonl'), `${LOG}\n${more}\n`);
    await imported();
    await workbench.until(
      'the new case',
      () => readFile(path, 'utf8'),
      (text) => text.includes('- id: lost-order'),
    );
    const left = join(folder, 'log-2.eval.yaml');
    await writeFile(left, before);
    await imported();
    const toast = workbench.page.locator('.notification-toast', {
      hasText: 'log-2.eval.yaml is from an earlier import, and not replaced. Delete?',
    });
    await toast.getByRole('button', { name: 'Delete' }).click();
    await workbench.until(
      'no file',
      async () => existsSync(left),
      (exists) => !exists,
    );
    const edited = `${before}# mine\n`;
    await writeFile(path, edited);
    await imported();
    const dialog = workbench.page.locator('.monaco-dialog-box');
    await dialog.getByText('log.eval.yaml was edited since it was imported. Replace it?').waitFor();
    await workbench.screenshot('import-edited');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    assert.equal(await readFile(path, 'utf8'), edited);
  });

  it('is imported as another file if there is a file of that name, which is kept', async () => {
    const path = join(folder, 'log.eval.yaml');
    await writeFile(path, '# mine\n');
    await imported();
    await opened(join(folder, 'log-2.eval.yaml'));
    assert.equal(await readFile(path, 'utf8'), '# mine\n');
  });

  it('in an unknown format is imported in the shape that it seems to have', async () => {
    const dialog = [
      { from: 'client', text: 'Where is my parcel?' },
      { from: 'desk', text: 'On its way.' },
    ];
    const path = join(folder, 'own.json');
    await writeFile(path, JSON.stringify({ data: [{ id: 'parcel', dialog }] }));
    await workbench.window.open(path);
    const done = workbench.window.command('turnlight.importFile');
    const notice = workbench.page.getByText(
      'The format of own.json is unknown. It seems to have messages under /data/*/dialog, with "client" as user and "desk" as assistant.',
    );
    await notice.first().waitFor();
    await workbench.screenshot('import-guess');
    await workbench.page.getByRole('button', { name: 'Import', exact: true }).click();
    await opened(join(folder, 'own.eval.yaml'));
    await done;
    assert.match(await readFile(join(folder, 'own.eval.yaml'), 'utf8'), /- id: parcel/);
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
      // The command ends only after the draft is created, so the test answers its questions first.
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
