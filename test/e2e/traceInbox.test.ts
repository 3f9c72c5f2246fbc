import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { readRecord } from '../../src/store/records/runRecord.ts';
import { THEMES } from '../support/host/themes.ts';
import { Workbench } from '../support/host/workbench.ts';
import { startModelServer } from '../support/modelServer/server.ts';
import { json } from '../support/modelServer/steps.ts';
import { recordsOf } from '../support/resuming.ts';
import { paleTexts } from '../support/view/contrast.ts';

const TRACES = join(import.meta.dirname, '../frameworks/langgraph-python/traces.jsonl');

const RATIONALE = 'It names the amount.';

/** The judge's answer. */
const MET = {
  criteria: [
    {
      ...{ criterion: 1, rationale: RATIONALE, outcome: 'met' },
      turns: [2, 4, 6].map((turn) => ({
        ...{ turn, applicable: true, rationale: RATIONALE, evidence: '', verdict: 'pass' },
      })),
    },
  ],
  rationale: RATIONALE,
};

const CRITERION = 'The assistant names the amount.';

const AGENT = 'export default () => "I refunded 40 euros.";\n';

function suiteOf(judge: string): string {
  return `judge: { provider: openai, model: judge, base_url: "${judge}" }
targets:
  agent: { type: module, path: ./agent.mjs }
target: agent
defaults:
  assert:
    - ${CRITERION}

cases:
  - id: greets
    transcript:
      - user: Hi
      - assistant: Hello
`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

describe('the trace inbox in the real VS Code', { timeout: 600_000 }, () => {
  let folder: string;
  let suite: string;
  let url: string;
  let lines: readonly string[];
  let workbench: Workbench;
  let server: Awaited<ReturnType<typeof startModelServer>>;
  let token = '';

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-inbox-')));
    suite = join(folder, 'shop.eval.yaml');
    server = await startModelServer(() => json(MET));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    await mkdir(join(folder, '.vscode'));
    await writeFile(
      join(folder, '.vscode/settings.json'),
      JSON.stringify({ 'turnlight.traces.port': port }),
    );
    await writeFile(join(folder, 'agent.mjs'), AGENT);
    await writeFile(suite, suiteOf(server.baseUrl));
    lines = (await readFile(TRACES, 'utf8')).trim().split('\n');
    workbench = await Workbench.open({ folder, trusted: true });
    await workbench.window.configure('workbench.commandPalette.history', 0);
  });

  after(async () => {
    await workbench?.close();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const input = () => workbench.page.locator('.quick-input-widget:visible');
  const rows = () =>
    workbench.page.locator('.pane-body .monaco-list-row[aria-label*="order 98765"]');

  async function pick(title: string) {
    await input().locator('input').first().waitFor();
    await workbench.page.keyboard.type(title);
    await input().locator('.monaco-list-row.focused').getByText(title).first().waitFor();
    await workbench.press('Enter');
  }

  async function command(title: string) {
    await workbench.press('F1');
    await pick(title);
  }

  async function send(line: string): Promise<number> {
    const headers = { 'content-type': 'application/json', 'x-turnlight-token': token };
    const response = await fetch(`${url}/v1/traces`, { method: 'POST', headers, body: line });
    return response.status;
  }

  const turns = (count: number) =>
    workbench.until(
      `${count} turns in the list`,
      async () => (await rows().first().getAttribute('aria-label')) ?? '',
      (label) => label.includes(`${count} turns`),
    );

  it('receives nothing until the user asks for it', async () => {
    await assert.rejects(send('{}'));
    await command('Turnlight: Receive Traces');
    await workbench.page.getByText('Waiting for conversations.').waitFor();
    await workbench.screenshot('inbox-waiting');
    await workbench.page.getByRole('button', { name: 'Open Terminal with Variables' }).click();
    await workbench.page.locator('.terminal.focus').waitFor();
    const copied = await workbench.until(
      'the variables in the terminal',
      async () => {
        await workbench.page.keyboard.type('env > variables.txt');
        await workbench.press('Enter');
        return readFile(join(folder, 'variables.txt'), 'utf8').catch(() => '');
      },
      (text) => text.includes('OTEL_EXPORTER_OTLP_HEADERS'),
    );
    await workbench.window.command('workbench.action.terminal.killAll');
    assert.ok(copied.includes(url));
    assert.equal(await send('{}'), 401);
    token = /OTLP_HEADERS=x-turnlight-token=(\w+)/.exec(copied)?.[1] ?? '';
  });

  it('shows the conversation of a LangGraph agent as it happens', async () => {
    for (const line of lines.slice(0, 17)) assert.equal(await send(line), 200);
    await turns(2);
    await rows().first().click();
    const view = await workbench.frameWith('.turn');
    await view.getByText('There are 7 lamps, and no shades.').waitFor();
    for (const line of lines.slice(17)) assert.equal(await send(line), 200);
    await turns(6);
    await view.getByText('Within three working days.').waitFor();
    await workbench.window.command('notifications.clearAll');
    await workbench.screenshot('inbox-conversation');
  });

  it('judges it with the assertions of a suite, as a recorded run', async () => {
    const view = await workbench.frameWith('.turn');
    await view.getByRole('button', { name: 'Judge' }).click();
    await pick('shop.eval.yaml');
    await workbench.until(
      'the verdict',
      () => view.locator('.top').innerText(),
      (text) => text.includes('passed'),
    );
    await workbench.screenshot('inbox-judged');
    const [path = ''] = await recordsOf(folder);
    const { cases } = await readRecord(path);
    const [line] = cases;
    assert.deepEqual(
      [cases.length, line?.id, line?.status],
      [1, 'where-is-order-98765-and-what', 'pass'],
    );
    assert.equal(await readFile(suite, 'utf8'), suiteOf(server.baseUrl));
  });

  it('saves it as a recorded case, whose verdict the editor already shows', async () => {
    const view = await workbench.frameWith('.turn');
    await view.getByRole('button', { name: 'Save as case' }).click();
    await pick('Transcript');
    await pick('shop.eval.yaml');
    await input().getByPlaceholder('No personal data found').waitFor();
    await workbench.press('Enter');
    const text = await workbench.until(
      'the case',
      async () => (await workbench.window.textOf(suite)) ?? '',
      (now) => now.includes('- id: where-is-order-98765-and-what'),
    );
    await workbench.window.evaluate(async (vscode) => void (await vscode.workspace.saveAll()));
    assert.ok(text.includes('assistant: Within three working days.'));
    assert.deepEqual(await workbench.window.problems(suite), []);
    const before = text.slice(0, text.indexOf('- user: When will I'));
    await workbench.window.open(suite, before.split('\n').length);
    await workbench.until(
      'its score',
      () => workbench.drawnText(),
      (drawn) => /✓\s*1[.,]00/.test(drawn),
    );
    await workbench.screenshot('inbox-saved');
  });

  it('saves its user turns as a live case, which runs', async () => {
    await command('Turnlight: Save Received Conversation as Case');
    await pick('Scripted turns');
    await pick('shop.eval.yaml');
    await input().getByText('Also replace names').first().click();
    await workbench.press('Enter');
    await input().getByPlaceholder('Sarah, Miller').waitFor();
    await workbench.page.keyboard.type('money');
    await workbench.press('Enter');
    await input().getByText('money → Alex').first().waitFor();
    await workbench.screenshot('inbox-replaced');
    await workbench.press('Enter');
    const id = 'where-is-order-98765-and-what-2';
    const text = await workbench.until(
      'the case',
      async () => (await workbench.window.textOf(suite)) ?? '',
      (now) => now.includes(`- id: ${id}`),
    );
    assert.ok(text.includes('      - When will I have the Alex?\n'));
    assert.deepEqual(await workbench.window.problems(suite), []);
    await workbench.window.evaluate(async (vscode) => void (await vscode.workspace.saveAll()));
    await workbench.window.command('turnlight.runCase', pathToFileURL(suite).href, id);
    const { cases } = await readRecord((await recordsOf(folder)).at(-1) ?? '');
    assert.deepEqual(
      cases.map((line) => [line.id, line.status, line.conversation.entries.length]),
      [[id, 'pass', 6]],
    );
    await workbench.screenshot('inbox-live-case');
  });

  for (const [theme, name, drawn] of THEMES) {
    it(`has enough contrast for all text in ${name}`, async () => {
      await workbench.window.command('workbench.action.closeAllEditors');
      await workbench.window.configure('workbench.colorTheme', theme);
      await rows().first().click();
      const view = await workbench.frameWith(`body.${drawn} .turn`);
      await view.locator('.top').getByText('passed').waitFor();
      await workbench.screenshot(`inbox-${name}`);
      assert.deepEqual(await paleTexts(view), []);
    });
  }

  it('covers nothing in the list if the mouse is over a row', async () => {
    await workbench.window.configure('workbench.colorTheme', undefined);
    await workbench.page.setViewportSize({ width: 620, height: 900 });
    const words = rows().first().locator('.label-description');
    const away = await words.boundingBox();
    await rows().first().hover();
    await workbench.screenshot('inbox-narrow');
    assert.deepEqual(await words.boundingBox(), away);
    assert.equal(await rows().first().locator('.action-item').count(), 0);
    await workbench.page.setViewportSize({ width: 1400, height: 900 });
  });

  it('saves it in a new eval file', async () => {
    await command('Turnlight: Save Received Conversation as Case');
    await pick('Transcript');
    await pick('New Eval File');
    await input().getByPlaceholder('No personal data found').waitFor();
    await workbench.press('Enter');
    await pick('No judge for now');
    const path = join(folder, 'evals/traces.eval.yaml');
    await workbench.until(
      'the file',
      () => workbench.window.active(),
      (editor) => editor?.path === path,
    );
    await workbench.screenshot('inbox-new-file');
    const text = await readFile(path, 'utf8');
    assert.ok(text.startsWith('defaults: { assert: [{ type: no-repeat }] }\n'));
    assert.match(text, / {2}- id: where-is-order-98765-and-what\n/);
    assert.ok(text.includes('assistant: Within three working days.'));
    assert.deepEqual(await workbench.window.problems(path), []);
    await workbench.window.command('turnlight.runFile', pathToFileURL(path).href);
    const { cases } = await readRecord((await recordsOf(folder)).at(-1) ?? '');
    assert.deepEqual(
      cases.map((line) => [line.id, line.status]),
      [['where-is-order-98765-and-what', 'pass']],
    );
  });

  it('stops with a click on the status bar', async () => {
    await workbench.page.locator('.statusbar').getByText('Receiving traces').click();
    await workbench.until(
      'no answer',
      () => send('{}').catch(() => 0),
      (status) => status === 0,
    );
    assert.equal(await rows().count(), 1);
  });

  it('shows no verdict of a conversation that was dropped', async () => {
    await rows().first().click();
    const view = await workbench.frameWith('.turn');
    await view.locator('.top').getByText('passed').waitFor();
    await command('Turnlight: Clear Received Conversations');
    await view.getByText('Turnlight no longer keeps this conversation').waitFor();
    assert.equal(await view.locator('.badge').count(), 0);
    assert.equal(await view.getByRole('button', { name: 'Judge' }).count(), 0);
    await view.getByText('Within three working days.').waitFor();
    await workbench.screenshot('inbox-dropped');
  });
});
