import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { turnsOf } from '../../../../src/core/conversation.ts';
import { snapshotOf } from '../../../../src/extension/viewer/snapshot.ts';
import { toViewSchema } from '../../../../src/protocol/viewProtocol.ts';
import { buildCaseLine, talk } from '../../../support/buildRun.ts';
import { load, SUITE, suiteWith, TRANSCRIPT } from '../../../support/evalFiles.ts';

const state = { file: `file://${SUITE}`, id: 'one', repetition: 1 };
const turns = turnsOf(talk('Hi', 'Hello'));

describe('what the conversation view shows', () => {
  it('is what was said so far while a case runs, not what the last run said', async () => {
    const suite = await load(suiteWith(TRANSCRIPT));
    const last = buildCaseLine({ id: 'one', status: 'pass', conversation: talk('Old', 'Old') });
    const live = { phase: 'running', turns, verdicts: [] } as const;
    const snapshot = snapshotOf(state, suite, live, last);
    assert.equal(snapshot.phase, 'running');
    assert.deepEqual(snapshot.conversation.entries, turns);
    assert.equal(snapshot.status, undefined);
  });

  it('is the finished case, stale once its text has changed', async () => {
    const suite = await load(suiteWith(TRANSCRIPT));
    const hash = suite.outline[0]?.hash ?? '';
    const line = buildCaseLine({ id: 'one', status: 'pass', score: 1 });
    const fresh = { ...line, source: { ...line.source, hash } };
    assert.equal(snapshotOf(state, suite, undefined, fresh).stale, false);
    assert.equal(snapshotOf(state, suite, undefined, line).stale, true);
    assert.equal(snapshotOf(state, suite, undefined, line).status, 'pass');
  });

  it('is empty where the case never ran', async () => {
    const snapshot = snapshotOf(state, await load(suiteWith(TRANSCRIPT)), undefined, undefined);
    assert.equal(snapshot.phase, 'empty');
    assert.deepEqual(snapshot.conversation.entries, []);
  });

  it('keeps what a cancelled case had said', async () => {
    const live = { phase: 'cancelled', turns, verdicts: [] } as const;
    const suite = await load(suiteWith(TRANSCRIPT));
    const snapshot = snapshotOf(state, suite, live, undefined);
    assert.deepEqual(snapshot.conversation.entries, turns);
  });

  it('is a message that the view takes, also of a file that is broken now', async () => {
    const line = buildCaseLine({ id: 'one', status: 'error', reason: 'The target crashed.' });
    const snapshot = snapshotOf(state, await load('cases: ['), undefined, line);
    assert.ok(toViewSchema.safeParse({ kind: 'snapshot', snapshot }).success);
  });
});
