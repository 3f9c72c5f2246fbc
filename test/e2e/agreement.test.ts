import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, before, it } from 'node:test';
import { conversationHash } from '../../src/node/hashes.ts';
import { appendLabels } from '../../src/store/labels.ts';
import { buildVerdict, judgedLine } from '../support/comparing.ts';
import { THEMES } from '../support/host/themes.ts';
import { Workbench } from '../support/host/workbench.ts';
import { labeledFolder } from '../support/labeling.ts';
import { describeLong } from '../support/long.ts';
import { paleTexts } from '../support/view/contrast.ts';
import { assertSpoken } from '../support/view/spoken.ts';

const lines = Array.from({ length: 12 }, (_, id) =>
  judgedLine(
    `case-${id}`,
    [buildVerdict(id % 3 === 0 ? 0 : 1, { turns: [[4, id % 3 === 0 ? 0 : 1]] })],
    {
      said: `Reply ${id}`,
    },
  ),
);

describeLong('the agreement of judges with people in the real VS Code', () => {
  let folder: string;
  let workbench: Workbench;

  before(async () => {
    const made = await labeledFolder(lines);
    folder = made.folder;
    for (const person of ['ann@example.com', 'bob@example.com']) {
      await appendLabels(
        made.suite,
        person,
        lines.flatMap((line, id) =>
          [undefined, 4].map((turn) => ({
            case: line.id,
            assertion: 'Kind',
            ...(turn !== undefined && { turn }),
            conversation_hash: conversationHash(line.conversation),
            status:
              id % 4 === 0 || (id === 5 && person < 'b') ? ('fail' as const) : ('pass' as const),
            ...(id === 8 && { comment: 'It is curt.' }),
            at: '2026-01-01T00:00:00.000Z',
          })),
        ),
      );
    }
    workbench = await Workbench.open({ folder, trusted: true });
    await workbench.window.open(made.suite, 1);
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('leads from a row to the disputed turn with only the keyboard', async () => {
    await workbench.window.command('turnlight.showAgreement');
    const view = await workbench.frameFocusedOn('[data-page="agreement"] [data-focus="row 0"]');
    const rows = await view.locator('.wide tbody tr').allInnerTexts();
    assert.match(
      rows[1]?.replace(/\s+/g, ' ') ?? '',
      /^openai:judge Kind cases 11 0\.55 0\.25 0\.33/,
    );
    await workbench.press('ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter');
    await workbench.screenshot('agreement');
    await assertSpoken(view, [
      'table "Agreement of each judge and assertion"',
      'columnheader "Kappa"',
      'rowheader "Kind, turns, openai:judge: show confusion table and disagreements"',
      'cell "-0.04"',
      'row "Judge: failed 1 3"',
      'button "case-3, turn 4, Kind: openai:judge failed, ann@example.com: passed, bob@example.com: passed"',
    ]);
    await workbench.press('Tab', 'Enter');
    const page = await workbench.frameWith('[data-page="conversation"] .turn[data-turn="4"]');
    await workbench.until(
      'the turn',
      () => page.evaluate<string>('document.activeElement?.dataset.turn ?? ""'),
      (turn) => turn === '4',
    );
    await page.getByText('openai:judge was right in 6 of 11 labeled turns').first().waitFor();
    await workbench.screenshot('agreement-conversation');
  });

  for (const [theme, name, drawn] of THEMES) {
    it(`has enough contrast for all text in ${name}`, async () => {
      await workbench.window.configure('workbench.colorTheme', theme);
      await workbench.window.command('turnlight.showAgreement');
      const page = await workbench.frameWith(`body.${drawn} .confusion`);
      await workbench.screenshot(`agreement-${name}`);
      assert.deepEqual(await paleTexts(page), []);
    });
  }
});
