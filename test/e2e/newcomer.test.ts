import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { runForeignFile } from '../support/host/foreignHost.ts';
import { Workbench } from '../support/host/workbench.ts';
import { startModelServer } from '../support/modelServer/server.ts';
import { json } from '../support/modelServer/steps.ts';

const CASE = `cases:
  - id: greets
    transcript:
      - user: Hi
      - assistant: Hello
    assert: [The assistant greets.]
`;

const GREETING = `judge: openai:gpt-5-mini
${CASE}`;

const MET = { criterion: 1, rationale: 'It does.', outcome: 'met' };

const passing = (turn: number) => ({
  turn,
  applicable: true,
  rationale: 'It does.',
  evidence: '',
  verdict: 'pass',
});

/** Commands available in an empty folder, in VS Code's order. */
const COMMANDS = [
  'Import as Eval File',
  'New Eval File',
  'Open an Example',
  'Open Documentation',
  'Open Run File…',
  'Receive Traces',
  'Set API Key…',
  'Show Log',
  'Talk to Target',
  'Unset API Key…',
];

describe('a newcomer in the real VS Code', { timeout: 900_000 }, () => {
  let folder: string;
  let workbench: Workbench;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-new-')));
    workbench = await Workbench.open({ folder, trusted: true });
  });

  // All tests use the same window, but start with an empty folder and create differently named files.
  afterEach(async () => {
    await workbench.window.command('workbench.action.closeQuickOpen');
    await workbench.window.command('workbench.action.files.revert');
    await workbench.window.command('workbench.action.closeAllEditors');
    await workbench.window.command('notifications.clearAll');
    const names = await readdir(folder);
    await Promise.all(names.map((name) => rm(join(folder, name), { recursive: true })));
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const input = () => workbench.page.locator('.quick-input-widget:visible');

  async function command(title: string) {
    await workbench.press('F1');
    await input().locator('input').first().waitFor();
    await pick(title);
  }

  /** Types a title, and presses Enter when the matching item is focused. */
  async function pick(title: string) {
    await workbench.page.keyboard.type(title);
    await input().locator('.monaco-list-row.focused').getByText(title).waitFor();
    await workbench.press('Enter');
  }

  /** Presses Enter when the question is shown. */
  async function accept(question: string) {
    await input().getByText(question).waitFor();
    await workbench.screenshot(`new-${question.replaceAll(/\W+/g, '-')}`);
    await workbench.press('Enter');
    await input().getByText(question).waitFor({ state: 'hidden' });
  }

  /** Runs the only case of a file that is about to open. */
  async function runCaseOf(path: string) {
    await workbench.until(
      'the file',
      () => workbench.window.active(),
      (editor) => editor?.path === path,
    );
    const text = (await workbench.window.textOf(path)) ?? '';
    const above = text.slice(0, text.indexOf('- id:'));
    await workbench.clickLens('Run', path, above.split('\n').length);
  }

  /** Waits until the given number of lines show a full score. */
  async function score(lines: number) {
    await workbench.until(
      `full marks at ${lines} lines`,
      () => workbench.drawnText(),
      (text) => (text.match(/✓\s*1[.,]00/g) ?? []).length === lines,
    );
  }

  it('finds only the commands that work in an empty folder', async () => {
    // Commands used by earlier tests would be listed first.
    await workbench.window.configure('workbench.commandPalette.history', 0);
    await workbench.press('F1');
    await input().locator('input').first().waitFor();
    await workbench.page.keyboard.type('Turnlight:');
    await workbench.until(
      'the commands',
      () => input().locator('.monaco-list-row .label-name').allTextContents(),
      (titles) => titles.join() === COMMANDS.map((one) => `Turnlight: ${one}`).join(),
    );
    await workbench.screenshot('palette');
  });

  it('opens an example from the empty Testing view, and shows the result of its run in the status bar', async () => {
    await workbench.page.getByRole('tab', { name: 'Testing' }).click();
    await workbench.page.getByRole('button', { name: 'New Eval File' }).waitFor();
    await workbench.screenshot('testing-empty');
    await workbench.page.getByRole('button', { name: 'Open an Example' }).click();
    const path = join(folder, 'turnlight-example/shopfast.eval.yaml');
    await workbench.until(
      'the example',
      () => workbench.window.active(),
      (editor) => editor?.path === path,
    );
    await workbench.clickLens('Run all', path, 1);
    await workbench.page
      .locator('.statusbar-item')
      .getByText('Evals 2 failed, 1 passed')
      .waitFor({ timeout: 60_000 });
    await workbench.screenshot('status-bar');
  });

  it('gets from an empty folder to a verdict in three steps, without a key', async () => {
    await command('Turnlight: New Eval File');
    await accept('(1 of 3)');
    await accept('(2 of 3)');
    await accept('(3 of 3)');
    await runCaseOf(join(folder, 'evals/support.eval.yaml'));
    await score(2);
    await workbench.screenshot('new-verdict');
  });

  it('gets a verdict from a live judge at a custom endpoint', async (t) => {
    const server = await startModelServer([
      json({ criteria: [{ ...MET, turns: [2, 4].map(passing) }], rationale: 'It does.' }),
    ]);
    t.after(() => server.close());
    await command('Turnlight: New Eval File');
    await input().getByText('(1 of 3)').waitFor();
    await workbench.press('Control+A');
    await workbench.page.keyboard.type('./live');
    await input().getByText('Saved as live.eval.yaml').waitFor();
    await workbench.press('Enter');
    await accept('(2 of 3)');
    await input().getByText('(3 of 3)').waitFor();
    await pick('Custom endpoint');
    await input().getByText('Address of the endpoint').waitFor();
    await workbench.press('Control+A');
    await workbench.page.keyboard.type(server.baseUrl);
    await workbench.press('Enter');
    await input().getByText("The model's name at the endpoint").waitFor();
    await workbench.page.keyboard.type('my-model');
    await workbench.press('Enter');
    await runCaseOf(join(folder, 'live.eval.yaml'));
    await workbench.page.locator('.statusbar-item').getByText('Evals 1 passed').waitFor();
    await score(2);
    await workbench.screenshot('new-live');
    assert.deepEqual(
      server.requests.map(({ body }) => body.model),
      ['my-model'],
    );
  });

  it('lets the user select a judge if a file has none, and judges again', async (t) => {
    const server = await startModelServer([
      json({ criteria: [{ ...MET, turns: [2].map(passing) }], rationale: 'It does.' }),
    ]);
    t.after(() => server.close());
    const path = join(folder, 'unjudged.eval.yaml');
    await writeFile(path, CASE);
    await workbench.clickLens('Run all', path, 1);
    const notice = workbench.page.locator('.notification-toast', {
      hasText: 'unjudged.eval.yaml has no judge for its criteria.',
    });
    await notice.getByText('Select a Judge').waitFor();
    await workbench.screenshot('no-judge');
    await notice.getByText('Select a Judge').click();
    await input().locator('input').first().waitFor();
    await pick('Custom endpoint');
    await input().getByText('Address of the endpoint').waitFor();
    await workbench.press('Control+A');
    await workbench.page.keyboard.type(server.baseUrl);
    await workbench.press('Enter');
    await input().getByText("The model's name at the endpoint").waitFor();
    await workbench.page.keyboard.type('my-model');
    await workbench.press('Enter');
    await score(1);
    assert.ok((await readFile(path, 'utf8')).includes('  model: my-model\n'));
  });

  it("offers the editor's own model if a judge has no key, and judges with it", async () => {
    await offerModel();
    const path = join(folder, 'offered.eval.yaml');
    await writeFile(path, GREETING);
    await workbench.clickLens('Run all', path, 1);
    const notice = workbench.page.locator('.notification-toast', {
      hasText: 'openai:gpt-5-mini needs the key OPENAI_API_KEY',
    });
    await notice.getByText('Set Key').waitFor();
    await workbench.screenshot('no-key');
    await notice.getByText("Use the Editor's Model").click();
    const consent = workbench.page.locator('.monaco-dialog-box');
    await consent.getByText('Turnlight').first().waitFor();
    await workbench.screenshot('consent');
    await consent.getByRole('button', { name: 'Allow' }).click();
    await score(1);
    assert.equal(
      await readFile(path, 'utf8'),
      GREETING.replace('openai:gpt-5-mini', 'vscode:turnlight-test/judge'),
    );
  });

  it("completes the names of the editor's own models", async () => {
    await offerModel();
    const path = join(folder, 'completed.eval.yaml');
    await writeFile(path, GREETING);
    await workbench.window.open(path);
    await workbench.window.served(path);
    const rest = GREETING.slice(GREETING.indexOf('\n'));
    await workbench.window.write(path, `judge: ${rest}`, 'judge: '.length);
    await workbench.page.locator('.editor-instance .monaco-editor.focused').waitFor();
    await workbench.page.keyboard.type('vs', { delay: 30 });
    const widget = workbench.page.locator('.suggest-widget.visible');
    await widget.getByText('vscode:turnlight-test/judge').first().waitFor();
    await workbench.screenshot('editor-models');
  });

  it('asks for the key of a judge that only an assertion names, hides it, and reports the result', async () => {
    const path = join(folder, 'keyless.eval.yaml');
    const judged = '[{type: criterion, criterion: It greets., judge: "openai:gpt-5-mini"}]';
    await writeFile(
      path,
      GREETING.slice(GREETING.indexOf('\n') + 1).replace('[The assistant greets.]', judged),
    );
    await workbench.clickLens('Run all', path, 1);
    const notice = workbench.page.locator('.notification-toast', { hasText: 'needs the key' });
    await notice.getByText('Set Key').click();
    const box = input().locator('input').first();
    await input().getByText('Turnlight: OPENAI_API_KEY').waitFor();
    assert.equal(await box.getAttribute('type'), 'password');
    await workbench.screenshot('set-key');
    await workbench.page.keyboard.type('not-a-key');
    await workbench.press('Enter');
    await workbench.page
      .locator('.notification-toast')
      .getByText(/OPENAI_API_KEY (is set|was refused)|refused/)
      .first()
      .waitFor();
    await workbench.screenshot('key-tried');
  });

  it('proposes the keys that the open file needs, or that the files using an open judge prompt need', async () => {
    const [path, prompt] = [join(folder, 'needed.eval.yaml'), join(folder, 'tone.md')];
    await writeFile(prompt, 'Is the reply polite?\n');
    const models = 'models: {own: {provider: openai, model: m, api_key_env: MY_OWN_KEY}}\n';
    const asked = '[{type: llm-judge, prompt: ./tone.md}]';
    const text = CASE.replace('[The assistant greets.]', asked);
    await writeFile(path, `${models}judge: own\n${text}`);
    for (const file of [path, prompt]) {
      await workbench.window.open(file);
      await command('Turnlight: Set API Key…');
      await input().getByText('not set, needed by openai:m').waitFor();
      await workbench.screenshot('needed-keys');
      await workbench.press('Enter');
      await input().getByText('Turnlight: MY_OWN_KEY').waitFor();
      await workbench.press('Escape');
    }
  });

  let isOffered = false;

  /** Registers a language model whose answers pass every greeting criterion. */
  async function offerModel() {
    if (isOffered) return;
    isOffered = true;
    await workbench.window.evaluate(
      (vscode, criterion, turn, askFirst) => {
        vscode.lm.registerLanguageModelChatProvider('turnlight-test', {
          provideLanguageModelChatInformation: () => [
            {
              id: 'judge-1',
              name: 'Test judge',
              family: 'judge',
              version: '1',
              maxInputTokens: 100_000,
              maxOutputTokens: 10_000,
              capabilities: { toolCalling: true },
              ...askFirst,
            },
          ],
          async provideLanguageModelChatResponse(_model, _messages, { tools = [] }, progress) {
            const answer = { criteria: [{ ...criterion, turns: [turn] }], rationale: 'It does.' };
            for (const { name } of tools) {
              progress.report(new vscode.LanguageModelToolCallPart('1', name, answer));
            }
          },
          provideTokenCount: async (_model, text) => JSON.stringify(text).length,
        });
      },
      MET,
      passing(2),
      // This option is part of a proposed API.
      { requiresAuthorization: { label: 'A tester' } },
    );
  }

  it('asks once before a key is sent to a host that the file names', async () => {
    const host = '0.0.0.0:2';
    const { sent, questions } = await runForeignFile(workbench, folder, host);
    assert.deepEqual(sent, [false, true, true]);
    assert.equal(questions, 0);
  });

  it('refuses an existing name, and shows the resulting name', async () => {
    await writeFile(join(folder, 'taken.eval.yaml'), 'cases: []\n');
    await command('Turnlight: New Eval File');
    await input().getByText('(1 of 3)').waitFor();
    await workbench.press('Control+A');
    await workbench.page.keyboard.type('./taken');
    await input().getByText('taken.eval.yaml already exists').waitFor();
    await workbench.page.keyboard.type('-not');
    await input().getByText('Saved as taken-not.eval.yaml').waitFor();
  });

  it('writes nothing through a link that leads out of the workspace', async (t) => {
    const outside = await mkdtemp(join(tmpdir(), 'turnlight-outside-'));
    t.after(() => rm(outside, { recursive: true }));
    await symlink(outside, join(folder, 'elsewhere'));
    await command('Turnlight: New Eval File');
    await input().getByText('(1 of 3)').waitFor();
    await workbench.press('Control+A');
    await workbench.page.keyboard.type('elsewhere/mine');
    for (const step of ['(1 of 3)', '(2 of 3)', '(3 of 3)']) await accept(step);
    const notice = workbench.page.locator('.notification-toast', { hasText: 'points outside' });
    await notice.waitFor();
    await workbench.screenshot('link-out');
    assert.deepEqual(await readdir(outside), []);
  });

  it('renames a YAML file that looks like an eval file if the offer is accepted', async () => {
    const text =
      'cases:\n  - id: a\n    transcript: [{user: Hi}, {assistant: Hello}]\n    assert: [{type: contains, value: Hello}]\n';
    const path = join(folder, 'support.yaml');
    await writeFile(path, text);
    await workbench.window.open(path);
    const notice = workbench.page.locator('.notification-toast', { hasText: 'looks like' });
    await workbench.screenshot('rename-offer');
    await notice.getByText('Rename', { exact: true }).click();
    const renamed = join(folder, 'support.eval.yaml');
    await workbench.until(
      'the renamed file',
      () => workbench.window.active(),
      (editor) => editor?.path === renamed,
    );
    assert.equal(await readFile(renamed, 'utf8'), text);
    await workbench.window.served(renamed);
  });
});
