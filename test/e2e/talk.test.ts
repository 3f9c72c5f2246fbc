import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { THEMES } from '../support/host/themes.ts';
import { Workbench } from '../support/host/workbench.ts';
import { answerJson, startService } from '../support/service.ts';
import { paleTexts } from '../support/view/contrast.ts';

/** Replies with the number of messages, and calls a tool. */
const AGENT = `import { writeFileSync } from 'node:fs';
writeFileSync('pid', String(process.pid));
export default async function (messages) {
  const { content } = messages.at(-1);
  if (content === 'crash') throw new Error('The database is gone.');
  if (content === 'wait') await new Promise((resolve) => setTimeout(resolve, 600_000));
  const call = { id: 'c', type: 'function', function: { name: 'find_order', arguments: '{"order":98765}' } };
  return [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c', content: '{"status":"shipped"}' },
    { role: 'assistant', content: 'Message ' + messages.length + ': **order 98765** was shipped.' },
  ];
}
`;

const SUITE = `targets:
  shop: { type: module, path: ./agent.mjs }
target: shop

cases:
  - id: greets
    history:
      - user: Hello
      - assistant: Welcome to the shop.
    turns: [Where is order 98765?]
    assert: [{ type: contains, value: shipped }]
`;

describe('talking to a target in the real VS Code', { timeout: 600_000 }, () => {
  let folder: string;
  let workbench: Workbench;
  let url: string;
  let stopService: () => Promise<void>;

  before(async () => {
    const stopped = {
      after: (end: () => Promise<void>) => {
        stopService = end;
      },
    };
    const reply = (_request: unknown, response: ServerResponse) =>
      answerJson(response, { content: 'Order 98765 was shipped.' });
    ({ url } = await startService(stopped, reply));
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-talk-')));
    workbench = await Workbench.open({ folder, trusted: true });
  });

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
    await stopService?.();
    await rm(folder, { recursive: true, force: true });
  });

  const input = () => workbench.page.locator('.quick-input-widget:visible');

  /** Types into the question that is shown, and presses Enter. */
  async function answer(question: string, typed?: string) {
    await input().getByText(question).first().waitFor();
    if (typed !== undefined) await workbench.page.keyboard.type(typed);
    await workbench.screenshot(`talk-${question.replaceAll(/\W+/g, '-').slice(0, 40)}`);
    await workbench.press('Enter');
    await input().getByText(question).first().waitFor({ state: 'hidden' });
  }

  async function say(text: string, reply: string) {
    const view = await workbench.frameFocusedOn('.message');
    await workbench.page.keyboard.type(text);
    await workbench.press('Enter');
    await view.locator('.turn.user').getByText(text).last().waitFor();
    await view.getByRole('button', { name: 'Send' }).waitFor();
    await view.getByText(reply).last().waitFor();
    return view;
  }

  it('gets from an empty folder to a judged case in eight actions', async () => {
    // 1. The command.
    await openPicker();
    // 2. The address of the running agent.
    await workbench.page.keyboard.type(url);
    await input().locator('.monaco-list-row.focused').getByText('HTTP service').waitFor();
    await workbench.screenshot('talk-target');
    await workbench.press('Enter');
    // 3. A message.
    await say('Where is my order 98765?', 'was shipped');
    // 4. An assertion.
    await workbench.press('Escape');
    await workbench.frameFocusedOn('[data-turn="2"]');
    await workbench.press('a');
    // 5. Its type.
    await input().getByPlaceholder('Select what to check').waitFor();
    await workbench.page.keyboard.type('contains');
    await input().locator('.monaco-list-row.focused').getByText('contains').first().waitFor();
    await workbench.screenshot('talk-assertion-types');
    await workbench.press('Enter');
    // 6. Its keys.
    await input().getByText('The replies contain').waitFor();
    await workbench.press('Control+A');
    await workbench.page.keyboard.type('{ type: contains, value: "98765" }');
    await workbench.screenshot('talk-assertion');
    await workbench.press('Enter');
    const view = await workbench.frameWith('.message');
    await view.getByText('{ type: contains, value: "98765" }').waitFor();
    await workbench.screenshot('talk-checked');
    // 7. Save.
    await workbench.frameFocusedOn('.turn, .turn *');
    await workbench.press('s');
    const path = join(folder, 'agent.eval.yaml');
    await workbench.until(
      'the file',
      () => workbench.window.active(),
      (editor) => editor?.path === path,
    );
    await workbench.screenshot('talk-saved');
    // 8. Run.
    await workbench.clickLens('Run', path, 8);
    await workbench.page.locator('.statusbar-item').getByText('Evals 1 passed').waitFor();
    await workbench.screenshot('talk-judged');
    assert.equal(
      await readFile(path, 'utf8'),
      `targets:
  agent:
    type: http
    url: ${url}
target: agent

cases:
  - id: where-is-my-order-98765
    turns:
      - user: Where is my order 98765?
        assert:
          - type: contains
            value: "98765"
`,
    );
  });

  async function openPicker() {
    await workbench.press('F1');
    await input().locator('input').first().waitFor();
    await workbench.page.keyboard.type('Turnlight: Talk to Target');
    await input().locator('.monaco-list-row.focused').getByText('Talk to Target').waitFor();
    await workbench.press('Enter');
    await input()
      .getByPlaceholder(/localhost/)
      .waitFor();
  }

  async function talkTo(target: string) {
    await openPicker();
    await workbench.page.keyboard.type(target);
    await input().locator('.monaco-list-row.focused').getByText(target).waitFor();
    await workbench.press('Enter');
  }

  it('adapts a typed address to its service, and saves how', async (t) => {
    const { url: address } = await startService(t, ({ body }, response) => {
      const { message, session_id: session } = body as Record<string, unknown>;
      if (message && session) return answerJson(response, { reply: `You said: ${message}` });
      const detail = ['message', 'session_id'].map((name) => ({
        ...{ type: 'missing', loc: ['body', name], msg: 'Field required' },
      }));
      response.writeHead(422, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ detail }));
    });
    await talkTo(address);
    const view = await say('Where is it?', 'You said: Where is it?');
    await view.getByText('reply: /reply').waitFor();
    await workbench.screenshot('talk-adapted');
    await workbench.press('Escape');
    await workbench.frameFocusedOn('[data-turn="2"]');
    await workbench.press('s');
    const path = join(folder, 'agent.eval.yaml');
    await workbench.until(
      'the file',
      () => workbench.window.active(),
      (editor) => editor?.path === path,
    );
    const text = await readFile(path, 'utf8');
    assert.match(text, /session_id: "\{\{session\}\}"\n {4}reply: \/reply\n/);
  });

  it('asks whether to pass a key that a typed program lacks', async () => {
    const program = `if (!process.env.SHOP_API_KEY) {
  console.error('Set SHOP_API_KEY.');
  process.exit(1);
}
for await (const _ of process.stdin) console.log(JSON.stringify({ content: 'The key is set.' }));
`;
    await writeFile(join(folder, 'program.mjs'), program);
    await talkTo('node program.mjs');
    const view = await workbench.frameFocusedOn('.message');
    await workbench.page.keyboard.type('Hi');
    await workbench.press('Enter');
    await view.getByText('Set SHOP_API_KEY.').waitFor();
    await answer("Programs don't get keys and tokens");
    await view.getByText('pass_env: [SHOP_API_KEY]').waitFor();
    assert.equal(await view.getByText('Set SHOP_API_KEY.').count(), 0);
    assert.equal(await view.locator('.message').inputValue(), 'Hi');
  });

  it("offers the folder's own programs, to start with its virtual environment", async () => {
    const packages = join(folder, '.venv/lib/python3.11/site-packages/uvicorn');
    await mkdir(packages, { recursive: true });
    await mkdir(join(folder, '.venv/bin'));
    await mkdir(join(folder, 'env/lib/site-packages'), { recursive: true });
    const files = ['.venv/bin/python', 'env/lib/site-packages/app.py', 'main.py'];
    for (const path of [...files, join(packages, 'main.py')]) {
      await writeFile(resolve(folder, path), '');
    }
    await openPicker();
    await input().getByText('program, started with .venv/bin/python').first().waitFor();
    assert.equal(await input().locator('.monaco-list-row:visible').count(), 1);
    await workbench.screenshot('talk-programs');
  });

  it('starts from a case, branches, marks replies, and saves them in its file', async () => {
    const path = join(folder, 'shop.eval.yaml');
    await writeFile(join(folder, 'agent.mjs'), AGENT);
    await writeFile(path, SUITE);
    await workbench.clickLens('Talk', path, 6);
    let view = await workbench.frameFocusedOn('.message');
    await view.getByText('From greets in shop.eval.yaml').waitFor();
    await say('Where is order 98765?', 'Message 3');
    await say('And when?', 'Message 7');
    const pid = Number(await readFile(join(folder, 'pid'), 'utf8'));
    for (const [theme, name, drawn] of THEMES) {
      await workbench.window.configure('workbench.colorTheme', theme);
      const page = await workbench.frameWith(`body.${drawn} .message`);
      assert.deepEqual(await paleTexts(page), []);
      await workbench.screenshot(`talk-${name}`);
    }
    await workbench.window.configure('workbench.colorTheme', undefined);
    await workbench.page.setViewportSize({ width: 660, height: 900 });
    await workbench.screenshot('talk-narrow');
    await workbench.page.setViewportSize({ width: 1400, height: 900 });
    view = await workbench.frameFocusedOn('.message');
    await workbench.press('ArrowUp');
    await view.getByText('Editing turn 5.').waitFor();
    await view.locator('.message').fill('');
    await say('And where?', 'Message 7');
    assert.equal(await view.getByText('And when?').count(), 0);
    assert.throws(() => process.kill(pid, 0));
    await workbench.press('Escape');
    await workbench.frameFocusedOn('[data-turn="6"]');
    await workbench.press('b');
    await view.getByRole('button', { name: 'Branch 1 of 2: turn 5' }).waitFor();
    await view.getByText('And when?').waitFor();
    await workbench.screenshot('talk-branch');
    await workbench.press('b');
    await view.getByText('And where?').waitFor();
    await workbench.press('w');
    await answer('What should it have done?', 'Names the town.');
    await workbench.frameFocusedOn('.turn, .turn *');
    await workbench.press('k', 'k', 'r');
    await answer('What makes it right?');
    await view.getByText('Names the town.').waitFor();
    await workbench.frameFocusedOn('.turn, .turn *');
    await workbench.press('s');
    await input().getByPlaceholder('Select the eval file').waitFor();
    await workbench.screenshot('talk-files');
    await workbench.press('Enter');
    await answer('Id of the case', 'town');
    await workbench.until(
      'the new case',
      () => workbench.window.textOf(path),
      (text) => text?.includes('- id: town') ?? false,
    );
    await workbench.screenshot('talk-added');
    const text = (await workbench.window.textOf(path)) ?? '';
    assert.equal(
      text.slice(SUITE.length),
      `
  - id: town
    history:
      - user: Hello
      - assistant: Welcome to the shop.
    turns:
      - user: Where is order 98765?
        expected: "Message 3: **order 98765** was shipped."
      - user: And where?
        assert:
          - Names the town.
`,
    );
  });

  it('shows errors, cancels slow replies, and ends the process with the page', async () => {
    const path = join(folder, 'shop.eval.yaml');
    await writeFile(join(folder, 'agent.mjs'), AGENT);
    await writeFile(path, SUITE);
    await workbench.clickLens('Talk', path, 2);
    const view = await workbench.frameFocusedOn('.message');
    await workbench.page.keyboard.type('crash');
    await workbench.press('Enter');
    await view.getByText('The database is gone.').waitFor();
    await workbench.screenshot('talk-error');
    await view.locator('.message').fill('');
    await workbench.page.keyboard.type('wait');
    await workbench.press('Enter');
    await view.getByRole('status').getByText('Replying …').waitFor();
    await workbench.screenshot('talk-replying');
    await workbench.press('Escape');
    await view.getByText('Cancelled. Your message is below.').waitFor();
    await view.locator('.message').fill('');
    await say('Better?', 'Message 1');
    const pid = Number(await readFile(join(folder, 'pid'), 'utf8'));
    assert.ok(process.kill(pid, 0));
    await workbench.window.command('workbench.action.closeAllEditors');
    const isAlive = () => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    await workbench.until(
      'the end of the process',
      async () => isAlive(),
      (alive) => !alive,
    );
  });

  it('shows the text of a conversation that ended because the window was reloaded', async () => {
    const path = join(folder, 'shop.eval.yaml');
    await writeFile(join(folder, 'agent.mjs'), AGENT);
    await writeFile(path, SUITE);
    await workbench.clickLens('Talk', path, 2);
    await workbench.frameFocusedOn('.message');
    await say('Where is it?', 'Message 1');
    await workbench.reload();
    const view = await workbench.frameWith('.turn');
    await view.getByText('This conversation ended when the window was reloaded.').waitFor();
    await view.getByText('Message 1').waitFor();
    assert.equal(await view.locator('.message').count(), 0);
    await workbench.screenshot('talk-ended');
  });
});
