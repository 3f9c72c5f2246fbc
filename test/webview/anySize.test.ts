import assert from 'node:assert/strict';
import { it } from 'node:test';
import { buildVerdict } from '../support/build.ts';
import { describeView } from '../support/view/describeView.ts';
import { buildSnapshot, buildUnfinished, entry, longTalk } from '../support/view/snapshots.ts';

const COUNT = 2000;
const MOST_NODES = 500;

/** A conversation whose turns have many different heights. Every 400th turn fails. */
function huge(count = COUNT) {
  const said = (turn: number) => `Said in turn ${turn}. ${'And some more. '.repeat(turn % 37)}`;
  const turns = Array.from({ length: count / 2 }, (_, index) => 2 * (index + 1)).map((turn) =>
    entry(turn, turn % 400 === 0 ? 'fail' : 'pass', `Said in turn ${turn}.`),
  );
  const verdict = buildVerdict({ status: 'fail', score: 0.9, turns });
  return buildSnapshot({ conversation: longTalk(count, said), verdicts: [verdict] });
}

describeView('a conversation of 2,000 turns', ({ view, show, turn, reveal, focused }) => {
  const page = () => view().page;
  const nodes = () => page().evaluate<number>("document.querySelectorAll('#app *').length");
  const settled = () =>
    page().evaluate(
      'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))',
    );
  const inView = (number: number) =>
    page().evaluate<boolean>(`(() => {
      const { top, bottom } = document.querySelector('[data-turn="${number}"]').getBoundingClientRect();
      return bottom > 0 && top < window.innerHeight;
    })()`);

  it('mounts only items near the view, at any position', async () => {
    await show(huge());
    for (const number of [1, 1000, 2000]) {
      await reveal(number);
      await settled();
      assert.ok(await inView(number), `${number}`);
      assert.ok((await nodes()) < MOST_NODES, `${await nodes()} at turn ${number}`);
      assert.equal(await turn(number).getAttribute('aria-posinset'), `${number}`);
      assert.equal(await turn(number).getAttribute('aria-setsize'), `${COUNT}`);
    }
  });

  it('leaves no gap in the view, however the user scrolls', async () => {
    await show(huge());
    const total = await page().evaluate<number>('document.documentElement.scrollHeight');
    for (const part of [0.3, 0.9, 0.5, 1]) {
      await page().evaluate(`window.scrollTo(0, ${Math.round(total * part)})`);
      await settled();
      const holes = await page().evaluate<number>(`[...document.querySelectorAll('.space')]
        .map((one) => one.getBoundingClientRect())
        .filter(({ top, bottom }) => bottom > 0 && top < window.innerHeight).length`);
      assert.equal(holes, 0, `at ${part}`);
    }
  });

  it('moves the visible text exactly as far as the user scrolls, up and down', async () => {
    await show(huge());
    await reveal(1000);
    await settled();
    for (const by of [-300, -300, -300, -300, 250, -300, -300]) {
      const [number, top] = await page().evaluate<[string, number]>(`(() => {
        const all = [...document.querySelectorAll('.turn')];
        const read = all.find((one) => one.getBoundingClientRect().top > 350);
        return [read.dataset.turn, read.getBoundingClientRect().top];
      })()`);
      await page().evaluate(`window.scrollBy(0, ${by})`);
      await settled();
      const now = (await turn(Number(number)).boundingBox())?.y ?? Number.NaN;
      assert.ok(
        Math.abs(now - (top - by)) <= 2,
        `turn ${number} moved by ${now - top}, not ${-by}`,
      );
    }
  });

  it('steps through failures, and wraps around after the last turn', async () => {
    await show(huge());
    for (const number of [400, 800, 1200, 1600, 2000]) {
      await page().keyboard.press('n');
      await settled();
      assert.equal(await focused(), `turn ${number}`);
      assert.ok(await inView(number));
      assert.equal(await turn(number).locator('.rationales').getAttribute('open'), '');
    }
    assert.equal(await page().locator('.position').textContent(), '5 of 5');
    await page().keyboard.press('j');
    assert.equal(await focused(), 'turn 1');
    await page().keyboard.press('k');
    assert.equal(await focused(), 'turn 2000');
  });

  it('keeps the focus in a turn that is scrolled out of view', async () => {
    await show(huge());
    await reveal(1000);
    await settled();
    await page().evaluate('window.scrollTo(0, 0)');
    await settled();
    assert.equal(await focused(), 'turn 1000');
    await page().keyboard.press('j');
    await settled();
    assert.equal(await focused(), 'turn 1001');
    assert.ok(await inView(1001));
  });

  it('keeps the focus in an unmounted turn while verdicts arrive', async () => {
    const { conversation } = huge(300);
    await show(buildUnfinished('running', { conversation }));
    await reveal(150);
    await settled();
    await page().evaluate('window.scrollTo(0, 400)');
    await settled();
    const turns = [entry(150, 'pass', 'Said'), entry(2, 'pass', 'Said')];
    const verdicts = [buildVerdict({ status: 'pass', score: 1, turns })];
    await show(buildUnfinished('running', { conversation, verdicts }));
    await settled();
    assert.equal(await focused(), 'turn 150');
  });

  it('finds text in turns and verdicts outside the view', async () => {
    await show(huge());
    await page().keyboard.press('Control+F');
    await page().locator('.find input').fill('said in turn 1777.');
    assert.equal(await page().locator('.find .count').textContent(), '1 of 1');
    await settled();
    assert.ok(await inView(1777));
    await page().locator('.find input').fill('because of turn 1500.');
    assert.equal(await page().locator('.find .count').textContent(), '1 of 1');
    await settled();
    assert.equal(await turn(1500).locator('.rationales').getAttribute('open'), '');
    await page().keyboard.press('Escape');
    assert.equal(await focused(), 'turn 1500');
  });

  it('mounts everything that is selected, so that it can be copied, and only then', async () => {
    await show(huge(300));
    await page().evaluate('getSelection().selectAllChildren(document.body)');
    await settled();
    const words = await page().evaluate<string>('getSelection().toString()');
    for (const number of [1, 149, 300])
      assert.match(words, new RegExp(`Said in turn ${number}\\.`));
    await page().evaluate('getSelection().removeAllRanges()');
    await settled();
    assert.ok((await nodes()) < MOST_NODES, `${await nodes()}`);
  });

  it('prints all items', async () => {
    await show(huge());
    await page().evaluate("window.dispatchEvent(new Event('beforeprint'))");
    assert.equal(await page().locator('.turn').count(), COUNT);
    await page().evaluate("window.dispatchEvent(new Event('afterprint'))");
    assert.ok((await nodes()) < MOST_NODES, `${await nodes()}`);
  });
});
