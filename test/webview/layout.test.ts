import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toConversation } from '../../src/core/conversation.ts';
import { buildVerdict } from '../support/build.ts';
import { describeView } from '../support/view/describeView.ts';
import {
  buildSnapshot,
  buildStated,
  buildUnfinished,
  entry,
  longTalk,
} from '../support/view/snapshots.ts';

const WORDS = 'A reply that takes several lines of the page, and then some more of them. '.repeat(
  5,
);

/** 200 turns, of which every fourth fails, and ten assertions, most of which have long texts. */
function large() {
  const numbers = Array.from({ length: 50 }, (_, index) => 4 * (index + 1));
  const verdicts = Array.from({ length: 10 }, (_, index) =>
    buildVerdict({
      index,
      name: `Assertion ${index}`,
      status: 'fail',
      score: 0,
      rationale: WORDS,
      misses: numbers.map((turn) => `Turn ${turn}: not so`),
      turns: index === 0 ? numbers.map((turn) => entry(turn, 'fail', 'A reply')) : [],
    }),
  );
  return buildSnapshot({ conversation: longTalk(200, () => WORDS), verdicts });
}

describeView('the layout of the conversation view', ({ view, show, turn, reveal, focused }) => {
  const top = async (number: number) => (await turn(number).boundingBox())?.y ?? Number.NaN;
  const barEnd = () =>
    view().page.evaluate<number>("document.querySelector('.bar').getBoundingClientRect().bottom");
  /** Waits two frames, since the first one lays out what comes into view. */
  const settled = () =>
    view().page.evaluate(
      'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))',
    );
  const scrollsSideways = () =>
    view().page.evaluate<boolean>('document.documentElement.scrollWidth > window.innerWidth');

  it('leaves most of a narrow page for the conversation', async () => {
    const size = view().page.viewportSize();
    await view().page.setViewportSize({ width: 250, height: 480 });
    await show(large());
    const height = await view().page.evaluate<number>(
      "document.querySelector('.bar').getBoundingClientRect().height",
    );
    assert.ok(height < 100, `${height} of 480`);
    assert.equal(await scrollsSideways(), false);
    if (size) await view().page.setViewportSize(size);
  });

  it('fits very long words into the page at any width', async () => {
    const endless = 'x'.repeat(10_000);
    const conversation = toConversation([
      { message: { role: 'system', content: endless } },
      { message: { role: 'user', content: 'x'.repeat(100_000) } },
      {
        message: {
          role: 'assistant',
          content: `\`${endless}\`\n\n| ${endless} | b |\n|---|---|\n| c | d |`,
          toolCalls: [{ id: 'c', name: endless, arguments: { [endless]: endless } }],
        },
      },
    ]);
    const turns = [{ ...entry(2, 'fail', endless), rationale: endless }];
    const about = { name: endless, rationale: endless, misses: [endless], label: endless };
    const verdict = buildVerdict({ ...about, status: 'fail', score: 0, turns });
    const { type } = verdict.assertion;
    const keys = [{ key: endless, text: endless.slice(0, 200) }];
    await show(
      buildSnapshot({
        state: { file: 'file:///a', id: endless, repetition: 1 },
        conversation,
        suiteName: endless,
        description: endless,
        reason: endless,
        assertions: [buildStated({ type, name: endless, keys })],
        verdicts: [verdict],
      }),
    );
    for (const width of [900, 500, 300]) {
      await view().page.setViewportSize({ width, height: 700 });
      assert.equal(await scrollsSideways(), false, `${width} pixels`);
    }
  });

  it("doesn't break the name of a key next to a long text", async () => {
    const { verdicts } = large();
    const keys = ['instructions', 'value'].map((key) => ({ key, text: WORDS }));
    const assertions = [buildStated({ name: 'Assertion 0', keys })];
    await show(buildSnapshot({ assertions, verdicts }));
    await view().page.setViewportSize({ width: 500, height: 700 });
    const [long, short] = await view().page.locator('.key > .label').all();
    assert.equal((await long?.boundingBox())?.height, (await short?.boundingBox())?.height);
  });

  it('leaves room for the conversation in a narrow panel and at 200% zoom', async () => {
    await show(large());
    for (const [width, height] of [
      [300, 700],
      [450, 430],
    ] as const) {
      await view().page.setViewportSize({ width, height });
      await settled();
      await view().page.keyboard.press('n');
      await view().page.keyboard.press('Control+F');
      await settled();
      assert.ok((await barEnd()) < height * 0.4, `the bar ends at ${await barEnd()}`);
      assert.equal(await scrollsSideways(), false);
      for (const control of await view().page.locator('.bar turnlight-button, .bar input').all()) {
        const box = await control.boundingBox();
        assert.ok(box && box.x >= 0 && box.x + box.width <= width, 'each control is in the window');
      }
      await view().page.keyboard.press('Escape');
    }
  });

  it("doesn't cut off menus of a narrow page, and keeps the strip of turns", async () => {
    await show({ ...large(), repetitions: 10, failing: { count: 12, at: 10 } });
    for (const width of [340, 300, 250]) {
      await view().page.setViewportSize({ width, height: 700 });
      await settled();
      const cut = await view().page.evaluate<string[]>(`
        [...document.querySelectorAll('.toolbar turnlight-dropdown')].flatMap((menu) => {
          const text = menu.shadowRoot.querySelector('.selected-value');
          return text.scrollWidth > text.clientWidth ? [menu.ariaLabel] : [];
        })`);
      assert.deepEqual(cut, [], `at ${width}`);
      assert.ok(await view().page.locator('.strip').isVisible(), `at ${width}`);
      assert.equal(await scrollsSideways(), false);
    }
  });

  it('never covers a jump target with the bar', async () => {
    await show(large());
    for (const height of [1000, 430]) {
      await view().page.setViewportSize({ width: 450, height });
      for (const key of ['n', 'n', 'j', 'j', 'n', 'n', 'p', 'k', 'p', 'p']) {
        await view().page.keyboard.press(key);
        await settled();
        const y = await view().page.evaluate<number>(
          'document.activeElement.getBoundingClientRect().top',
        );
        const where = `${await focused()} begins at ${y} after ${key}`;
        assert.ok(y >= (await barEnd()), where);
        assert.ok(y < height * 0.7, where);
      }
      await reveal(200);
      await settled();
      assert.ok((await top(200)) >= (await barEnd()) && (await top(200)) < height);
    }
  });

  it('never covers an element focused by Tab with the bar', async () => {
    await show(large());
    await view().page.setViewportSize({ width: 450, height: 430 });
    await reveal(100);
    for (const key of [...Array(8).fill('Tab'), ...Array(24).fill('Shift+Tab')]) {
      await view().page.keyboard.press(key);
      await settled();
      const covered = await view().page.evaluate<string | undefined>(`(() => {
        const focused = document.activeElement;
        const { left, top, width, height } = focused.getBoundingClientRect();
        const at = document.elementFromPoint(left + width / 2, Math.min(top + height / 2, top + 20));
        return focused.contains(at) || at?.contains(focused) ? undefined : focused.outerHTML;
      })()`);
      assert.equal(covered, undefined, key);
    }
  });

  it('moves nothing while verdicts arrive, and expands failures when the run ends', async () => {
    const { verdicts, conversation } = large();
    const assertions = verdicts.map(({ assertion: { index, name } }) =>
      buildStated({ index, name }),
    );
    const places = () =>
      view().page.evaluate(
        `JSON.stringify([...document.querySelectorAll('.bar turnlight-button, .assertion, .turn')].map((one) => {
          const { x, y } = one.getBoundingClientRect();
          return [x, y];
        }))`,
      );
    await show(buildUnfinished('running', { conversation, assertions }));
    await settled();
    const before = await places();
    for (let count = 1; count <= verdicts.length; count += 1) {
      const known = verdicts.slice(0, count);
      await show(buildUnfinished('running', { conversation, assertions, verdicts: known }));
      await settled();
      assert.equal(await places(), before, `${count} verdicts`);
    }
    assert.equal(await turn(4).locator('.rationales').getAttribute('open'), null);
    await show(large());
    assert.equal(await turn(4).locator('.rationales').getAttribute('open'), '');
    assert.equal(await turn(4).locator('mark').count(), 1);
  });

  it('keeps the visible text in place when failures above it expand', async () => {
    const { verdicts, conversation } = large();
    const assertions = verdicts.map(({ assertion: { index, name } }) =>
      buildStated({ index, name }),
    );
    await show(buildUnfinished('running', { conversation, assertions }));
    await reveal(30);
    await settled();
    await view().page.evaluate(
      'document.activeElement.scrollIntoView(); document.activeElement.blur()',
    );
    await settled();
    const before = await top(30);
    await show(large());
    await settled();
    assert.ok(Math.abs((await top(30)) - before) <= 2, 'moved when the run ended');
  });

  it('moves nothing when a run starts and passes', async () => {
    const assertions = ['One', 'Two'].map((name, index) => buildStated({ index, name }));
    const passed = assertions.map(({ index, name }) =>
      buildVerdict({ index, name, status: 'pass', score: 1, turns: [entry(2, 'pass', 'It was')] }),
    );
    const places = () =>
      view().page.evaluate(
        'JSON.stringify([...document.querySelectorAll(\'.bar turnlight-dropdown, .assertion, [data-turn="1"]\')].map((one) => [one.getBoundingClientRect().x, one.getBoundingClientRect().y]))',
      );
    await show(buildUnfinished('new', { assertions }));
    await settled();
    const before = await places();
    for (const phase of ['queued', 'running'] as const) {
      await show(buildUnfinished(phase, { assertions }));
      await settled();
      assert.equal(await places(), before, phase);
    }
    await show(buildSnapshot({ status: 'pass', score: 1, assertions, verdicts: passed }));
    await settled();
    assert.equal(await places(), before, 'finished');
  });
});
