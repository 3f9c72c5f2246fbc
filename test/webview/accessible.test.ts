import assert from 'node:assert/strict';
import { it } from 'node:test';
import { buildVerdict } from '../support/build.ts';
import { describeView } from '../support/view/describeView.ts';
import { buildSnapshot, entry } from '../support/view/snapshots.ts';
import { assertSpoken } from '../support/view/spoken.ts';

describeView('the conversation view for screen readers', ({ view, show }) => {
  it('includes the verdict and score in the name of each turn', async () => {
    const verdicts = [
      buildVerdict({
        status: 'fail',
        score: 0.5,
        turns: [entry(2, 'pass', 'It was'), entry(4, 'fail', 'Which')],
      }),
    ];
    await show(buildSnapshot({ verdicts }));
    const names = await view()
      .page.getByRole('article')
      .evaluateAll((all) => all.map((one) => one.ariaLabel));
    assert.deepEqual(names, [
      'Turn 1, User',
      'Turn 2, Assistant, passed, score 1.00',
      'Turn 3, User',
      'Turn 4, Assistant, failed, score 0.00',
    ]);
  });

  it('gives every link and button a unique name', async () => {
    const { conversation } = buildSnapshot();
    const sourced = conversation.entries.map((one) => {
      if (one.kind === 'system') return one;
      const start = { line: one.number, character: 0 };
      return { ...one, source: { path: '/a.eval.yaml', range: { start, end: start } } };
    });
    const misses = ['Turn 2: not so', 'Turn 4: not so'];
    const verdicts = ['Remembers', 'Brief'].map((name, index) =>
      buildVerdict({ index, name, status: 'fail', score: 0, misses }),
    );
    await show(buildSnapshot({ conversation: { entries: sourced, notes: [] }, verdicts }));
    const named = (role: 'link' | 'button') =>
      view()
        .page.getByRole(role)
        .evaluateAll((all) => all.map((one) => [one.ariaLabel, one.textContent]));
    const links = await named('link');
    assert.deepEqual(
      links.map(([name]) => name),
      [
        ...['Turn 2, Remembers', 'Turn 4, Remembers', 'Go to line of Remembers'],
        ...['Turn 2, Brief', 'Turn 4, Brief', 'Go to line of Brief'],
        ...[1, 2, 3, 4].map((turn) => `Go to line of turn ${turn}`),
      ],
    );
    for (const [name, words] of links) assert.ok(name?.includes(words ?? '?'), `${name}`);
    const buttons = (await named('button')).map(([name, words]) => name ?? words);
    assert.equal(new Set(buttons).size, buttons.length, buttons.join(', '));
  });

  it('is a tree in which every element has a role and a name', async () => {
    await show();
    const tree = await assertSpoken(view().page, [
      '- heading "late-order" [level=1]',
      '- group "Run and view"',
      '- button "Previous failure"',
      '- button "Next failure"',
      '- combobox "Turns shown"',
      '- region "Verdicts"',
      '- region "Conversation"',
      '- article "Turn 4, Assistant, failed, score 0.50"',
    ]);
    assert.doesNotMatch(tree, /[▸▾]/, 'signs that say nothing are not read out');
  });

  it('announces the outcome once', async () => {
    await show();
    const news = view().page.getByRole('status');
    assert.equal(await news.textContent(), 'late-order: failed');
    await view().page.evaluate(
      `globalThis.said = 0; new MutationObserver(() => { globalThis.said += 1; }).observe(document.querySelector('[role=status]'), { childList: true, characterData: true, subtree: true });`,
    );
    await show();
    await show(buildSnapshot({ status: 'pass', score: 1 }));
    assert.equal(await news.textContent(), 'late-order: passed');
    assert.equal(await view().page.evaluate('globalThis.said'), 1);
  });
});
