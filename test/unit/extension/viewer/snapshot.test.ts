import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { stateAssertions } from '../../../../src/assertions/stateAssertions.ts';
import { textOf, turnsOf } from '../../../../src/core/conversation.ts';
import type { LoadedSuite } from '../../../../src/evalfile/loadedSuite.ts';
import {
  type CaseSources,
  failingCasesIn,
  snapshotOf,
} from '../../../../src/extension/viewer/snapshot.ts';
import { conversationProtocol } from '../../../../src/protocol/viewProtocol.ts';
import { recordsIn } from '../../../../src/store/records/files.ts';
import { LatestRuns } from '../../../../src/store/records/latest.ts';
import { buildCaseLine, talk } from '../../../support/buildRun.ts';
import { load, SUITE, suiteWith, TRANSCRIPT } from '../../../support/evalFiles.ts';
import { workspaceWith } from '../../../support/runs.ts';

const state = { file: `file://${SUITE}`, id: 'one', repetition: 1 };
const LIVE = 'target: {type: command, command: [node]}\nturns: [Hi]\nassert: [It is friendly.]';
const turns = turnsOf(talk('Hi', 'Hello'));

/** The view's snapshot of a case, built in the same way as by the panel. */
function shown(
  suite: LoadedSuite,
  known: Partial<Pick<CaseSources, 'live' | 'finished' | 'changed'>> = {},
) {
  const suiteCase = suite.suite?.cases.find(({ id }) => id === state.id);
  const assertions = suiteCase ? stateAssertions(suiteCase) : [];
  return snapshotOf(state, { suite, assertions, live: undefined, finished: undefined, ...known });
}

describe('the snapshot of the conversation view', () => {
  it('shows the current conversation of a running case, not that of the last run', async () => {
    const suite = await load(suiteWith(LIVE));
    const finished = buildCaseLine({ id: 'one', status: 'pass', conversation: talk('Old', 'Old') });
    const live = { phase: 'running', turns, verdicts: [] } as const;
    const snapshot = shown(suite, { live, finished });
    assert.equal(snapshot.phase, 'running');
    assert.deepEqual(snapshot.conversation.entries, turns);
    assert.equal(snapshot.status, undefined);
  });

  it('marks an incomplete turn while the case runs', async () => {
    const suite = await load(suiteWith(LIVE));
    const [user, speaking] = turns;
    if (!user || !speaking) assert.fail();
    const live = { phase: 'running', turns: [user], speaking, verdicts: [] } as const;
    const snapshot = shown(suite, { live });
    assert.deepEqual(snapshot.conversation.entries, turns);
    assert.equal(snapshot.speaking, 2);
    assert.equal(
      conversationProtocol.toPage.safeParse({ kind: 'snapshot', snapshot }).success,
      true,
    );
    const cancelled = shown(suite, { live: { ...live, phase: 'cancelled' } });
    assert.equal(cancelled.speaking, undefined);
    assert.deepEqual(cancelled.conversation.entries, turns);
  });

  it('shows all of a transcript when a run starts, so that nothing moves', async () => {
    const suite = await load(suiteWith(TRANSCRIPT));
    const before = shown(suite).conversation;
    for (const phase of ['queued', 'running', 'cancelled'] as const) {
      const live = { phase, turns: [], verdicts: [] };
      assert.deepEqual(shown(suite, { live }).conversation, before, phase);
    }
    assert.equal(turnsOf(before).length, 2);
  });

  it('shows a finished case, and how it has changed since', async () => {
    const suite = await load(suiteWith(TRANSCRIPT));
    const finished = buildCaseLine({ id: 'one', status: 'pass', score: 1 });
    assert.equal(shown(suite, { finished }).changed, undefined);
    const snapshot = shown(suite, { finished, changed: 'input' });
    assert.equal(snapshot.changed, 'input');
    assert.equal(snapshot.status, 'pass');
    assert.equal(
      conversationProtocol.toPage.safeParse({ kind: 'snapshot', snapshot }).success,
      true,
    );
  });

  it('shows the transcript and the assertions if the case never ran', async () => {
    const snapshot = shown(await load(suiteWith(TRANSCRIPT)));
    assert.equal(snapshot.phase, 'new');
    assert.deepEqual(turnsOf(snapshot.conversation).map(textOf), ['Hi', 'Hello']);
    assert.deepEqual(
      snapshot.assertions.map(({ name }) => name),
      ['It is friendly.'],
    );
    assert.deepEqual(snapshot.verdicts, []);
  });

  it('has no turns if the target never answered', async () => {
    const snapshot = shown(await load(suiteWith(LIVE)));
    assert.equal(snapshot.phase, 'new');
    assert.deepEqual(snapshot.conversation.entries, []);
    assert.equal(snapshot.reason, undefined);
  });

  it("says why a case can't run", async () => {
    const broken = await load(suiteWith(`${TRANSCRIPT}\nthreshold: high`));
    assert.match(shown(broken).reason ?? '', /^This case cannot run\. suite\.eval\.yaml, line 5: /);
    const other = { ...state, id: 'gone' };
    const known = { suite: broken, assertions: [], live: undefined, finished: undefined };
    assert.equal(snapshotOf(other, known).reason, 'The file has no case "gone".');
  });

  it('shows the transcript even if another error prevents running', async () => {
    for (const wrong of [`${TRANSCRIPT}\nthreshold: high`, TRANSCRIPT.replace(/assert:.*/s, '')]) {
      const snapshot = shown(await load(suiteWith(wrong)));
      assert.match(snapshot.reason ?? '', /^This case cannot run/);
      assert.equal(turnsOf(snapshot.conversation).length, 2);
    }
  });

  it('keeps the turns of a canceled case', async () => {
    const live = { phase: 'cancelled', turns, verdicts: [] } as const;
    const snapshot = shown(await load(suiteWith(LIVE)), { live });
    assert.equal(snapshot.phase, 'cancelled');
    assert.deepEqual(snapshot.conversation.entries, turns);
  });

  it("passes the view's schema, even if the file is broken now", async () => {
    const finished = buildCaseLine({ id: 'one', status: 'error', reason: 'The target crashed.' });
    const broken = shown(await load('cases: ['), { finished });
    assert.ok(
      conversationProtocol.toPage.safeParse({ kind: 'snapshot', snapshot: broken }).success,
    );
    const sound = shown(await load(suiteWith(TRANSCRIPT)));
    assert.ok(conversationProtocol.toPage.safeParse({ kind: 'snapshot', snapshot: sound }).success);
  });
});

it('lists failing cases in file order, regardless of which finished first', async (t) => {
  const root = await workspaceWith(t, {});
  await mkdir(recordsIn(root), { recursive: true });
  const record = join(recordsIn(root), '2026.jsonl');
  const at = (suite: string, id: string, line: number, variant?: string) => {
    const range = { start: { line, character: 0 }, end: { line, character: 1 } };
    const source = { path: suite, range, hash: '0'.repeat(64) };
    return JSON.stringify(buildCaseLine({ suite, id, variant, source, status: 'fail' }));
  };
  const lines = [
    at('b.eval.yaml', 'alone', 1),
    at('a.eval.yaml', 'third', 9, 'line-10'),
    at('a.eval.yaml', 'third', 9, 'line-9'),
    at('a.eval.yaml', 'second', 5),
    at('a.eval.yaml', 'first', 1),
  ];
  await writeFile(record, `${lines.join('\n')}\n`);
  const runs = new LatestRuns();
  const begin = { suite: join(root, 'a.eval.yaml'), id: 'first', repetition: 1 };
  const first = await failingCasesIn(runs, { record, root }, begin);
  assert.deepEqual([first?.count, first?.at], [5, 1]);
  const seen: string[] = [];
  for (let shown = first?.neighbor(1); shown && seen.length < 5; ) {
    seen.push([shown.id, ...(shown.variant === undefined ? [] : [shown.variant])].join('/'));
    shown = (await failingCasesIn(runs, { record, root }, shown))?.neighbor(1);
  }
  assert.deepEqual(seen, ['second', 'third/line-9', 'third/line-10', 'alone', 'first']);
});
