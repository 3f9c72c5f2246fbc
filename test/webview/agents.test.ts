import assert from 'node:assert/strict';
import { it } from 'node:test';
import { handoff } from '../../src/assertions/types/handoff.ts';
import { buildVerdict } from '../support/build.ts';
import { EACH, findingOf } from '../support/deterministic.ts';
import { assistant, by, call, talk, user } from '../support/judging.ts';
import { describeView } from '../support/view/describeView.ts';
import { buildSnapshot } from '../support/view/snapshots.ts';

const TEAM = talk(
  user('Please refund the lamp.'),
  ...by('triage', assistant('My colleague will do that.')),
  ...by('triage', ...call('transfer_to_refunds', {}, '{"assistant":"refunds"}')),
  ...by('refunds', ...call('refund', { item: 'lamp' }, 'ok'), assistant('I refunded 40 euros.')),
  assistant('How did we do?'),
  user('Well.'),
  ...by('refunds', assistant('Thank you.')),
);

describeView('agents in the conversation view', ({ view, show, turn }) => {
  /** Each name with the color next to it, in order. */
  const colors = () =>
    view().page.evaluate<[string, string][]>(
      "[...document.querySelectorAll('.agent')].map((one) => [one.textContent, getComputedStyle(one, '::before').backgroundColor])",
    );

  it('names who speaks, and shows each handoff as a line of its own', async () => {
    await show(buildSnapshot({ conversation: TEAM, verdicts: [] }));
    assert.equal(await turn(1).locator('.agent').count(), 0);
    const lines = await turn(2)
      .locator('.body > *')
      .evaluateAll((all) => all.map((one) => one.className || one.textContent));
    assert.deepEqual(lines, ['said', 'tool', 'handoff', 'tool', 'said', 'by label', 'said']);
    const line = turn(2).locator('.handoff');
    assert.equal(await line.innerText(), 'Handoff from triage to refunds');
    assert.equal(await turn(2).locator('.body > .by').innerText(), 'Agent without a name');
    const names = [2, 4].map((number) => turn(number).getAttribute('aria-label'));
    assert.deepEqual(await Promise.all(names), [
      'Turn 2, Assistant, triage',
      'Turn 4, Assistant, refunds',
    ]);
  });

  it('gives each agent one color, next to its name', async () => {
    await show(buildSnapshot({ conversation: TEAM, verdicts: [] }));
    const shown = await colors();
    const [blue, orange] = [shown[0]?.[1], shown[2]?.[1]];
    assert.notEqual(blue, orange);
    assert.deepEqual(shown, [
      ['triage', blue],
      ['triage', blue],
      ['refunds', orange],
      ['refunds', orange],
    ]);
  });

  it('gives it the same color in two runs', async () => {
    const conversation = talk(
      user('Please refund the lamp.'),
      ...by('refunds', assistant('I refunded 40 euros.')),
    );
    const base = { status: 'pass' as const, score: 1, conversation: TEAM, verdicts: [] };
    const words = { spoken: 'unchanged', before: 'one', after: 'two' };
    const found = { assertions: [], worse: [], better: [], changed: { count: 0 } };
    const compared = { change: 'unchanged' as const, base, ...words, ...found };
    await show(buildSnapshot({ conversation, verdicts: [], compared }));
    const shown = await colors();
    assert.equal(shown.length, 5);
    const distinct = new Set(shown.map((one) => one.join(' ')));
    assert.equal(distinct.size, 2, [...distinct].join(', '));
  });

  it('shows what a check of handoffs found', async () => {
    const { score, turns } = await findingOf(handoff, { to: 'refunds' }, TEAM, EACH);
    const verdict = buildVerdict({ name: 'handoff', status: 'fail', score, turns: [...turns] });
    await show(buildSnapshot({ conversation: TEAM, verdicts: [verdict] }));
    const found = await view().page.locator('.rationale p').allTextContents();
    assert.deepEqual(found, ['handoff from “triage” to “refunds”', 'no handoff to “refunds”']);
  });
});
