import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toConversation } from '../../src/core/conversation.ts';
import type { TurnVerdict } from '../../src/core/verdict.ts';
import { buildVerdict } from '../support/build.ts';
import { describeView } from '../support/view/describeView.ts';
import {
  buildSnapshot,
  buildStated,
  buildUnfinished,
  longTalk,
} from '../support/view/snapshots.ts';

describeView('the conversation view in a browser, with its real policy', (tools) => {
  const { view, show, turn, reveal, focused } = tools;
  const button = (name: string) => view().page.getByRole('button', { name, exact: true });

  it('reports that it is ready, and saves only the state that it restores', async () => {
    await show();
    assert.deepEqual(await view().posted(), [{ kind: 'ready' }]);
    const kept = { ...buildSnapshot().state, record: '/run-1.jsonl' };
    assert.deepEqual(await view().page.evaluate('globalThis.kept'), kept);
  });

  it('shows a badge with icon, score, and word on every judged turn', async () => {
    await show();
    const badges = await view().page.locator('.turn > header .badge').allTextContents();
    assert.deepEqual(badges, ['✓1.00passed', '✗0.50failed']);
    assert.equal(await turn(1).locator('.badge').count(), 0);
  });

  it('says where the conversation comes from and why it stopped', async () => {
    await show(buildSnapshot({ origin: 'turns', stopReason: 'stop-on-failure' }));
    const facts = view().page.locator('.facts');
    assert.match(
      (await facts.textContent()) ?? '',
      /^live conversation · stopped at a failing turn/,
    );
    await show(buildSnapshot({ origin: 'transcript' }));
    assert.match((await facts.textContent()) ?? '', /^transcript( ·|$)/);
  });

  it('says "not judged" only of turns that should have been judged', async () => {
    const whole = buildVerdict({ name: 'Brief', status: 'pass', score: 1 });
    await show(buildSnapshot({ verdicts: [whole] }));
    assert.equal(await view().page.locator('.turn .badge').count(), 0);
    const broken = buildVerdict({ name: 'Kind', status: 'error', score: null, reason: 'no-judge' });
    await show(buildSnapshot({ verdicts: [whole, broken] }));
    assert.deepEqual(await view().page.locator('.turn > header .badge').allTextContents(), [
      '–not judged',
      '–not judged',
    ]);
    assert.equal(await turn(1).locator('.badge').count(), 0);
  });

  it('collapses tool calls in their turn and keeps the position of system texts', async () => {
    await show();
    const tool = turn(2).locator('details.tool');
    assert.match((await tool.textContent()) ?? '', /lookup.*98765.*Result.*shipped/s);
    assert.equal(await tool.getAttribute('open'), null);
    const first = view().page.locator('.conversation > *').first();
    assert.match((await first.textContent()) ?? '', /You are a support agent/);
  });

  it('offers to judge and save a received conversation, unless it is unclear', async () => {
    const facts = view().page.locator('.facts');
    await show(buildUnfinished('new', { received: 'complete' }));
    assert.equal(await facts.textContent(), 'Received; not judged yet');
    assert.equal(await button('Judge').count(), 1);
    await show(buildUnfinished('new', { received: 'unclear', reason: 'No longer there.' }));
    assert.equal(await facts.textContent(), 'Received');
    await view().page.getByText('No longer there.').waitFor();
    assert.equal((await button('Judge').count()) + (await button('Save as case').count()), 0);
  });

  it('shows how long a tool took, if a trace measured it', async () => {
    const calls = [
      { id: '1', name: 'find', arguments: {}, latency: 1240 },
      { id: '2', name: 'ship', arguments: {} },
    ];
    const conversation = toConversation([
      { message: { role: 'user', content: 'Hi' } },
      { message: { role: 'assistant', content: 'Hello', toolCalls: calls } },
    ]);
    await show(buildSnapshot({ conversation, verdicts: [] }));
    assert.deepEqual(await turn(2).locator('details.tool > summary').allTextContents(), [
      ...['Tool call find 1.2 s', 'Tool call ship'],
    ]);
  });

  it('says why a simulated conversation ended', async () => {
    const stopRationale = '<b>Booked</b>';
    await show(buildSnapshot({ origin: 'simulate', stopReason: 'goal-reached', stopRationale }));
    const facts = (await view().page.locator('.facts').textContent()) ?? '';
    assert.match(facts, /^simulated conversation · goal reached/);
    const header = (await view().page.locator('header.top').textContent()) ?? '';
    assert.ok(header.includes('The simulated user: “<b>Booked</b>”'));
  });

  it('asks to save a simulated conversation, and no other', async () => {
    await show(buildSnapshot());
    assert.equal(await button('Save as case').count(), 0);
    await show(buildSnapshot({ origin: 'simulate', stopReason: 'goal-reached' }));
    await button('Save as case').click();
    assert.deepEqual((await view().posted()).at(-1), { kind: 'save' });
  });

  it('marks the turns of the history', async () => {
    const { entries } = longTalk(4);
    const before = entries.map((entry) =>
      entry.kind === 'turn' && entry.number <= 2 ? { ...entry, history: true as const } : entry,
    );
    await show(buildSnapshot({ conversation: { entries: before, notes: [] } }));
    assert.match((await turn(2).locator('header').textContent()) ?? '', /history/);
    assert.equal(
      await turn(2).getAttribute('aria-label'),
      'Turn 2, Assistant, history, passed, score 1.00',
    );
    assert.doesNotMatch((await turn(3).locator('header').textContent()) ?? '', /history/);
  });

  it('shows a result unformatted if formatting would change more than whitespace', async () => {
    const [user, reply] = longTalk(2).entries;
    assert.ok(user && reply?.kind === 'turn');
    const call = { id: 'c', name: 'find', arguments: {} };
    const results = ['{"order":12345678901234567890}', '{"order":7}'];
    const items = results.map((result) => ({ kind: 'tool-call' as const, call, result }));
    await show(
      buildSnapshot({ conversation: { entries: [user, { ...reply, items }], notes: [] } }),
    );
    const shown = await turn(2).locator('details.tool pre:last-child').allTextContents();
    assert.deepEqual(shown, ['{"order":12345678901234567890}', '{\n  "order": 7\n}']);
  });

  it('keeps expanded and focused elements while the case runs', async () => {
    const { verdicts } = buildSnapshot();
    await show(buildUnfinished('running', { verdicts }));
    await turn(2).locator('.rationales > summary').click();
    await turn(3).focus();
    const renamed = verdicts.map((one) => ({ ...one, threshold: 0.25 }));
    await show(buildUnfinished('running', { verdicts: renamed }));
    assert.equal(await turn(2).locator('.rationales').getAttribute('open'), '');
    assert.equal(await focused(), 'turn 3');
    assert.equal(await view().page.locator('.busy').textContent(), 'running …');
  });

  it('moves the focus to the replacement of the focused element', async () => {
    const stated = buildStated({ name: 'Remembers' });
    await show(buildUnfinished('running', { assertions: [stated] }));
    await view().page.locator('.assertion > summary').focus();
    await show(buildSnapshot({ assertions: [stated] }));
    assert.equal(await focused(), 'assertion 0');
    await button('Run').focus();
    await show(buildUnfinished('queued'));
    assert.equal(await focused(), 'button Cancel');
  });

  it('leaves an open menu alone while a run streams in, and when it ends', async () => {
    await show(buildUnfinished('running'));
    const menu = view().page.locator('turnlight-dropdown').first();
    await menu.click();
    await menu.locator('turnlight-option', { hasText: 'Failing turns' }).waitFor();
    await show(buildUnfinished('running', { verdicts: buildSnapshot().verdicts }));
    assert.equal(await menu.getAttribute('open'), '');
    await show();
    assert.equal(await menu.getAttribute('open'), '');
  });

  it('marks an incomplete reply, and redraws only that turn', async () => {
    const { conversation } = buildSnapshot();
    await show(buildUnfinished('running', { conversation, speaking: 4 }));
    const turn = (number: number) => view().page.locator(`[data-turn="${number}"]`);
    assert.equal(await turn(4).locator('.waiting').textContent(), 'Replying …');
    assert.equal(await turn(2).locator('.waiting').textContent(), 'Verdicts: waiting');
    await turn(2).evaluate((element) => element.setAttribute('data-same', 'yes'));
    const more = structuredClone(conversation);
    const last = more.entries.at(-1);
    if (last?.kind !== 'turn') assert.fail();
    last.items.push({ kind: 'text', text: 'Tell me its number.' });
    await show(buildUnfinished('running', { conversation: more, speaking: 4 }));
    assert.match((await turn(4).textContent()) ?? '', /Tell me its number\./);
    assert.equal(await turn(2).getAttribute('data-same'), 'yes');
    await show(buildUnfinished('running', { conversation: more }));
    assert.equal(await turn(4).locator('.waiting').textContent(), 'Verdicts: waiting');
  });

  it('requests running and cancelling, and links to the file', async () => {
    await show();
    await button('Run').click();
    await view().page.getByRole('link', { name: 'Go to line of Remembers' }).click();
    await show(buildUnfinished('running'));
    await button('Cancel').click();
    assert.deepEqual((await view().posted()).slice(1), [
      { kind: 'run' },
      { kind: 'open-assertion', index: 0 },
      { kind: 'cancel' },
    ]);
  });

  it('reveals a turn', async () => {
    await show();
    await reveal(3);
  });

  it('shows a transcript and the assertions before the first run, with a button to run it', async () => {
    const stated = buildStated({ name: 'Remembers' });
    await show(buildUnfinished('new', { assertions: [stated] }));
    assert.equal(await view().page.locator('.turn').count(), 4);
    assert.equal(await view().page.locator('.turn .badge').count(), 0);
    assert.equal(await view().page.locator('.facts').textContent(), 'Not run yet');
    const row = await view().page.locator('.assertion > summary').textContent();
    assert.equal(row, '–not judgedRemembers');
    await button('Run').click();
    assert.deepEqual((await view().posted()).slice(1), [{ kind: 'run' }]);
  });

  it('shows that there is nothing yet, what prevents a run, and that the case has changed', async () => {
    const conversation = { entries: [], notes: [] };
    await show(buildUnfinished('new', { conversation }));
    assert.match((await view().page.locator('.empty').textContent()) ?? '', /has not run yet/);
    await show(buildUnfinished('new', { conversation, reason: 'This case cannot run.' }));
    assert.match((await view().page.locator('.notice').textContent()) ?? '', /cannot run/);
    assert.doesNotMatch((await view().page.locator('.empty').textContent()) ?? '', /Run it/);
    await show(buildSnapshot({ changed: 'case' }));
    assert.match((await view().page.locator('.notice').textContent()) ?? '', /has changed/);
    await show(buildUnfinished('cancelled'));
    assert.match((await view().page.locator('.facts').textContent()) ?? '', /^Cancelled/);
  });

  it('shows the error of a turn in the color of text, because that of errors can be pale', async () => {
    const { entries, ...rest } = longTalk(2);
    const errored = entries.map((one) =>
      one.kind === 'turn' && one.number === 2 ? { ...one, error: 'The target failed.' } : one,
    );
    await show(buildSnapshot({ conversation: { ...rest, entries: errored }, verdicts: [] }));
    // The color of VS Code's own light theme.
    await view().page.evaluate(
      "document.documentElement.style.setProperty('--vscode-errorForeground', '#f85149')",
    );
    assert.equal(await turn(2).locator('.failed').textContent(), 'The target failed.');
    const [shown, text] = await view().page.evaluate<string[]>(
      "['.failed', '[data-turn=\"2\"]'].map((one) => getComputedStyle(document.querySelector(one)).color)",
    );
    assert.equal(shown, text);
  });

  it('shows why a case was skipped, and not as an error', async () => {
    const colors: string[] = [];
    for (const status of ['error', 'skipped'] as const) {
      await show(buildSnapshot({ status, reason: 'Waits for the address service' }));
      const color = await view().page.evaluate<string>(
        `getComputedStyle(document.querySelector('.notice[data-status="${status}"]')).borderLeftColor`,
      );
      colors.push(color);
    }
    assert.notEqual(colors[0], colors[1]);
  });

  it('links to the broken line of a data file, also by keyboard', async () => {
    const start = { line: 2, character: 0 };
    const fault = { path: '/work/talks.jsonl', range: { start, end: start } };
    await show(buildSnapshot({ status: 'error', reason: 'invalid-case: Broken.', fault }));
    const open = view().page.locator('.notice').getByText('Go to line');
    await open.focus();
    await view().page.keyboard.press('Enter');
    assert.deepEqual((await view().posted()).at(-1), { kind: 'open-fault' });
  });

  it('requests what the judge saw by keyboard, for verdicts of judges', async () => {
    const judge = { model: 'openai:judge', prompt_hash: 'p', samples: 1, spread: null };
    const judged = buildVerdict({ status: 'fail', score: 0, judge, key: 'Tone' });
    await show(buildSnapshot({ verdicts: [judged, buildVerdict({ status: 'fail', score: 0 })] }));
    const saw = view().page.getByRole('link', { name: 'What the judge saw for' });
    assert.equal(await saw.count(), 1);
    await saw.focus();
    await view().page.keyboard.press('Enter');
    assert.deepEqual((await view().posted()).at(-1), { kind: 'show-request', key: 'Tone' });
  });

  it('offers to judge again if an assertion was edited, also by keyboard', async () => {
    const judge = () => view().page.locator('.notice').getByRole('button', { name: 'Judge again' });
    const verdict = buildVerdict({ status: 'pass', score: 1, question_hash: 'then' });
    await show(buildSnapshot({ verdicts: [verdict], assertions: [] }));
    assert.match(
      (await view().page.locator('.notice').textContent()) ?? '',
      /assertions of the case have changed/,
    );
    await judge().focus();
    await view().page.keyboard.press('Enter');
    assert.deepEqual((await view().posted()).at(-1), { kind: 'judge-again' });
    const unknown = buildVerdict({ status: 'pass', score: 1 });
    await show(buildSnapshot({ changed: 'case', verdicts: [unknown] }));
    assert.equal(await judge().count(), 1);
    await show(buildSnapshot());
    assert.equal(await view().page.locator('.notice').count(), 0);
  });

  it('ignores invalid messages', async () => {
    await show();
    await view().page.evaluate("window.postMessage({ kind: 'snapshot', snapshot: {} }, '*')");
    assert.equal(await view().page.locator('.turn').count(), 4);
  });

  it('never shows a failing score as its threshold', async () => {
    const turns: TurnVerdict[] = [{ turn: 2, status: 'fail', score: 0.997, rationale: '' }];
    const verdict = buildVerdict({ status: 'fail', score: 0.997, threshold: 1, turns });
    await show(buildSnapshot({ score: 0.7999, threshold: 0.8, verdicts: [verdict] }));
    const badges = await view().page.locator('.badge .score').allTextContents();
    assert.deepEqual(badges, ['0.7999', '0.997', '0.997', '0.997']);
    const title = (await view().page.locator('.top .title').textContent()) ?? '';
    assert.match(title, /threshold 0\.80/);
  });
});
