import assert from 'node:assert/strict';
import { it } from 'node:test';
import { buildVerdict } from '../support/build.ts';
import { describeView } from '../support/view/describeView.ts';
import { buildSnapshot, entry, longTalk } from '../support/view/snapshots.ts';

/** A conversation in which every second turn is judged and one fails. */
function judged(count: number, failing: number) {
  const turns = Array.from({ length: count / 2 }, (_, index) => {
    const turn = 2 * (index + 1);
    return entry(turn, turn === failing ? 'fail' : 'pass', `turn ${turn}`);
  });
  const verdict = buildVerdict({ name: 'Remembers', status: 'fail', score: 0, turns });
  return buildSnapshot({ conversation: longTalk(count), verdicts: [verdict] });
}

describeView('the strip of turns', ({ view, show, focused }) => {
  const strip = () => view().page.getByRole('toolbar', { name: 'Turns by verdict' });
  const names = () =>
    strip()
      .getByRole('button')
      .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));

  it('has a cell per turn with icon and words, and scrolls there on click', async () => {
    await show(judged(20, 14));
    assert.equal((await names()).length, 10);
    const failed = strip().getByRole('button', { name: 'Turn 14: failed' });
    assert.equal(await failed.innerText(), '✗');
    await failed.click();
    assert.equal(await focused(), 'turn 14');
  });

  it('is a single Tab stop with arrow key navigation', async () => {
    await show(judged(20, 14));
    await strip().getByRole('button', { name: 'Turn 2: passed' }).focus();
    for (const key of ['End', 'ArrowLeft', 'Enter']) await view().page.keyboard.press(key);
    assert.equal(await focused(), 'turn 18');
    assert.equal(await strip().locator('[tabindex="0"]').count(), 1);
  });

  it('groups turns if there are many, and scrolls to the failed one', async () => {
    await show(judged(2000, 1304));
    const all = await names();
    assert.ok(all.length > 10 && all.length <= 60, `${all.length} cells`);
    const told = all.filter((name) => name?.includes('failed'));
    assert.equal(told.length, 1);
    assert.match(told[0] ?? '', /^Turns \d+ to \d+: 1 failed, \d+ passed$/);
    await strip()
      .getByRole('button', { name: told[0] ?? '' })
      .click();
    assert.equal(await focused(), 'turn 1304');
  });

  it('marks turns that were not judged', async () => {
    await show(buildSnapshot({ conversation: longTalk(20), verdicts: [] }));
    assert.equal((await names())[0], 'Turn 2: not judged');
  });

  it('is hidden in a short conversation', async () => {
    await show(judged(8, 4));
    assert.equal(await strip().count(), 0);
  });
});
