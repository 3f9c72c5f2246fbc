import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { toConversation } from '../../src/core/conversation.ts';
import type {
  FromLabeling,
  LabelingQuestion,
  LabelingSnapshot,
  ToLabeling,
} from '../../src/protocol/labelingProtocol.ts';
import { talk } from '../support/buildRun.ts';
import { launchBrowser } from '../support/host/browser.ts';
import { IMAGE, PNG } from '../support/images.ts';
import { openPage } from '../support/view/viewPage.ts';

const asked: LabelingQuestion = {
  phase: 'asking',
  title: 'refund',
  conversation: talk('Hi', 'Hello <img src=x>', 'And?', 'Done'),
  at: 12,
  total: 40,
  question: {
    at: 1,
    count: 2,
    name: 'Kind',
    stated: ['A sentence that must hold.', 'criterion: It is kind.'],
    choices: ['passed', 'failed', 'does not apply'],
    turns: [2, 4],
    said: [],
  },
  undo: true,
};

function snapshot(labeling: LabelingSnapshot, problems: string[] = []): ToLabeling {
  return { kind: 'snapshot', state: { file: 'file:///shop.eval.yaml' }, problems, labeling };
}

describe('the labeling mode', { timeout: 120_000 }, () => {
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  it('works with keys only: conversation, turn, comment, skip, undo, end', async () => {
    const view = await openPage<ToLabeling, FromLabeling>(browser, { page: 'labeling' });
    const { page } = view;
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await view.send(snapshot({ phase: 'reading' }));
    await view.send(snapshot(asked));
    await view.until("document.activeElement?.classList.contains('question')");
    assert.equal(
      await page.locator('.question').getAttribute('aria-label'),
      'Question 1 of 2: Kind A sentence that must hold. criterion: It is kind.',
    );
    assert.equal(await page.getByRole('status').first().innerText(), 'Conversation 12 of 40');
    assert.equal(await page.locator('.badge, .rationales, .assertion').count(), 0);
    await press('2', 'j', 'j', '1', 'j', '1', '9', 'c');
    await page.keyboard.type('It says 2 times s');
    await press('Enter', '3', 's', 'u');
    assert.deepEqual((await view.posted()).slice(1), [
      { kind: 'answer', choice: 1 },
      { kind: 'answer', choice: 0, turn: 2 },
      { kind: 'answer', choice: 2, comment: 'It says 2 times s' },
      { kind: 'skip' },
      { kind: 'undo' },
    ]);
    const agreement = ['openai:judge, Kind: right in 31 of 36 cases, kappa 0.62 (0.41 to 0.83)'];
    await view.send(
      snapshot({ phase: 'done', labeled: 40, total: 40, gone: false, agreement, undo: true }),
    );
    await page.getByText('right in 31 of 36').waitFor();
    await press('Tab', 'Enter');
    assert.deepEqual((await view.posted()).at(-1), { kind: 'agreement' });
    assert.deepEqual(await view.violations(), []);
    await view.close();
  });

  it("starts each conversation at its first turn, and reports turns that can't be labeled and broken lines", async () => {
    const view = await openPage<ToLabeling, FromLabeling>(browser, { page: 'labeling' });
    const { page } = view;
    const focused = () => page.evaluate<string>('document.activeElement?.dataset.turn ?? ""');
    await view.send(snapshot(asked));
    await view.until("document.activeElement?.classList.contains('question')");
    for (const key of ['j', 'j', 'j', '1']) await page.keyboard.press(key);
    await page.getByText('The judge has no verdict on turn 3.').waitFor();
    assert.equal(await focused(), '3');
    assert.equal((await view.posted()).length, 1);
    await view.send(snapshot({ ...asked, title: 'other' }, ['shop.labels/ann.jsonl:3: No JSON.']));
    await page.getByText('⚠ shop.labels/ann.jsonl:3: No JSON.').waitFor();
    assert.equal(await page.getByText('The judge has no verdict').count(), 0);
    await view.until("document.activeElement?.classList.contains('question')");
    await page.keyboard.press('j');
    assert.equal(await focused(), '1');
    await view.close();
  });

  it('shows the images of the conversation', async () => {
    const view = await openPage<ToLabeling, FromLabeling>(browser, { page: 'labeling' });
    const conversation = toConversation([
      { message: { role: 'user', content: '[image]', images: [IMAGE] } },
      { message: { role: 'assistant', content: 'A red square.' } },
    ]);
    await view.send(snapshot({ ...asked, conversation }));
    await view.page.locator('.image img').waitFor({ state: 'attached' });
    assert.deepEqual((await view.posted()).slice(1), [
      { kind: 'load-image', digest: IMAGE.digest },
    ]);
    const source = `data:image/png;base64,${PNG.toString('base64')}`;
    await view.send({ kind: 'image', digest: IMAGE.digest, source });
    await view.until("document.querySelector('.image img').naturalWidth === 400");
    assert.deepEqual(await view.violations(), []);
    await view.close();
  });
});
