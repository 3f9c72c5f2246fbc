import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { toConversation } from '../../src/core/conversation.ts';
import { storeImages } from '../../src/store/images.ts';
import { readLabels, removeLabels } from '../../src/store/labels.ts';
import { buildVerdict, judgedLine } from '../support/comparing.ts';
import { THEMES } from '../support/host/themes.ts';
import { Workbench } from '../support/host/workbench.ts';
import { IMAGE, PNG } from '../support/images.ts';
import { labeledFolder } from '../support/labeling.ts';
import { paleTexts } from '../support/view/contrast.ts';
import { assertSpoken } from '../support/view/spoken.ts';

const pictures = toConversation([
  { message: { role: 'user', content: '[image]', images: [IMAGE] } },
  { message: { role: 'assistant', content: 'One' } },
]);

const lines = [
  { ...judgedLine('sure', [buildVerdict(1)]), conversation: pictures },
  judgedLine('near', [buildVerdict(0.55, { turns: [[2, 1]] })], { said: 'Two' }),
  judgedLine('unstable', [buildVerdict(0, { unstable: true, samples: 3 })], { said: 'Three' }),
];

describe('the labeling mode in the real VS Code', { timeout: 600_000 }, () => {
  let folder: string;
  let suite: string;
  let workbench: Workbench;

  const view = () => workbench.frameWith('[data-page="labeling"] #app > *');
  const asks = async (words: string) => {
    await (await view()).getByText(words).first().waitFor();
    await workbench.frameFocusedOn('.question');
  };

  before(async () => {
    ({ folder, suite } = await labeledFolder(lines));
    await storeImages(folder, [IMAGE], new Map([[IMAGE.digest, { bytes: PNG }]]));
    workbench = await Workbench.open({ folder, trusted: true });
    await workbench.window.open(suite, 1);
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  for (const [theme, name, drawn] of THEMES) {
    it(`has enough contrast for all text in ${name}`, async () => {
      await workbench.window.configure('workbench.colorTheme', theme);
      await workbench.window.open(suite, 1);
      await workbench.window.command('turnlight.labelConversations');
      const page = await workbench.frameWith(`body.${drawn} .question`);
      await workbench.screenshot(`labeling-${name}`);
      assert.deepEqual(await paleTexts(page), []);
      await workbench.window.command('workbench.action.closeActiveEditor');
    });
  }

  it('goes through all conversations with only the keyboard, most informative first', async () => {
    await workbench.window.open(suite, 1);
    await workbench.window.command('turnlight.labelConversations');
    await asks('Conversation 1 of 3 · unstable');
    assert.equal(await (await view()).locator('.badge').count(), 0);
    const tree = await assertSpoken(await view(), [
      'status: Conversation 1 of 3',
      'group "Question 1 of 1: Kind',
      'button "passed"',
      'button "failed"',
      'article "Turn 2, Assistant"',
    ]);
    assert.doesNotMatch(tree, /score|article .*(passed|failed|errored)/);
    await workbench.press('1');
    await asks('Conversation 2 of 3 · near');
    await workbench.press('u');
    await asks('Conversation 1 of 3 · unstable');
    await workbench.press('c');
    await workbench.page.keyboard.type('Kind');
    await workbench.press('Enter', '1');
    await asks('Conversation 2 of 3 · near');
    await workbench.press('j', 'j', '2');
    await (await view()).getByText('Your labels: turn 2 failed').waitFor();
    await workbench.press('q', '1');
    await asks('Conversation 3 of 3 · sure');
    const page = await view();
    await workbench.until(
      'the image',
      () => page.evaluate<number>("document.querySelector('.image img').naturalWidth"),
      (width) => width === 400,
    );
    await workbench.screenshot('labeling-image');
    await workbench.press('1');
    await page.getByText('You labeled 3 of 3 conversations').waitFor();
    await page.getByText('openai:judge, Kind: right in 2 of 3 cases').waitFor();
    await workbench.screenshot('labeling-done');
    const { labels } = await readLabels(suite);
    assert.deepEqual(
      labels.map(({ case: id, turn, status, comment }) => [id, turn, status, comment]),
      [
        ['unstable', undefined, 'pass', 'Kind'],
        ['near', 2, 'fail', undefined],
        ['near', undefined, 'pass', undefined],
        ['sure', undefined, 'pass', undefined],
      ],
    );
    await workbench.press('Tab', 'Enter');
    await workbench.frameWith('[data-page="agreement"] tbody tr');
  });

  it('returns after a reload, without the labeled conversations', async () => {
    await workbench.window.command('workbench.action.closeAllEditors');
    await workbench.window.open(suite, 1);
    await removeLabels(suite, 'ann@example.com', ({ case: id }) => id === 'sure');
    await workbench.window.command('turnlight.labelConversations');
    await asks('Conversation 3 of 3 · sure');
    await workbench.reload();
    const page = await workbench.frameWith('[data-page="labeling"] .question');
    await page.getByText('Conversation 3 of 3 · sure').waitFor();
  });
});
