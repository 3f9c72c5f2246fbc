import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toConversation } from '../../src/core/conversation.ts';
import { describeView } from '../support/view/describeView.ts';
import { buildSnapshot, buildUnfinished, longTalk } from '../support/view/snapshots.ts';

describeView('the find box of the conversation view', ({ view, show, turn, focused }) => {
  const keyboard = () => view().page.keyboard;
  const count = () => view().page.locator('.find .count').textContent();
  /** The text of the current match, and the number of other highlighted matches. */
  const found = () =>
    view().page.evaluate<[string, number]>(
      `[[...CSS.highlights.get('turnlight-found-current')].join(''), CSS.highlights.get('turnlight-found').size]`,
    );
  const find = async (text: string) => {
    await keyboard().press('Control+F');
    await keyboard().type(text);
  };

  it('counts matches and wraps around', async () => {
    await show(buildSnapshot({ conversation: longTalk(30), verdicts: [] }));
    await find('SAID in turn 1');
    assert.equal(await count(), '1 of 11');
    assert.deepEqual(await found(), ['said in turn 1', 11]);
    await keyboard().press('Enter');
    assert.equal(await count(), '2 of 11');
    await keyboard().press('Shift+Enter');
    await keyboard().press('Shift+Enter');
    assert.equal(await count(), '11 of 11');
    await keyboard().press('Enter');
    assert.equal(await count(), '1 of 11');
    await keyboard().type(' is not said');
    assert.equal(await count(), 'No results');
  });

  it('finds across markup and line breaks, and in verdicts', async () => {
    const content = 'It was **ship**ped\n\nyesterday\nat noon.';
    const conversation = toConversation([{ message: { role: 'user', content } }]);
    await show(buildSnapshot({ conversation, verdicts: buildSnapshot().verdicts }));
    await find('was shipped');
    assert.deepEqual(await found(), ['was shipped', 3]);
    await view().page.locator('.find input').fill('yesterday at noon');
    assert.equal(await count(), '1 of 1');
    await view().page.locator('.find input').fill('forgot the order');
    assert.equal(await count(), '1 of 1');
  });

  it('expands the collapsed parent of a match', async () => {
    await show();
    const tool = turn(2).locator('details.tool');
    assert.equal(await tool.getAttribute('open'), null);
    await find('shipped"');
    assert.equal(await count(), '1 of 1');
    assert.equal(await tool.getAttribute('open'), '');
  });

  it('shows each match below the bar, however long the conversation is', async () => {
    const words = 'Some words that fill a few lines of the page. '.repeat(12);
    const conversation = longTalk(200, (number) => `${words} needle ${number} ${words}`);
    await show(buildSnapshot({ conversation, verdicts: [] }));
    await find('needle');
    assert.equal(await count(), '1 of 200');
    for (let step = 0; step < 12; step += 1) {
      for (let skip = 0; skip < 9; skip += 1) await keyboard().press('Enter');
      await view().page.evaluate(
        'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))',
      );
      const [top, bottom, bar, height] = await view().page.evaluate<number[]>(`(() => {
        const [range] = CSS.highlights.get('turnlight-found-current');
        const { top, bottom } = range.getBoundingClientRect();
        const bar = document.querySelector('.bar').getBoundingClientRect();
        return [top, bottom, bar.bottom, window.innerHeight];
      })()`);
      const where = `${await count()}: ${top} to ${bottom} between ${bar} and ${height}`;
      assert.ok(Number(top) >= Number(bar) && Number(bottom) <= Number(height), where);
    }
  });

  it('continues from the visible part while typing, even if the first letters match above', async () => {
    const words = 'Some words that fill a few lines of the page. '.repeat(12);
    const said = (number: number) =>
      `${words} r re ref refu ${number === 31 ? 'refund' : ''} ${words}`;
    await show(buildSnapshot({ conversation: longTalk(40, said), verdicts: [] }));
    // Turns above get their real height as they come near, which moves the visible ones.
    await view().page.evaluate(`(async () => {
      const turn = document.querySelector('[data-turn="31"]');
      for (let top; top !== turn.getBoundingClientRect().top; ) {
        turn.scrollIntoView();
        top = turn.getBoundingClientRect().top;
        for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
      }
    })()`);
    await keyboard().press('Control+F');
    for (const letter of 'refu') {
      await keyboard().type(letter);
      await view().page.waitForTimeout(60);
    }
    const at = Number(/^\d+/.exec((await count()) ?? '')?.[0]);
    assert.ok(at >= 30, String(at));
  });

  it('focuses the turn of the match when it is closed', async () => {
    await show();
    await find('shoes');
    await keyboard().press('Escape');
    assert.equal(await view().page.locator('.find').isVisible(), false);
    assert.equal(await focused(), 'turn 3');
    assert.deepEqual(await found(), ['', 0]);
    await find('nowhere');
    assert.equal(await count(), 'No results');
    await keyboard().press('Escape');
    assert.equal(await focused(), 'turn 3', 'where it was before');
    await keyboard().press('j');
    assert.equal(await focused(), 'turn 4');
  });

  it('includes turns that a run adds', async () => {
    await show(buildUnfinished('running', { conversation: longTalk(2) }));
    await view().page.getByRole('button', { name: 'Find', exact: true }).click();
    await keyboard().type('said');
    assert.equal(await count(), '1 of 2');
    await show(buildUnfinished('running', { conversation: longTalk(4) }));
    assert.equal(await count(), '1 of 4');
    assert.equal(await view().page.locator('.find input').inputValue(), 'said');
    await keyboard().type(' in turn 4');
    assert.equal(await count(), '1 of 1');
  });
});
