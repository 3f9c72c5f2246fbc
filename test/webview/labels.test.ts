import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Opinion } from '../../src/core/record/label.ts';
import type { Snapshot } from '../../src/protocol/viewProtocol.ts';
import { buildVerdict } from '../support/build.ts';
import { describeView } from '../support/view/describeView.ts';
import { buildSnapshot, buildStated } from '../support/view/snapshots.ts';

function opinion(given: Partial<Opinion> = {}): Opinion {
  return { assertion: 'Remembers', status: 'fail', person: 'ann', standing: 'current', ...given };
}

function labeled(
  given: readonly Opinion[] = [],
  built: Partial<Snapshot> = {},
  problems: string[] = [],
): Snapshot {
  return buildSnapshot({
    ...built,
    labels: { person: 'ann', given: [...given], tallies: [], undo: true, problems },
  });
}

describeView('labels in the conversation view', ({ view, show, turn, focused }) => {
  const row = (index: number) => view().page.locator('.assertions > .assertion').nth(index);
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await view().page.keyboard.press(key);
  };
  const labels = async () => (await view().posted()).filter(({ kind }) => kind.endsWith('label'));

  it('are unavailable if there is nothing to label, or no person', async () => {
    await show();
    assert.equal(await view().page.locator('.people').count(), 0);
    await press('v', 'r', 'w', 'u');
    assert.deepEqual(await labels(), []);
  });

  it('can be given with keys only: to a verdict, and to its result for a turn', async () => {
    await show(labeled());
    await press('v');
    assert.equal(await focused(), 'assertion 0');
    await press('r');
    await press('v', 'v');
    assert.equal(await focused(), 'verdict ["Remembers",2]');
    const place = view().page.locator(':focus');
    assert.equal(await place.getAttribute('aria-label'), 'Remembers, passed, score 1.00, turn 2');
    await press('w');
    // The opposite status is preselected and focused.
    const chosen = view().page.locator('.label-form input:checked');
    assert.equal(await chosen.locator('..').innerText(), 'failed');
    await press('Tab');
    await view().page.keyboard.type('Not <b>shipped</b>');
    await press('Enter');
    assert.deepEqual(await labels(), [
      { kind: 'label', assertion: 'Remembers', status: 'fail' },
      {
        kind: 'label',
        assertion: 'Remembers',
        turn: 2,
        status: 'fail',
        comment: 'Not <b>shipped</b>',
      },
    ]);
    assert.equal(await focused(), 'verdict ["Remembers",2]');
    await press('u');
    assert.equal((await labels()).at(-1)?.kind, 'undo-label');
    await press('w', 'Escape');
    assert.equal(await view().page.locator('.label-form').count(), 0);
    assert.equal(await focused(), 'verdict ["Remembers",2]');
  });

  it('show the labels of several people, and those of an earlier text', async () => {
    const comment = 'Rude <img src=x>';
    await show(
      labeled([
        opinion(),
        opinion({ person: 'bob', status: 'pass', comment }),
        opinion({ person: 'cy', status: 'skipped', turn: 4 }),
        opinion({ person: 'dan', turn: 4, standing: 'earlier-text' }),
      ]),
    );
    assert.equal(
      await row(0).locator('summary .opinions').textContent(),
      'you: right · others: 1 wrong',
    );
    const said = await row(0).locator('.people li').allTextContents();
    assert.deepEqual(said, ['ann (you): right', `bob: wrong, should be passed “${comment}”`]);
    assert.equal(
      await row(0)
        .getByRole('button', { name: /^Right: Remembers, failed, score 0.50$/ })
        .getAttribute('aria-pressed'),
      'true',
    );
    assert.deepEqual(await turn(4).locator('.people li').allTextContents(), [
      'cy: wrong, it does not apply',
      'dan: right · the label is for an earlier version of the text',
    ]);
    // Choosing *Right* again removes the label.
    await row(0)
      .getByRole('button', { name: /^Right/ })
      .click();
    assert.deepEqual((await labels()).at(-1), { kind: 'remove-label', assertion: 'Remembers' });
    await row(0)
      .getByRole('button', { name: /^Remove label/ })
      .focus();
    await press('Delete');
    assert.equal((await labels()).length, 2);
  });

  it('expand disputed verdicts, and report invalid lines', async () => {
    const other = { assertion: 'Invents a quote', person: 'bob' };
    const isOpen = async () => [
      await row(1).getAttribute('open'),
      await turn(2).locator('.rationales').getAttribute('open'),
    ];
    await show(labeled([opinion({ ...other, standing: 'earlier-text' })]));
    assert.deepEqual(await isOpen(), [null, null]);
    const problems = ['shop.labels/bob.jsonl:3: This line is not JSON.'];
    await show(labeled([opinion(other), opinion({ turn: 2 })], {}, problems));
    assert.deepEqual(await isOpen(), ['', '']);
    assert.equal(await view().page.locator('.notice').innerText(), `⚠ ${problems[0]}`);
  });

  it('mark a yes as right, without its label', async () => {
    const verdicts = [buildVerdict({ name: 'Kind', status: 'pass', score: 1, label: 'yes' })];
    await show(labeled([], { verdicts }));
    await press('v', 'r');
    assert.deepEqual(await labels(), [{ kind: 'label', assertion: 'Kind', status: 'pass' }]);
  });

  it('can be given to nested verdicts, which are collapsed', async () => {
    const tone = buildVerdict({ name: 'Tone', key: 'Refund/Tone', status: 'pass', score: 1 });
    const group = {
      name: 'Refund',
      key: 'Refund',
      type: 'all-of',
      status: 'pass',
      score: 1,
    } as const;
    const verdicts = [{ ...buildVerdict(group), nested: [tone] }];
    await show(labeled([], { verdicts }));
    await press('v', 'v');
    assert.equal(await focused(), 'assertion 0.0');
    await press('r');
    assert.deepEqual(await labels(), [{ kind: 'label', assertion: 'Refund/Tone', status: 'pass' }]);
    await show(labeled([opinion({ assertion: 'Refund/Tone' })], { verdicts }));
    assert.equal(await row(0).getAttribute('open'), '');
    assert.equal(await row(0).locator('.nested .opinions').innerText(), 'you: wrong');
  });

  it('take a label of the judge, or a score on its scale', async () => {
    const tone = buildStated({ name: 'Tone', key: 'Tone', labels: { polite: 1, curt: 0.2 } });
    await show(
      labeled([], {
        assertions: [tone],
        verdicts: [
          buildVerdict({ name: 'Tone', key: 'Tone', status: 'pass', score: 1, label: 'polite' }),
          buildVerdict({
            name: 'Rank',
            index: 1,
            status: 'pass',
            score: 0.75,
            value: 4,
            scale: [1, 5],
          }),
          buildVerdict({ name: 'Late', index: 2, status: 'error', score: null, reason: 'timeout' }),
        ],
      }),
    );
    await press('v', 'w');
    const choices = () =>
      view().page.locator('.label-form .choices').first().locator('label').allInnerTexts();
    assert.deepEqual(await choices(), [
      'polite (1.00, passed)',
      'curt (0.20, failed)',
      'does not apply',
    ]);
    await view().page.getByLabel('curt').check();
    await press('Enter');
    await press('v', 'w');
    await view()
      .page.getByLabel(/Score from 1 to 5/)
      .fill('9');
    await press('Enter');
    assert.equal(
      await view().page.locator('.label-form .fault').innerText(),
      'Enter a score from 1 to 5.',
    );
    await view()
      .page.getByLabel(/Score from 1 to 5/)
      .fill('2');
    await press('Enter');
    await press('v', 'r');
    assert.equal(await view().page.locator('.label-form input:checked').count(), 0);
    await press('Enter');
    assert.match(
      await view().page.locator('.label-form .fault').innerText(),
      /Select what it should be/,
    );
    await press('Escape');
    assert.deepEqual(await labels(), [
      { kind: 'label', assertion: 'Tone', status: 'fail', label: 'curt', score: 0.2 },
      { kind: 'label', assertion: 'Rank', status: 'fail', score: 0.25 },
    ]);
  });

  it('keep an open form while others label', async () => {
    await show(labeled());
    await press('v', 'v', 'w', 'Tab');
    await view().page.keyboard.type('Half a com');
    await show(labeled([opinion({ person: 'bob' }), opinion({ person: 'bob', turn: 2 })]));
    assert.equal(await focused(), 'comment');
    await view().page.keyboard.type('ment');
    await press('Enter');
    const [last] = (await labels()).slice(-1);
    assert.ok(last?.kind === 'label' && last.comment === 'Half a comment');
  });
});
