import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toConversation } from '../../src/core/conversation.ts';
import type { Message } from '../../src/core/message.ts';
import { buildVerdict } from '../support/build.ts';
import { HOSTILE_TEXTS, hiddenIn, NEEDED_TEXTS } from '../support/hostileTexts.ts';
import { describeView } from '../support/view/describeView.ts';
import { buildSnapshot, buildStated, entry } from '../support/view/snapshots.ts';

describeView('hostile text in the conversation view', ({ view, show, turn }) => {
  /** Shows a conversation in which every field contains the text. */
  const showEverywhere = async (text: string) => {
    const said: Message[] = [
      { role: 'system', content: text },
      { role: 'user', content: text },
      {
        role: 'assistant',
        content: text,
        toolCalls: [{ id: text, name: text, arguments: text }],
        agent: text,
      },
      { role: 'tool', callId: text, content: text },
      { role: 'assistant', content: text, agent: `${text} too` },
    ];
    const verdict = buildVerdict({
      name: text,
      status: 'fail',
      score: 0,
      rationale: text,
      label: text,
      misses: [text],
      hits: [text],
      reason: text,
      details: { [text]: text, path: [{ node: text, asked: text, answer: text, why: text }] },
      turns: [{ ...entry(2, 'fail', text), rationale: text }],
    });
    const { type } = verdict.assertion;
    const keys = [{ key: text, text: `${text} ` }];
    const message = toConversation(
      said.map((message) => ({ message })),
      [text],
    );
    await show(
      buildSnapshot({
        suiteName: text,
        description: text,
        reason: text,
        state: { file: 'file:///a', id: text, repetition: 1 },
        conversation: message,
        assertions: [buildStated({ type, name: text, summary: text, keys })],
        verdicts: [verdict],
      }),
    );
  };

  it('stays text, wherever it comes from', async () => {
    const hostile =
      '<img src="http://127.0.0.1:9/x" onerror="globalThis.hacked=1"></script><script>globalThis.hacked=1</script><style>*{display:none}</style> [a](javascript:globalThis.hacked=1) ![b](http://127.0.0.1:9/y) \u202Eturned';
    await showEverywhere(hostile);
    const inside = ['img', 'script', 'style', 'a', 'iframe'].map((tag) => `#app ${tag}`).join(', ');
    assert.equal(await view().page.locator(inside).count(), 0);
    assert.equal(await view().page.evaluate('globalThis.hacked'), undefined);
    const text = (await turn(2).locator('.said').first().textContent()) ?? '';
    assert.ok(text.includes('<img src=') && text.includes('javascript:globalThis'), text);
    assert.ok(text.includes('[U+202E]turned'), 'a turner of direction is shown');
  });

  it("doesn't become much longer when it is rendered", async () => {
    const text = `[x]: ${'y'.repeat(10_000)}\n\n${'[x]'.repeat(3_000)}`;
    await showEverywhere(text);
    const shown = (await turn(2).locator('.said').first().textContent()) ?? '';
    assert.ok(shown.length < 2 * text.length, `${shown.length} characters`);
  });

  it('stays text if it has thousands of cells', async () => {
    const text = `${'a|'.repeat(11_000)}\n${'-|'.repeat(11_000)}`;
    await showEverywhere(text);
    const said = turn(2).locator('.said').first();
    assert.equal(await said.locator('th').count(), 0);
    assert.equal(await said.textContent(), text);
  });

  it("isn't indented if that makes nested JSON much longer", async () => {
    const nested = (depth: number) => `${'['.repeat(depth)}1,2${']'.repeat(depth)}`;
    const deep = `${nested(100).replace('1,2', Array.from({ length: 1_000 }, () => '1').join())}`;
    const results = [nested(3), deep, '{"a":"[[[[[[\\"[[[[[[[","b":[]}'];
    await show(
      buildSnapshot({
        conversation: toConversation(
          results.flatMap((content, index): { message: Message }[] => [
            {
              message: {
                role: 'assistant',
                content: '',
                toolCalls: [{ id: `${index}`, name: 'find', arguments: JSON.parse(content) }],
              },
            },
            { message: { role: 'tool', callId: `${index}`, content } },
          ]),
        ),
      }),
    );
    const shown = await turn(1).locator('.tool pre').allTextContents();
    const expected = results.map((one) =>
      one === deep ? one : JSON.stringify(JSON.parse(one), null, 2),
    );
    assert.deepEqual(
      shown,
      expected.flatMap((one) => [one, one]),
    );
  });

  it('shows hidden and deceptive characters, and keeps words that need them', async () => {
    /** The visible text, and the text that screen readers announce. */
    const shown = () =>
      view().page.evaluate<string>(
        "[document.querySelector('#app').textContent, ...[...document.querySelectorAll('#app *')].flatMap((one) => [one.ariaLabel, one.title])].join('\\n')",
      );
    for (const text of Object.values(HOSTILE_TEXTS)) {
      await showEverywhere(`zq ${text}`);
      assert.deepEqual(hiddenIn(await shown()), [], JSON.stringify(text));
    }
    await showEverywhere('zq a&#x202e;b `c&#8203;d` \u202ee');
    assert.deepEqual(hiddenIn(await shown()), []);
    for (const text of Object.values(NEEDED_TEXTS)) {
      await showEverywhere(text);
      const said = await turn(1).locator('.said').textContent();
      assert.equal(said?.trim(), text);
      assert.equal(await view().page.locator('h1').textContent(), text);
    }
  });
});
