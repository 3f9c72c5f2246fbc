import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { toConversation } from '../../src/core/conversation.ts';
import type { Message } from '../../src/core/message.ts';
import type { TurnVerdict } from '../../src/core/verdict.ts';
import type { Snapshot } from '../../src/protocol/viewProtocol.ts';
import { buildTurnVerdict, buildVerdict } from '../support/build.ts';
import { launchBrowser } from '../support/host/browser.ts';
import { HOSTILE_TEXTS, hiddenIn, NEEDED_TEXTS } from '../support/hostileTexts.ts';
import { openView, type ViewPage } from '../support/viewPage.ts';

const MESSAGES: readonly Message[] = [
  { role: 'system', content: 'You are a support agent.' },
  { role: 'user', content: 'Where is my order 98765?' },
  {
    role: 'assistant',
    content: '',
    toolCalls: [{ id: 'c', name: 'lookup', arguments: { order: 98765 } }],
  },
  { role: 'tool', callId: 'c', content: '{"status":"shipped"}' },
  { role: 'assistant', content: 'It was **shipped**\n\nyesterday.' },
  { role: 'user', content: 'And the shoes?' },
  { role: 'assistant', content: 'Which order was that?' },
];

const entry = (turn: number, status: TurnVerdict['status'], text: string, verified = true) =>
  buildTurnVerdict(turn, status, status === 'pass' ? 1 : 0, {
    rationale: `Because of turn ${turn}.`,
    evidence: { text, verified },
  });

function snapshot(given: Partial<Snapshot> = {}): Snapshot {
  return {
    state: { file: 'file:///a.eval.yaml', id: 'late-order', repetition: 1 },
    phase: 'finished',
    suiteName: 'Support',
    repetitions: 1,
    stale: false,
    status: 'fail',
    score: 0.5,
    conversation: toConversation(MESSAGES.map((message) => ({ message }))),
    verdicts: [
      buildVerdict({
        name: 'Remembers',
        status: 'fail',
        score: 0.5,
        required: true,
        rationale: 'It forgets.',
        misses: ['Turn 4: forgot the order'],
        turns: [
          entry(2, 'pass', 'It was shipped yesterday.'),
          entry(4, 'fail', 'Which order was that?'),
        ],
      }),
      buildVerdict({
        index: 1,
        name: 'Invents a quote',
        status: 'pass',
        score: 1,
        turns: [entry(4, 'pass', 'never said', false)],
      }),
    ],
    ...given,
  };
}

describe('the conversation view in a browser, with its real policy', { timeout: 120_000 }, () => {
  let browser: Browser;
  let view: ViewPage;

  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser?.close());
  beforeEach(async () => {
    view = await openView(browser);
  });
  afterEach(async () => {
    const violations = await view.violations();
    await view.close();
    assert.deepEqual(violations, []);
    assert.deepEqual(view.strangers, []);
  });

  const show = async (given?: Partial<Snapshot>) => {
    await view.send({ kind: 'snapshot', snapshot: snapshot(given) });
    await view.page.locator('.top h1').waitFor();
  };

  it('says that it is ready, and keeps only what brings it back', async () => {
    await show();
    assert.deepEqual(await view.posted(), [{ kind: 'ready' }]);
    assert.deepEqual(await view.page.evaluate('globalThis.kept'), snapshot().state);
  });

  it('shows a badge on every turn, with icon, score and word', async () => {
    await show();
    const badges = await view.page.locator('.turn > header .badge').allTextContents();
    assert.deepEqual(badges, ['–not judged', '✓1.00passed', '–not judged', '✗0.50failed']);
  });

  it('says where the conversation comes from and why it stopped', async () => {
    await show({ origin: 'turns', stopReason: 'stop-on-failure' });
    const facts = view.page.locator('.facts');
    assert.match(
      (await facts.textContent()) ?? '',
      /^live conversation · stopped at a failing turn/,
    );
    await show({ origin: 'transcript' });
    assert.match((await facts.textContent()) ?? '', /^transcript( ·|$)/);
  });

  it('marks a quote in the rendered text and in the source', async () => {
    await show();
    const marks = view.page.locator('[data-turn="4"] mark');
    assert.deepEqual(await marks.allTextContents(), ['Which order was that?']);
    const split = await view.page.locator('[data-turn="2"] mark').allTextContents();
    assert.equal(split.join('').replace(/\s+/g, ' '), 'It was shipped yesterday.');
  });

  it('marks nothing for a quote that the turn does not hold, and says so', async () => {
    await show();
    const turn = view.page.locator('[data-turn="4"]');
    assert.equal(
      await turn.locator('.unverified', { hasText: 'not found in this turn' }).count(),
      1,
    );
    assert.equal(await turn.locator('mark', { hasText: 'never said' }).count(), 0);
  });

  it('folds tool calls under their turn and keeps system texts at their place', async () => {
    await show();
    const tool = view.page.locator('[data-turn="2"] details.tool');
    assert.match((await tool.textContent()) ?? '', /lookup.*98765.*Result.*shipped/s);
    assert.equal(await tool.getAttribute('open'), null);
    const first = view.page.locator('.conversation > *').first();
    assert.match((await first.textContent()) ?? '', /You are a support agent/);
  });

  it('opens what failed, and jumps to the next failure by key and by button', async () => {
    await show();
    assert.equal(await view.page.locator('[data-turn="4"] .rationales').getAttribute('open'), '');
    assert.equal(await view.page.locator('[data-turn="2"] .rationales').getAttribute('open'), null);
    await view.page.keyboard.press('n');
    assert.equal(await view.page.evaluate('document.activeElement.dataset.turn'), '4');
    await view.page.keyboard.press('k');
    assert.equal(await view.page.evaluate('document.activeElement.dataset.turn'), '3');
    await view.page.locator('turnlight-button', { hasText: 'Next failure' }).click();
    assert.equal(await view.page.evaluate('document.activeElement.dataset.turn'), '4');
  });

  it('keeps what a person opened and focused while it is live', async () => {
    await show({ phase: 'running' });
    await view.page.locator('[data-turn="2"] .rationales > summary').click();
    await view.page.locator('[data-turn="3"]').focus();
    await show({ phase: 'running', verdicts: [...snapshot().verdicts].reverse() });
    assert.equal(await view.page.locator('[data-turn="2"] .rationales').getAttribute('open'), '');
    assert.equal(await view.page.evaluate('document.activeElement.dataset.turn'), '3');
    assert.equal(await view.page.locator('.busy').textContent(), 'running …');
  });

  it('asks to run and to cancel, and leads to the file', async () => {
    await show();
    await view.page.locator('turnlight-button', { hasText: 'Run' }).click();
    await view.page.locator('.verdict button.link').first().click();
    await show({ phase: 'running' });
    await view.page.locator('turnlight-button', { hasText: 'Cancel' }).click();
    assert.deepEqual((await view.posted()).slice(1), [
      { kind: 'run' },
      { kind: 'open-assertion', index: 0 },
      { kind: 'cancel' },
    ]);
  });

  it('reveals a turn', async () => {
    await show();
    await view.send({ kind: 'reveal-turn', turn: 3 });
    await view.page.waitForFunction("document.activeElement.dataset.turn === '3'");
  });

  it('says when there is nothing yet, and when the case has changed', async () => {
    await show({ phase: 'empty', conversation: { entries: [], notes: [] }, verdicts: [] });
    assert.match((await view.page.locator('.empty').textContent()) ?? '', /has not run yet/);
    await show({ stale: true });
    assert.match((await view.page.locator('.notice').textContent()) ?? '', /has changed/);
  });

  it('shows scale, samples, the way through a graph and what a group holds', async () => {
    const judge = { model: 'replay:j', prompt_hash: '0', samples: 3, spread: 0.4 };
    const path = [{ node: 'done', asked: 'Is <b>it</b> done?', answer: 'no', why: 'Not yet.' }];
    await show({
      verdicts: [
        buildVerdict({
          name: 'Stars',
          status: 'fail',
          score: 0.25,
          value: 2,
          scale: [1, 5],
          judge: { ...judge, unstable: true },
        }),
        buildVerdict({ index: 1, name: 'Graph', status: 'fail', score: 0, details: { path } }),
        buildVerdict({
          index: 2,
          name: 'Group',
          status: 'fail',
          score: 0.5,
          nested: [buildVerdict({ name: 'Inner', status: 'fail', score: 0 })],
        }),
      ],
    });
    const [stars, graph, group] = await view.page.locator('.verdicts > .verdict').allTextContents();
    assert.match(stars ?? '', /2⚠ unstablethreshold 3 of 1–5 · asked 3 times, spread 0\.40/);
    assert.match(graph ?? '', /done Is <b>it<\/b> done\? noNot yet\./);
    assert.match(group ?? '', /Group.*Inner/s);
    assert.equal(await view.page.locator('.verdict .verdict button').count(), 0);
  });

  it('takes nothing that is no message of its own', async () => {
    await show();
    await view.page.evaluate("window.postMessage({ kind: 'snapshot', snapshot: {} }, '*')");
    assert.equal(await view.page.locator('.turn').count(), 4);
  });

  /** A conversation of which everything says the text. */
  const showEverywhere = async (text: string) => {
    const said: Message[] = [
      { role: 'system', content: text },
      { role: 'user', content: text },
      {
        role: 'assistant',
        content: text,
        toolCalls: [{ id: text, name: text, arguments: text }],
      },
      { role: 'tool', callId: text, content: text },
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
    await show({
      suiteName: text,
      description: text,
      reason: text,
      state: { file: 'file:///a', id: text, repetition: 1 },
      conversation: toConversation(
        said.map((message) => ({ message })),
        [text],
      ),
      verdicts: [verdict],
    });
    await view.page
      .locator('h1')
      .filter({ hasText: text.trim().slice(0, 2) })
      .waitFor();
  };

  it('shows hostile text as text, wherever it comes from', async () => {
    const hostile =
      '<img src="http://127.0.0.1:9/x" onerror="globalThis.hacked=1"></script><script>globalThis.hacked=1</script><style>*{display:none}</style> [a](javascript:globalThis.hacked=1) ![b](http://127.0.0.1:9/y) \u202Eturned';
    await showEverywhere(hostile);
    const inside = ['img', 'script', 'style', 'a', 'iframe'].map((tag) => `#app ${tag}`).join(', ');
    assert.equal(await view.page.locator(inside).count(), 0);
    assert.equal(await view.page.evaluate('globalThis.hacked'), undefined);
    const text = (await view.page.locator('[data-turn="2"] .said').first().textContent()) ?? '';
    assert.ok(text.includes('<img src=') && text.includes('javascript:globalThis'), text);
    assert.ok(text.includes('[U+202E]turned'), 'a turner of direction is shown');
  });

  it('shows what hides or deceives, and leaves words that need hidden characters', async () => {
    const shown = () => view.page.locator('#app').textContent();
    for (const text of Object.values(HOSTILE_TEXTS)) {
      await showEverywhere(`zq ${text}`);
      assert.deepEqual(hiddenIn((await shown()) ?? ''), [], JSON.stringify(text));
    }
    await showEverywhere('zq a&#x202e;b `c&#8203;d` \u202ee');
    assert.deepEqual(hiddenIn((await shown()) ?? ''), []);
    for (const text of Object.values(NEEDED_TEXTS)) {
      await showEverywhere(text);
      const turn = await view.page.locator('[data-turn="1"] .said').textContent();
      assert.equal(turn?.trim(), text);
      assert.equal(await view.page.locator('h1').textContent(), text);
    }
  });

  it('marks a quote that holds what nobody sees', async () => {
    const said = 'It left\u200b our ware\u00adhouse.';
    const verdict = buildVerdict({
      status: 'pass',
      score: 1,
      turns: [entry(2, 'pass', said)],
    });
    await show({
      conversation: toConversation(
        ['Hi', said].map((content, index) => ({
          message: { role: index === 0 ? 'user' : 'assistant', content },
        })),
      ),
      verdicts: [verdict],
    });
    const marks = await view.page.locator('[data-turn="2"] mark').allTextContents();
    assert.deepEqual(marks, ['It left[U+200B] our ware[U+00AD]house.']);
  });

  it('never shows a failing score as its threshold', async () => {
    const turns: TurnVerdict[] = [{ turn: 2, status: 'fail', score: 0.997, rationale: '' }];
    await show({
      score: 0.7999,
      threshold: 0.8,
      verdicts: [buildVerdict({ status: 'fail', score: 0.997, threshold: 1, turns })],
    });
    const badges = await view.page.locator('.badge .score').allTextContents();
    assert.deepEqual(badges, ['0.7999', '0.997', '0.997', '0.997']);
    assert.match((await view.page.locator('.top .title').textContent()) ?? '', /threshold 0\.80/);
  });

  it('keeps its layout with words that never end, at any width', async () => {
    const conversation = toConversation([
      { message: { role: 'user', content: 'x'.repeat(100_000) } },
      { message: { role: 'assistant', content: `\`${'y'.repeat(10_000)}\`` } },
    ]);
    await show({ conversation, verdicts: [] });
    await view.page.setViewportSize({ width: 340, height: 700 });
    assert.equal(
      await view.page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'),
      true,
    );
  });
});
