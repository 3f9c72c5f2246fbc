import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { conversationHash } from '../../src/node/hashes.ts';
import { appendLabels, readLabels } from '../../src/store/labels.ts';
import { buildVerdict, judgedLine } from '../support/comparing.ts';
import { THEMES } from '../support/host/themes.ts';
import { Workbench } from '../support/host/workbench.ts';
import { labeledFolder } from '../support/labeling.ts';
import { paleTexts } from '../support/view/contrast.ts';

const line = judgedLine('refund', [
  buildVerdict(0, {
    turns: [
      [2, 0],
      [4, 1],
    ],
  }),
]);

describe('labels in the real VS Code', { timeout: 600_000 }, () => {
  let folder: string;
  let suite: string;
  let workbench: Workbench;

  const view = () => workbench.frameWith('[data-page="conversation"] .people');
  const saved = async () =>
    (await readLabels(suite)).labels.map(
      ({ person, turn, status, comment }) =>
        `${person} ${turn ?? 'all'} ${status} ${comment ?? ''}`,
    );
  const becomes = (expected: readonly string[]) =>
    workbench.until('the labels', saved, (now) => now.join() === expected.join());
  const opinions = async () => (await view()).locator('.opinions').allTextContents();

  before(async () => {
    ({ folder, suite } = await labeledFolder([line]));
    workbench = await Workbench.open({ folder, trusted: true });
    await workbench.window.open(suite, 3);
    await workbench.window.command('turnlight.openConversation');
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("are added, undone, and removed with only the keyboard, in the person's file", async () => {
    const page = await view();
    await page.locator('body').click({ position: { x: 5, y: 5 } });
    await workbench.press('v', 'r');
    await becomes(['ann@example.com all fail ']);
    await workbench.press('v', 'w');
    await page.locator('.label-form').waitFor();
    await workbench.screenshot('labels-form');
    await workbench.press('Tab');
    await workbench.page.keyboard.type('It is kind');
    await workbench.press('Enter');
    await becomes(['ann@example.com all fail ', 'ann@example.com 2 pass It is kind']);
    await workbench.until(
      'both marks',
      opinions,
      (words) => words.join() === 'you: right,you: wrong',
    );
    await workbench.press('u');
    await becomes(['ann@example.com all fail ']);
    await workbench.press('Shift+V', 'Delete');
    await becomes([]);
    await workbench.press('u');
    await becomes(['ann@example.com all fail ']);
  });

  it('of other people appear when their files do', async () => {
    const said = { case: 'refund', assertion: 'Kind', at: '2026-01-01T00:00:00.000Z' };
    const hash = conversationHash(line.conversation);
    await appendLabels(suite, 'bob@example.com', [
      { ...said, status: 'pass', conversation_hash: hash, comment: 'Kind enough' },
      { ...said, status: 'fail', conversation_hash: 'f'.repeat(64), turn: 4 },
    ]);
    await workbench.until('what bob says', opinions, (words) =>
      words.includes('you: right · others: 1 wrong'),
    );
    const items = (await view()).locator('.people li');
    assert.ok(
      (await items.allTextContents()).includes(
        'bob@example.com: wrong, should be failed · the label is for an earlier version of the text',
      ),
    );
  });

  it('stay in the view if the case is renamed, and their files stay unchanged', async () => {
    await workbench.window.rename(suite, 2, 10, 'money-back');
    const shown = async () =>
      (await (await view()).locator('body').innerText()).replace(/\s+/g, ' ');
    await workbench.until('the new name', shown, (text) => text.includes('money-back'));
    await workbench.until('all labels', opinions, (words) =>
      words.includes('you: right · others: 1 wrong'),
    );
    await workbench.screenshot('labels-renamed');
    const { labels } = await readLabels(suite);
    assert.deepEqual(new Set(labels.map((one) => one.case)), new Set(['refund']));
  });

  for (const [theme, name, drawn] of THEMES) {
    it(`have enough contrast for all text in ${name}`, async () => {
      await workbench.window.configure('workbench.colorTheme', theme);
      const page = await workbench.frameWith(`body.${drawn} .people`);
      await page.locator('.turn .rationales summary').first().waitFor();
      await workbench.screenshot(`labels-${name}`);
      assert.deepEqual(await paleTexts(page), []);
    });
  }
});
