import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import type { FromTalk, TalkSnapshot, ToTalk } from '../../src/protocol/talkProtocol.ts';
import { talk } from '../support/buildRun.ts';
import { launchBrowser } from '../support/host/browser.ts';
import { openPage } from '../support/view/viewPage.ts';

const talking = (given: Partial<TalkSnapshot> = {}): ToTalk => ({
  kind: 'snapshot',
  talk: {
    target: 'agent',
    about: 'agent.eval.yaml',
    conversation: { entries: [], notes: [] },
    isReplying: false,
    checks: [],
    branches: [],
    ...given,
  },
});

describe('the page to talk to a target', { timeout: 120_000 }, () => {
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  async function open(kept?: unknown) {
    const view = await openPage<ToTalk, FromTalk>(browser, { page: 'talk', kept });
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await view.page.keyboard.press(key);
    };
    const message = view.page.getByRole('textbox', { name: 'Message' });
    const sent = async () => (await view.posted()).slice(1);
    const focused = () => view.page.evaluate<string>('document.activeElement.dataset.focus');
    return { view, page: view.page, press, message, sent, focused };
  }

  it('works with keys only: send, cancel, branch, mark, assert, save', async () => {
    const { view, page, press, message, sent, focused } = await open();
    await view.send(talking());
    await view.until("document.activeElement?.matches('textarea')");
    await page.keyboard.type('Where is it?');
    await press('Shift+Enter');
    await page.keyboard.type('Quick!');
    await press('Enter', 'Enter');
    assert.equal(await message.inputValue(), '');
    const asked = talk('Where is it?\nQuick!', 'It is').entries;
    await view.send(
      talking({ conversation: { entries: asked, notes: [] }, isReplying: true, speaking: 2 }),
    );
    await page.getByRole('status').getByText('Replying …').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Right' }).count(), 0);
    await page.keyboard.type('too early');
    await press('Enter', 'Escape');
    assert.equal(await message.inputValue(), 'too early');
    const conversation = talk('Where is it?', 'It is <b>here</b>.', 'Thanks', 'Bye');
    await view.send(talking({ conversation }));
    await page.getByRole('button', { name: '✓ Right: turn 4' }).waitFor();
    await press('Escape');
    assert.equal(await focused(), 'turn 4');
    await press('r', 'k', 'k', 'w', 'a', 'e');
    assert.equal(await focused(), 'message');
    await page.getByText('Editing turn 1. Sending it removes the later turns.').waitFor();
    assert.equal(await message.inputValue(), 'Where is it?');
    await press('Escape');
    assert.equal(await message.inputValue(), 'too early');
    await press('Control+a', 'Delete', 'ArrowUp');
    assert.equal(await message.inputValue(), 'Thanks');
    await press('End');
    await page.keyboard.type('!');
    await press('Enter', 'Escape', 's', 'i');
    assert.equal(await focused(), 'message');
    assert.deepEqual(await sent(), [
      { kind: 'say', text: 'Where is it?\nQuick!' },
      { kind: 'cancel' },
      { kind: 'mark', turn: 4, mark: 'right' },
      { kind: 'mark', turn: 2, mark: 'wrong' },
      { kind: 'add-assertion', turn: 2 },
      { kind: 'say', text: 'Thanks!', turn: 3 },
      { kind: 'save' },
    ]);
    assert.deepEqual(await view.violations(), []);
    await view.close();
  });

  it('shows marks and assertions, which can be removed', async () => {
    const { view, page, sent } = await open();
    const checks = [
      { turn: 2, mark: 'wrong' as const, assertions: ['Is <i>kind</i>.', '{ a: 1 }'] },
    ];
    await view.send(talking({ conversation: talk('Hi', 'No'), checks }));
    const wrong = page.getByRole('button', { name: '✗ Wrong: turn 2' });
    assert.equal(await wrong.getAttribute('aria-pressed'), 'true');
    await page.getByText('Is <i>kind</i>.').waitFor();
    await page.getByRole('button', { name: 'Remove assertion 2 of turn 2' }).click();
    assert.deepEqual(await sent(), [{ kind: 'remove-assertion', turn: 2, index: 1 }]);
    await view.close();
  });

  it('shows an error and returns the message, without replacing a newer one', async () => {
    const { view, page, message } = await open();
    const error = 'The service refused the connection. Start it.';
    await view.send(talking({ error, unsent: { id: 1, text: 'Hi' } }));
    await page.getByRole('alert').getByText(error).waitFor();
    assert.equal(await message.inputValue(), 'Hi');
    await message.fill('New');
    await view.send(talking({ unsent: { id: 2, text: 'Hi' } }));
    await page.getByText(error).waitFor({ state: 'detached' });
    assert.equal(await message.inputValue(), 'New');
    assert.equal(await page.evaluate('globalThis.kept.draft'), 'New');
    await view.close();
  });

  it('keeps the message when it is shown again, and fits a narrow panel', async () => {
    const { view, page, message } = await open({ draft: 'Unfinished' });
    await page.setViewportSize({ width: 240, height: 500 });
    const words = 'A long reply with many words. '.repeat(60);
    await view.send(talking({ conversation: talk('Hi', words, 'And?', words) }));
    assert.equal(await message.inputValue(), 'Unfinished');
    await view.until('document.documentElement.scrollWidth <= innerWidth');
    assert.ok(await message.isVisible());
    const box = await message.boundingBox();
    assert.ok(box && box.y > 0 && box.y + box.height <= 500);
    await view.close();
  });

  it('shows branches, and switches between them by click and key', async () => {
    const { view, page, press, sent, message } = await open();
    const conversation = talk('Hi', 'Hello', 'And?', 'Bye');
    await view.send(talking({ conversation, branches: [{ turn: 3, at: 2, count: 2 }] }));
    await page.getByRole('button', { name: 'Branch 2 of 2: turn 3' }).click();
    const shorter = talk('Hi', 'Hello');
    await view.send(
      talking({
        conversation: shorter,
        branches: [{ turn: 3, at: 0, count: 2 }],
        isReplying: true,
      }),
    );
    await page.getByRole('button', { name: 'Cancel' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'branch' }).count(), 0);
    await view.send(talking({ conversation: shorter, branches: [{ turn: 3, at: 0, count: 2 }] }));
    await page.getByRole('button', { name: 'Show the earlier branch: turn 3' }).waitFor();
    await message.focus();
    await press('Escape', 'b');
    assert.deepEqual(await sent(), [
      { kind: 'show-branch', turn: 3, at: 1 },
      { kind: 'show-branch', turn: 3, at: 2 },
    ]);
    await view.close();
  });

  it('stores the text for a reload, unless it is long or a reply is arriving', async () => {
    const { view, page } = await open();
    const kept = () =>
      page.evaluate<number | undefined>('globalThis.kept?.talk?.conversation.entries.length');
    await view.send(talking({ conversation: talk('Hi', 'Hello') }));
    await view.until('globalThis.kept?.talk?.conversation.entries.length === 2');
    await view.send(talking({ conversation: talk('Hi', 'Hello', 'And?'), isReplying: true }));
    await page.getByText('And?').waitFor();
    assert.equal(await kept(), 2);
    await view.send(talking({ conversation: talk('Hi', 'long '.repeat(50_000)) }));
    await view.until('globalThis.kept?.talk?.conversation.entries.length === 0');
    await view.close();
  });

  it('shows a conversation that ended with its window, without controls', async () => {
    const { view, page, press, sent } = await open();
    await view.send(
      talking({ conversation: talk('Hi', 'Hello'), ended: true, note: 'This conversation ended.' }),
    );
    await page.getByRole('status').getByText('This conversation ended.').waitFor();
    await page.getByText('Hello').waitFor();
    assert.equal(await page.getByRole('textbox').count(), 0);
    assert.equal(await page.getByRole('button').count(), 0);
    await press('j', 'r', 's', 'i', 'b');
    assert.deepEqual(await sent(), []);
    await view.close();
  });
});
