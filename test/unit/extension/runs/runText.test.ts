import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runText } from '../../../../src/extension/runs/runText.ts';
import type { ListedRun } from '../../../../src/store/records/list.ts';

const RUN: ListedRun = {
  id: 'aaaa',
  records: ['/work/.turnlight/runs/x-aaaa.jsonl'],
  run: {
    kind: 'run',
    version: 2,
    id: 'aaaa',
    started: '2026-01-01T00:00:00.000Z',
    files: [{ path: '/work/support.eval.yaml', hash: '' }],
    options: {},
    judges: [],
  },
  note: {},
  state: 'finished',
  counts: { pass: 12, fail: 1, error: 1, skipped: 0 },
  cost: 0.0123,
  duration: 3200,
};

const text = (given: Partial<ListedRun> = {}) =>
  runText(
    { ...RUN, ...given },
    () => 'noon of May 5',
    () => 'noon',
  );

describe('the row of a run in the list', () => {
  it('has files, result, cost, and time', () => {
    assert.deepEqual(text(), {
      label: 'support.eval.yaml',
      description: '12/13 · 1 errored · noon · 0.0123 · 3.2 s',
      detail: '12 of 13 passed, 1 failed, 1 errored · cost 0.0123 · 3.2 s · noon of May 5',
      spoken:
        'support.eval.yaml, 12 of 13 passed, 1 failed, 1 errored, cost 0.0123, 3.2 s, noon of May 5',
      icon: 'failed',
    });
  });

  it('has the name that the user gave, and shows that it is pinned', () => {
    const { label, detail, description } = text({ note: { name: 'Old prompt', pinned: true } });
    assert.equal(label, 'Old prompt');
    assert.match(detail, /^pinned · 12 of 13/);
    assert.match(description, /^pinned · 12\/13/);
  });

  it('counts errored cases instead of a share if nothing passed or failed', () => {
    const { description, detail } = text({ counts: { pass: 0, fail: 0, error: 3, skipped: 1 } });
    assert.match(description, /^3 errored · 1 skipped · noon/);
    assert.match(detail, /^3 errored, 1 skipped · /);
    const none = text({ counts: { pass: 0, fail: 0, error: 0, skipped: 0 } });
    assert.match(none.detail, /^no case finished · /);
  });

  it('counts the files beyond the first', () => {
    const files = ['a', 'b', 'c'].map((name) => ({ path: `/w/${name}.eval.yaml`, hash: '' }));
    assert.equal(text({ run: { ...RUN.run, files } }).label, 'a.eval.yaml and 2 more');
  });

  it('leaves out unknown values, and says why it ended early', () => {
    const counts = { pass: 2, fail: 0, error: 0, skipped: 0 };
    const going = { counts, cost: null, duration: undefined };
    assert.equal(
      text({ ...going, state: 'running' }).detail,
      'running · 2 of 2 passed · noon of May 5',
    );
    assert.equal(text({ ...going, state: 'running' }).icon, 'running');
    assert.equal(text({ ...going, state: 'unfinished' }).description, '2/2 · not finished · noon');
    assert.equal(text({ ...going, state: 'finished' }).icon, 'passed');
    for (const state of ['unfinished', 'cancelled', 'stopped'] as const) {
      assert.equal(text({ ...going, state }).icon, 'none', state);
    }
  });

  it('draws no icons from names, and shows hidden characters', () => {
    const { label } = text({ note: { name: '$(trash) a\u202eb' } });
    assert.equal(label, '\\$(trash) a[U+202E]b');
  });
});
