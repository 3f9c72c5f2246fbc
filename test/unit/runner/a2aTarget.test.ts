import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { textOf, turnsOf } from '../../../src/core/conversation.ts';
import { AgentEvent, message, saidTo, startAgent, text } from '../../support/a2aAgent.ts';
import { runFiles } from '../../support/runs.ts';

it('a conversation with a real Agent2Agent agent runs, and again from its recording', async (t) => {
  const { url, calls } = await startAgent(t, (context, publish) =>
    publish(AgentEvent.message(message(context, [text(`You said ${saidTo(context)}`)]))),
  );
  const suite = `target: { type: a2a, url: "${url}" }
cases: [{ id: a, turns: [Hi, Bye], assert: [{ type: contains, value: Bye, at: last }] }]
`;
  const files = { 'suite.eval.yaml': suite };
  const first = await runFiles(t, files);
  const recording = join(first.workspace, 'a.jsonl');
  const recorded = await runFiles(t, files, { workspace: first.workspace, record: recording });
  const replayed = await runFiles(t, files, { workspace: first.workspace, replay: recording });
  for (const { lines } of [first, recorded, replayed]) {
    assert.equal(lines[0]?.status, 'pass', lines[0]?.reason);
    const said = turnsOf(lines[0].conversation).map(textOf);
    assert.deepEqual(said, ['Hi', 'You said Hi', 'Bye', 'You said Bye']);
  }
  assert.equal(calls().length, 4);
});
