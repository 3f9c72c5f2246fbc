import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Conversation, toConversation } from '../../src/core/conversation.ts';
import type { TurnVerdict } from '../../src/core/verdict.ts';
import { buildTurnVerdict, buildVerdict } from '../support/build.ts';
import { describeView } from '../support/view/describeView.ts';
import { buildSnapshot, buildUnfinished, entry } from '../support/view/snapshots.ts';

/** Verdicts on turn 2, each with a quote. */
function quoting(...entries: readonly TurnVerdict[]) {
  return entries.map((one, index) =>
    buildVerdict({
      index,
      name: `Says ${one.status}`,
      status: one.status,
      score: one.score,
      turns: [one],
    }),
  );
}

function talk(reply: string): Conversation {
  return toConversation([
    { message: { role: 'user', content: 'Hi' } },
    { message: { role: 'assistant', content: reply } },
  ]);
}

describeView('quotes in the conversation view', ({ view, show, turn }) => {
  const marks = (number: number) => turn(number).locator('mark').allTextContents();
  /** The marked texts, by the status of the verdict that quotes them. */
  const marked = async (status: string) =>
    (await turn(2).locator(`mark[data-status="${status}"]`).allTextContents()).join('');

  it('are marked in the rendered text and in the source', async () => {
    await show();
    const words = async () => (await marks(2)).join('').replace(/\s+/g, '');
    assert.equal(await words(), 'Itwasshippedyesterday.');
    assert.deepEqual(await marks(4), ['Which order was that?']);
    const menu = view().page.locator('turnlight-dropdown[aria-label="Text"]');
    await menu.click();
    await menu.locator('turnlight-option', { hasText: 'Source' }).click();
    assert.equal(await words(), 'Itwas**shipped**yesterday.');
    assert.deepEqual(await marks(4), ['Which order was that?']);
  });

  it("are not marked if the turn doesn't contain them, which is reported", async () => {
    await show();
    const told = turn(4).locator('.unverified', { hasText: 'not found in this turn' });
    assert.equal(await told.count(), 1);
    assert.equal(await turn(4).locator('mark', { hasText: 'never said' }).count(), 0);
  });

  it('are not needed to open the tool call that a failing verdict names', async () => {
    const call = (name: string) => ({ id: name, name, arguments: { order: 7 } });
    const calls = ['find_order', 'find', 'issue.refund', 'log'].map(call);
    const conversation = toConversation([
      { message: { role: 'user', content: 'Hi' } },
      { message: { role: 'assistant', content: '', toolCalls: calls } },
    ]);
    const verdicts = quoting(
      buildTurnVerdict(2, 'fail', 0, { rationale: 'called find_order {"order":7}; issue.refund.' }),
      buildTurnVerdict(2, 'pass', 1, { rationale: 'called log' }),
    );
    const opened = () => turn(2).locator('details.tool[open] code').allTextContents();
    await show(buildUnfinished('running', { conversation, verdicts }));
    assert.deepEqual(await opened(), [], 'what one reads would move');
    await show(buildSnapshot({ conversation, verdicts }));
    assert.deepEqual(await opened(), ['find_order', 'issue.refund']);
  });

  it('are marked if they contain hidden characters', async () => {
    const said = 'It left\u200b our ware\u00adhouse.';
    const verdicts = quoting(entry(2, 'pass', said));
    await show(buildSnapshot({ conversation: talk(said), verdicts }));
    assert.deepEqual(await marks(2), ['It left[U+200B] our ware[U+00AD]house.']);
  });

  it('are marked if Markdown renders them differently', async () => {
    const said = 'See [our page](https://a.test) for `code`, and 1 * 2.';
    const verdicts = quoting(entry(2, 'fail', said));
    await show(buildSnapshot({ conversation: talk(said), verdicts }));
    assert.equal((await marks(2)).join(''), 'See our page (https://a.test) for code, and 1 * 2.');
  });

  it('are marked in a reply of thousands of links', async () => {
    const said = '[a](b) '.repeat(20_000).trim();
    const verdicts = quoting(entry(2, 'fail', '[a](b)'));
    await show(buildSnapshot({ conversation: talk(said), verdicts }));
    assert.equal((await marks(2)).join(''), 'a (b)');
  });

  it('of failing and passing verdicts differ in icon, line, and accessible text', async () => {
    const said = 'One two three four.';
    const verdicts = quoting(entry(2, 'pass', 'One two three'), entry(2, 'fail', 'two three four'));
    await show(buildSnapshot({ conversation: talk(said), verdicts }));
    assert.equal(await marked('pass'), 'One ');
    assert.equal(await marked('fail'), 'two three four');
    const look = (status: string) =>
      view().page.evaluate<string[]>(
        `(() => {
          const mark = document.querySelector('mark[data-status="${status}"]');
          return [getComputedStyle(mark, '::before').content, getComputedStyle(mark).textDecorationStyle];
        })()`,
      );
    assert.deepEqual(await look('pass'), ['"✓ " / "Quoted by a verdict that passes: "', 'dotted']);
    assert.deepEqual(await look('fail'), ['"✗ " / "Quoted by a verdict that fails: "', 'wavy']);
  });

  it('of failing verdicts come before those of passing ones', async () => {
    const verdicts = quoting(
      entry(2, 'pass', 'One'),
      entry(2, 'skipped', ''),
      entry(2, 'error', 'two'),
      entry(2, 'fail', 'three'),
    );
    await show(buildSnapshot({ conversation: talk('One two three.'), verdicts }));
    assert.deepEqual(await turn(2).locator('.rationale .name').allTextContents(), [
      'Says fail',
      'Says error',
      'Says pass',
      'Says skipped',
    ]);
    assert.equal(
      await turn(2).locator('.rationales > summary').textContent(),
      'Verdicts: 1 failed, 1 errored, 1 passed, 1 skipped about turn 2',
    );
  });

  it('are marked in the arguments and the result of a tool call, which is expanded', async () => {
    const { conversation } = buildSnapshot();
    const verdicts = quoting(
      entry(2, 'fail', '{"order":98765}'),
      entry(2, 'pass', '"status":"shipped"'),
    );
    await show(buildSnapshot({ conversation, verdicts }));
    const tool = turn(2).locator('details.tool');
    assert.equal(await tool.getAttribute('open'), '');
    assert.equal((await marked('fail')).replace(/\s/g, ''), '{"order":98765}');
    assert.equal((await marked('pass')).replace(/\s/g, ''), '"status":"shipped"');
  });

  it("are marked across the name of a tool and its arguments, not in the view's own words", async () => {
    const verdicts = quoting(entry(2, 'fail', 'lookup {"order":98765}\n{"status":"shipped"}'));
    await show(buildSnapshot({ verdicts }));
    const words = (await marked('fail')).replace(/\s/g, '');
    assert.equal(words, 'lookup{"order":98765}{"status":"shipped"}');
    assert.equal(await turn(2).locator('.label mark').count(), 0);
  });

  it('are marked in retrieved context, which is expanded', async () => {
    const conversation = toConversation([
      { message: { role: 'user', content: 'Hi' } },
      {
        message: {
          role: 'assistant',
          content: 'Yes.',
          retrievalContext: ['Returns take 30 days.', 'Other.'],
        },
      },
    ]);
    const verdicts = quoting(entry(2, 'pass', 'Returns take 30 days.'));
    await show(buildSnapshot({ conversation, verdicts }));
    assert.deepEqual(await marks(2), ['Returns take 30 days.']);
    assert.equal(await turn(2).locator('details.tool').getAttribute('open'), '');
  });
});
