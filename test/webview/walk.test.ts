import assert from 'node:assert/strict';
import { it } from 'node:test';
import { buildVerdict } from '../support/build.ts';
import { describeView } from '../support/view/describeView.ts';
import { buildSnapshot, buildUnfinished, entry, longTalk } from '../support/view/snapshots.ts';

/** Turns 4 and 12 fail, turn 8 couldn't be judged, and two verdicts aren't about a turn. */
function failing() {
  const verdicts = [
    buildVerdict({
      name: 'Remembers',
      status: 'fail',
      score: 0,
      turns: [
        entry(4, 'fail', 'turn 4'),
        entry(6, 'pass', 'turn 6'),
        entry(8, 'error', ''),
        entry(12, 'fail', 'turn 12'),
      ],
    }),
    buildVerdict({ index: 1, name: 'Brief', status: 'pass', score: 1 }),
    buildVerdict({ index: 2, name: 'Safe', status: 'error', score: null, reason: 'no-judge' }),
    buildVerdict({ index: 3, name: 'Cheap', status: 'fail', score: 0 }),
  ];
  return buildSnapshot({ conversation: longTalk(14), verdicts });
}

const STOPS = ['assertion 2', 'assertion 3', 'turn 4', 'turn 8', 'turn 12'];

describeView('navigation in the conversation view', ({ view, show, turn, reveal, focused }) => {
  const position = () => view().page.locator('.position').textContent();
  const button = (name: string) => view().page.getByRole('button', { name, exact: true });
  const press = async (key: string) => {
    await view().page.keyboard.press(key);
    return focused();
  };

  it('expands failures, and jumps to the next one by key and by button', async () => {
    await show();
    assert.equal(await turn(4).locator('.rationales').getAttribute('open'), '');
    assert.equal(await turn(2).locator('.rationales').getAttribute('open'), null);
    assert.equal(await press('n'), 'turn 4');
    assert.equal(await press('k'), 'turn 3');
    await button('Next failure').click();
    assert.equal(await focused(), 'turn 4');
  });

  it('explains keys on the page, and for screen readers at each button', async () => {
    await show(buildSnapshot({}));
    const keys = view().page.locator('details.keys');
    assert.equal(await keys.locator('kbd').first().isVisible(), false);
    await keys.locator('summary').click();
    assert.equal(
      (await keys.innerText()).replace(/\s+/g, ' '),
      'Keyboard j k next and previous turn n p next and previous failure Shift+N Shift+P next and previous failing case, or changed case in a comparison v Shift+V next and previous verdict r w the verdict is right, or wrong Delete u remove your label, and undo Ctrl+F find',
    );
    const shortcut = (name: string) =>
      view()
        .page.locator(`turnlight-button[aria-label="${name}"]`)
        .getAttribute('aria-keyshortcuts');
    assert.equal(await shortcut('Next failure'), 'n');
    assert.equal(await shortcut('Previous failure'), 'p');
    assert.equal(await shortcut('Find'), 'Control+F');
    await keys.locator('summary').click();
  });

  it('stops at each failure and error, of a turn or not, and shows its number', async () => {
    await show(failing());
    assert.equal(await position(), '5 failures');
    const forwards: (string | undefined)[] = [];
    for (const index of STOPS.keys()) {
      forwards.push(await press('n'));
      assert.equal(await position(), `${index + 1} of 5`);
    }
    assert.deepEqual(forwards, STOPS);
    assert.equal(await press('n'), STOPS[0], 'round and round');
    assert.equal(await press('p'), STOPS[4]);
    assert.equal(await press('p'), STOPS[3]);
    assert.equal(await press('j'), 'turn 9');
    assert.equal(await position(), '5 failures');
  });

  it('continues from the last position when a button is clicked again', async () => {
    await show(failing());
    for (const stop of STOPS) {
      await button('Next failure').click();
      assert.equal(await focused(), stop);
    }
    await button('Previous failure').click();
    assert.equal(await focused(), STOPS[3]);
  });

  it('is disabled if nothing failed', async () => {
    await show(buildSnapshot({ status: 'pass', verdicts: [] }));
    assert.equal(await position(), 'No failures');
    assert.equal(await button('Next failure').isDisabled(), true);
    assert.equal(await press('n'), undefined);
  });

  it('claims no lack of failures if the case was not judged', async () => {
    for (const phase of ['new', 'running', 'cancelled'] as const) {
      await show(buildUnfinished(phase));
      assert.equal(await position(), '–', phase);
    }
    await show(buildSnapshot({ status: 'skipped', verdicts: [] }));
    assert.equal(await position(), '–');
  });

  it('moves between turns with keys, and ignores keys typed into a field', async () => {
    await show(failing());
    assert.equal(await press('j'), 'turn 1');
    assert.equal(await press('ArrowDown'), 'turn 2');
    assert.equal(await press('ArrowUp'), 'turn 1');
    assert.equal(await press('k'), 'turn 14');
    await press('Control+F');
    await view().page.keyboard.type('njpk');
    assert.equal(await view().page.locator('.find input').inputValue(), 'njpk');
  });

  it('keeps the turn before each failing turn, and shows the number of omitted ones', async () => {
    await show(failing());
    const menu = view().page.locator('turnlight-dropdown[aria-label="Turns shown"]');
    await menu.click();
    await menu.locator('turnlight-option', { hasText: 'Failing turns' }).click();
    const shown = await view()
      .page.locator('.conversation > *')
      .evaluateAll((all) => all.map((one) => one.getAttribute('data-turn') ?? one.textContent));
    assert.deepEqual(shown, [
      '2 turns not shown',
      '3',
      '4',
      '2 turns not shown',
      '7',
      '8',
      '2 turns not shown',
      '11',
      '12',
      '2 turns not shown',
    ]);
    await reveal(10);
    assert.equal(await view().page.locator('.turn').count(), 14);
  });

  it('says that no turn fails if the filter matches none', async () => {
    await show(buildSnapshot({ verdicts: [] }));
    const menu = view().page.locator('turnlight-dropdown[aria-label="Turns shown"]');
    await menu.click();
    await menu.locator('turnlight-option', { hasText: 'Failing turns' }).click();
    assert.equal(await view().page.locator('.conversation').textContent(), 'No failing turns.');
  });

  it('steps through the other failing cases of the run by key and by button, if there are any', async () => {
    await show(buildSnapshot({}));
    assert.equal(await button('Next failing case').count(), 0);
    await press('Shift+N');
    await show(buildSnapshot({ failing: { count: 3, at: 2 } }));
    assert.match(await view().page.locator('.bar').innerText(), /failing case 2 of 3/);
    await press('Shift+N');
    await press('Shift+P');
    await button('Next failing case').click();
    const steps = (await view().posted()).flatMap((message) =>
      message.kind === 'show-failing' ? [message.step] : [],
    );
    assert.deepEqual(steps, [1, -1, 1]);
  });

  it('starts another case at its top, with default expansion', async () => {
    const conversation = longTalk(60);
    await show(buildSnapshot({ conversation, failing: { count: 2, at: 1 } }));
    await turn(4).locator('.rationales summary').click();
    assert.equal(await turn(4).locator('.rationales').getAttribute('open'), null);
    await reveal(60);
    const state = { file: 'file:///a.eval.yaml', id: 'other', repetition: 1 };
    await show(buildSnapshot({ state, conversation, failing: { count: 2, at: 2 } }));
    await view().until('window.scrollY === 0');
    assert.equal(await turn(4).locator('.rationales').getAttribute('open'), '');
  });
});
