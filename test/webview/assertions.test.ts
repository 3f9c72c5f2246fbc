import assert from 'node:assert/strict';
import { it } from 'node:test';
import { buildVerdict } from '../support/build.ts';
import { describeView } from '../support/view/describeView.ts';
import {
  buildSnapshot,
  buildStated,
  buildUnfinished,
  entry,
  longTalk,
} from '../support/view/snapshots.ts';

const CRITERION =
  'The assistant names the order in each reply, and never one that the user did not name.';
const CUT = 'The assistant names the order in each reply, …';

const lines = (count: number, words: string) =>
  Array.from({ length: count }, (_, index) => `Turn ${index + 1}: ${words}`);

describeView('the verdicts of the conversation view', ({ view, show, turn, focused }) => {
  const row = (index: number) => view().page.locator('.assertions > .assertion').nth(index);

  it('show the full text of a criterion, above and at each turn', async () => {
    const stated = buildStated({ name: CUT, keys: [{ key: 'criterion', text: CRITERION }] });
    const turns = [entry(2, 'fail', 'It was')];
    const verdict = buildVerdict({ name: CUT, status: 'fail', score: 0, turns });
    await show(buildSnapshot({ assertions: [stated], verdicts: [verdict] }));
    assert.equal(await row(0).locator('.name').textContent(), CRITERION);
    assert.equal(await turn(2).locator('.rationale .name').textContent(), CRITERION);
    assert.equal((await row(0).textContent())?.split(CRITERION).length, 2, 'said once');
  });

  it('show the type and keys of each assertion, including nested ones', async () => {
    const value = [{ key: 'value', text: 'shipped' }];
    const prompt = [{ key: 'prompt text', text: 'How warm is it? '.repeat(80) }];
    const inner = buildStated({ type: 'contains', name: 'contains', keys: value });
    await show(
      buildSnapshot({
        assertions: [
          buildStated({ type: 'contains', name: 'contains', summary: 'The text.', keys: value }),
          buildStated({ index: 1, type: 'llm-judge', name: 'Tone', keys: prompt }),
          buildStated({ index: 2, type: 'all-of', name: 'Both', nested: [inner] }),
        ],
        verdicts: [
          buildVerdict({ type: 'contains', status: 'pass', score: 1 }),
          buildVerdict({ index: 1, type: 'llm-judge', name: 'Tone', status: 'pass', score: 1 }),
          buildVerdict({
            index: 2,
            type: 'all-of',
            name: 'Both',
            status: 'fail',
            score: 0,
            nested: [buildVerdict({ type: 'contains', status: 'fail', score: 0 })],
          }),
        ],
      }),
    );
    assert.match((await row(0).locator('summary').textContent()) ?? '', /containsvalue shipped/);
    await row(0).locator('summary').click();
    const stated = (await row(0).locator('.stated').innerText()).split(/\n+/);
    assert.deepEqual(stated, ['contains: The text.', 'value', 'shipped']);
    await row(1).locator('summary').first().click();
    assert.equal(await row(1).locator('.key').getAttribute('open'), null, 'a long text is folded');
    assert.match((await row(2).locator('.nested .key').textContent()) ?? '', /valueshipped/);
  });

  it("don't present the current file as what was judged", async () => {
    const stated = buildStated({ name: CUT, keys: [{ key: 'criterion', text: CRITERION }] });
    const verdict = buildVerdict({ name: CUT, status: 'fail', score: 0 });
    await show(buildSnapshot({ changed: 'case', assertions: [stated], verdicts: [verdict] }));
    assert.equal(await row(0).locator('.name').textContent(), CUT);
    assert.match((await row(0).locator('.stated').textContent()) ?? '', /^In the file now:/);
    const other = buildStated({ name: 'Another.', keys: [{ key: 'criterion', text: 'Another.' }] });
    await show(buildSnapshot({ assertions: [other], verdicts: [verdict] }));
    assert.equal(await row(0).locator('.stated').count(), 0);
    assert.equal(await view().page.locator('.assertion').count(), 1);
  });

  it('keep their text if another part of the case changed, even if they moved', async () => {
    const asked = { key: 'criterion#1', question_hash: 'same' };
    const keys = [{ key: 'criterion', text: CRITERION }];
    const moved = buildStated({ key: asked.key, index: 3, questionHash: 'same', name: CUT, keys });
    const verdict = buildVerdict({ ...asked, name: CUT, status: 'fail', score: 0 });
    await show(buildSnapshot({ changed: 'case', assertions: [moved], verdicts: [verdict] }));
    assert.equal(await row(0).locator('.name').textContent(), CRITERION);
    assert.equal(await row(0).locator('.stated').count(), 0);
    const edited = { ...moved, questionHash: 'other' };
    await show(buildSnapshot({ assertions: [edited], verdicts: [verdict] }));
    assert.equal(await row(0).locator('.name').textContent(), CUT);
    assert.match((await row(0).locator('.stated').textContent()) ?? '', /^In the file now:/);
  });

  it('are in file order, even before they have a verdict', async () => {
    const assertions = ['One', 'Two', 'Three'].map((name, index) => buildStated({ index, name }));
    const two = buildVerdict({ index: 1, name: 'Two', status: 'pass', score: 1 });
    await show(buildUnfinished('running', { assertions, verdicts: [two] }));
    assert.deepEqual(await view().page.locator('.assertion > summary').allTextContents(), [
      '…waitingOne',
      '✓1.00passedTwo',
      '…waitingThree',
    ]);
  });

  it('list at most ten turns as links, and the others on demand', async () => {
    const verdict = buildVerdict({
      name: 'Remembers',
      status: 'fail',
      score: 0,
      misses: lines(983, 'forgot the order'),
    });
    await show(buildSnapshot({ conversation: longTalk(60), verdicts: [verdict] }));
    const shown = row(0).locator('.misses > ul > li');
    assert.equal(await shown.count(), 10);
    assert.equal(await shown.nth(9).textContent(), 'Turn 10: forgot the order');
    assert.equal(await row(0).locator('.misses > .label').textContent(), 'What failed (983)');
    const more = row(0).locator('.misses .more');
    assert.equal(await more.locator('summary').textContent(), 'and 973 more');
    assert.equal(await more.locator('li').first().isVisible(), false);
    await more.locator('summary').focus();
    await view().page.keyboard.press('Enter');
    await more.getByRole('link', { name: 'Turn 51, Remembers' }).click();
    assert.equal(await focused(), 'turn 51');
    assert.equal(await more.getByRole('link').count(), 50, 'a turn that is not there is no link');
  });

  it('link to each turn that a line cites', async () => {
    const misses = ['Turns 2, 3 and 4: called twice', '“Inner”: turn 2 says nothing'];
    const verdict = buildVerdict({ name: 'Calls', status: 'fail', score: 0, misses });
    await show(buildSnapshot({ verdicts: [verdict] }));
    assert.deepEqual(await row(0).locator('.misses li').allTextContents(), misses);
    const links = await row(0).locator('.misses').getByRole('link').allTextContents();
    assert.deepEqual(links, ['2', '3', '4', 'turn 2']);
    await row(0).getByRole('link', { name: 'Turn 3, Calls' }).press('Enter');
    assert.equal(await focused(), 'turn 3');
  });

  it('list at most ten turns if a text cites more', async () => {
    const numbers = Array.from({ length: 40 }, (_, index) => index + 1).join(', ');
    const text = `Turns ${numbers}: 3 of 40 hold it.`;
    const verdict = buildVerdict({ status: 'fail', score: 0, rationale: text, misses: [text] });
    await show(buildSnapshot({ conversation: longTalk(40), verdicts: [verdict] }));
    for (const place of [row(0).locator('.why'), row(0).locator('.misses li')]) {
      const links = place.getByRole('link');
      assert.equal(
        await place.innerText(),
        'Turns 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 30 more: 3 of 40 hold it.',
      );
      assert.equal(await links.count(), 10);
      await place.locator('summary').click();
      assert.match(
        await place.innerText(),
        / 9, 10 and 30 more \(11, 12, .*, 40\): 3 of 40 hold it\.$/,
      );
      await links.last().click();
      assert.equal(await focused(), 'turn 40');
    }
  });

  it('collapse hits, even if there are misses', async () => {
    const verdict = buildVerdict({
      status: 'fail',
      score: 0,
      hits: lines(12, 'fine'),
      misses: lines(1, 'not'),
    });
    await show(buildSnapshot({ verdicts: [verdict] }));
    const hits = row(0).locator('.hits');
    assert.equal(await hits.locator('summary').first().textContent(), 'What passed (12)');
    assert.equal(await hits.getAttribute('open'), null);
    assert.equal(await row(0).locator('.misses li').first().isVisible(), true);
  });

  it('show scale, samples, the path through a graph, and the contents of a group', async () => {
    const judge = { model: 'replay:j', prompt_hash: '0', samples: 3, spread: 0.4 };
    const path = [{ node: 'done', asked: 'Is <b>it</b> done?', answer: 'no', why: 'Not yet.' }];
    const common = { status: 'fail', score: 0 } as const;
    await show(
      buildSnapshot({
        verdicts: [
          buildVerdict({
            name: 'Stars',
            status: 'fail',
            score: 0.25,
            value: 2,
            scale: [1, 5],
            judge: { ...judge, unstable: true },
          }),
          buildVerdict({ index: 1, name: 'Graph', ...common, details: { path } }),
          buildVerdict({
            index: 2,
            name: 'Group',
            ...common,
            nested: [buildVerdict({ name: 'Inner', ...common })],
          }),
        ],
      }),
    );
    const [stars, graph, group] = await Promise.all(
      [0, 1, 2].map((index) => row(index).textContent()),
    );
    assert.match(stars ?? '', /2⚠ unstablethreshold 3 of 1–5 · asked 3 times, spread 0\.40/);
    assert.match(graph ?? '', /done Is <b>it<\/b> done\? noNot yet\./);
    assert.match(group ?? '', /Group.*Inner/s);
    assert.equal(await view().page.locator('.assertion .assertion button').count(), 0);
  });
});
