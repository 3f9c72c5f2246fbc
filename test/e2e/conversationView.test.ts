import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { THEMES } from '../support/host/themes.ts';
import { Workbench } from '../support/host/workbench.ts';
import { paleTexts } from '../support/view/contrast.ts';

const LONG = 'A line that goes on and on about one order and all that was done. '.repeat(30);

const turns = Array.from({ length: 40 }, (_, index) => [
  { user: `Question ${index + 1}: is it there?` },
  { assistant: index === 20 ? LONG : `Item ${index + 1} is in stock.` },
]).flat();

const call = {
  id: 'c',
  type: 'function',
  function: { name: 'find_order', arguments: '{"order":"12345"}' },
};

const SUITE = {
  name: 'Many',
  cases: [
    { id: 'large', transcript: turns, assert: [{ type: 'contains', value: 'stock', at: 'each' }] },
    {
      id: 'calls',
      transcript: [
        { role: 'user', content: 'Where is my order 98765?' },
        { role: 'assistant', content: '', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c', content: '{"status":"shipped"}' },
        { role: 'assistant', content: 'It **shipped** yesterday.' },
      ],
      assert: [
        { type: 'script', name: 'Finds the order', path: './checks.mjs', export: 'order' },
        { type: 'script', name: 'Is there', path: './checks.mjs', export: 'nothing' },
        'The assistant names the order in each reply, and never one that the user did not name.',
      ],
    },
  ],
};

const CHECKS = `export const order = () => ({
  turns: [{ turn: 2, score: 0, rationale: 'Found another order.', evidence: '"order":"12345"' }],
});
`;

describe('the conversation view in the real VS Code', { timeout: 600_000 }, () => {
  let folder: string;
  let suite: string;
  let workbench: Workbench;

  /** Opens the view of the case on a line. */
  async function open(line: number) {
    await workbench.window.open(suite, line);
    await workbench.window.command('turnlight.openConversation');
  }

  const calls = () => workbench.frameWith('[data-turn="2"] code');

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'turnlight-view-'));
    suite = join(folder, 'many.eval.yaml');
    await writeFile(join(folder, 'checks.mjs'), CHECKS);
    const cases = SUITE.cases.map((one) => `  - ${JSON.stringify(one)}\n`).join('');
    await writeFile(suite, `name: ${SUITE.name}\ncases:\n${cases}`);
    workbench = await Workbench.open({ folder, trusted: true });
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('shows a transcript that never ran, and runs it', async () => {
    await open(4);
    const view = await calls();
    assert.equal(await view.locator('.facts').textContent(), 'Not run yet');
    assert.equal(await view.locator('.turn .badge').count(), 0);
    assert.equal(await view.locator('.assertion').count(), 3);
    await workbench.screenshot('view-before-run');
    await view.getByRole('button', { name: 'Run', exact: true }).click();
    await view.locator('h1 + .badge').waitFor();
    assert.match((await view.locator('h1 + .badge').textContent()) ?? '', /errored/);
    assert.equal(await view.locator('[data-turn="2"]').getAttribute('data-status'), 'fail');
    const names = await view.locator('.assertion .name').allTextContents();
    assert.deepEqual(names, ['Finds the order', 'Is there', SUITE.cases[1]?.assert[2]]);
  });

  it('opens the tool call that a verdict quotes, and marks the quote in its arguments', async () => {
    const tool = (await calls()).locator('[data-turn="2"] details.tool');
    assert.equal(await tool.getAttribute('open'), '');
    const marks = await tool.locator('mark[data-status="fail"]').allTextContents();
    assert.equal(marks.join('').replace(/\s/g, ''), '"order":"12345"');
  });

  it("finds text with Ctrl+F instead of opening the editor's search", async () => {
    const view = await calls();
    await view.locator('[data-turn="1"]').focus();
    await workbench.press('Control+F');
    await workbench.page.keyboard.type('shipped"');
    await workbench.until(
      'the match',
      () => view.locator('.find .count').textContent(),
      (count) => count === '1 of 1',
    );
    await workbench.screenshot('view-find');
    await workbench.press('Escape');
    assert.equal(await view.evaluate('document.activeElement.dataset.turn'), '2');
  });

  it('gives a screen reader the verdict and score of each turn', async () => {
    const tree = await (await calls()).locator('main').ariaSnapshot();
    assert.match(tree, /article "Turn 2, Assistant, failed, score 0\.00"/);
    assert.match(tree, /article "Turn 1, User"/);
    assert.match(tree, /mark: "?Quoted by a verdict that fails: /);
    assert.match(tree, /link "Turn 2, Finds the order": Turn 2/);
  });

  for (const [theme, name, drawn] of THEMES) {
    it(`has enough contrast for all text in ${name}`, async () => {
      await workbench.window.configure('workbench.colorTheme', theme);
      const view = await workbench.frameWith(`body.${drawn} .turn .badge`);
      await view.locator('[data-turn="2"]').scrollIntoViewIfNeeded();
      await workbench.screenshot(`view-${name}`);
      assert.deepEqual(await paleTexts(view), []);
    });
  }

  it('can be used with only the keyboard in a narrow panel and at 200% zoom', async () => {
    await open(3);
    // The previous case was shown on the same page.
    const view = await workbench.frameWith('h1:text-is("large")');
    await view.getByRole('button', { name: 'Run', exact: true }).click();
    await view.locator('h1 + .badge').waitFor();
    await workbench.window.command('workbench.action.closeSidebar');
    for (const [width, height, name] of [
      [660, 900, 'narrow'],
      [750, 500, 'zoomed'],
    ] as const) {
      await workbench.page.setViewportSize({ width, height });
      await view.evaluate('scrollTo(0, document.body.scrollHeight)');
      await view.locator('[data-turn="80"]').focus();
      await workbench.press('n');
      await workbench.until(
        'the failing turn below the bar, and nothing to the side',
        () =>
          view.evaluate<string>(`(() => {
            const { dataset } = document.activeElement;
            const { top } = document.activeElement.getBoundingClientRect();
            const { bottom } = document.querySelector('.bar').getBoundingClientRect();
            const sideways = document.documentElement.scrollWidth > window.innerWidth;
            return [dataset.turn, top >= bottom && top < window.innerHeight / 2, sideways].join();
          })()`),
        (seen) => seen === '42,true,false',
      );
      assert.equal(await view.locator('.failures .position[aria-live]').textContent(), '1 of 1');
      await workbench.screenshot(`view-${name}`);
    }
  });
});
