import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { textOf, turnsOf } from '../../../src/core/conversation.ts';
import { readRecord } from '../../../src/store/records/runRecord.ts';
import { runFiles } from '../../support/runs.ts';
import { answerJson, beginEvents, startService } from '../../support/service.ts';

const TOKEN = 'token-0123456789';
const env = (name: string) => (name === 'AGENT_TOKEN' ? TOKEN : undefined);

it('a conversation with a real service that streams runs, and again from its recording', async (t) => {
  const { url, requests } = await startService(t, ({ body }, response) => {
    const { message, id } = Object(body);
    const send = beginEvents(response);
    send({ session: id ?? 's-1' });
    for (const word of `You said ${message} (${TOKEN})`.split(' ')) send({ text: `${word} ` });
    response.end();
  });
  const text = `target:
  type: http
  url: ${url}
  headers: { authorization: "Bearer \${env:AGENT_TOKEN}" }
  body: { message: "{{message}}", id: "{{session}}", tier: "{{context.tier}}" }
  reply: /text
  session: /session
cases:
  - id: a
    context: { tier: gold }
    turns: [Hi, Bye]
    assert: [{ type: contains, value: Bye, at: last }]
`;
  const files = { 'suite.eval.yaml': text };
  const first = await runFiles(t, files, { env });
  const recording = join(first.workspace, 'a.jsonl');
  const recorded = await runFiles(t, files, { env, workspace: first.workspace, record: recording });
  const replayed = await runFiles(t, files, { workspace: first.workspace, replay: recording });
  for (const { lines } of [first, recorded, replayed]) {
    assert.equal(lines[0]?.status, 'pass', lines[0]?.reason);
    const replies = turnsOf(lines[0].conversation).map(textOf);
    assert.equal(replies[3], 'You said Bye ([hidden: AGENT_TOKEN]) ');
  }
  assert.deepEqual(
    requests.slice(0, 2).map(({ body }) => body),
    [
      { message: 'Hi', id: null, tier: 'gold' },
      { message: 'Bye', id: 's-1', tier: 'gold' },
    ],
  );
  assert.equal(requests[0]?.headers.authorization, `Bearer ${TOKEN}`);
  assert.equal(requests.length, 4);
});

it('a target gets no secret for a forbidden host, even without a check before', async (t) => {
  const text = `target: { type: http, url: "https://agent.example.invalid", headers: { x: "\${env:AGENT_TOKEN}" } }
cases: [{ id: a, turns: [Hi], assert: [{ type: contains, value: x }] }]
`;
  const { lines } = await runFiles(t, { 'suite.eval.yaml': text }, { env });
  assert.equal(lines[0]?.status, 'error');
  assert.match(lines[0]?.reason ?? '', /host-not-allowed.*agent\.example\.invalid=AGENT_TOKEN/);
});

const LARGE = Array.from({ length: 300_000 }, () => 1);
const DEEP = JSON.parse(`${'['.repeat(195)}1${']'.repeat(195)}`);

for (const [what, value] of [
  ['many values', LARGE],
  ['deep values', DEEP],
] as const) {
  it(`a case with too ${what} is an error, and its record can be read`, async (t) => {
    const { url } = await startService(t, (_request, response) => {
      answerJson(response, { text: 'Hi', calls: [{ name: 'f', arguments: { value } }] });
    });
    const text = `target: { type: http, url: "${url}", reply: /text, tool_calls: /calls }
cases: [{ id: a, turns: [Hi, Bye], assert: [{ type: contains, value: Hi }] }]
`;
    const { lines, record = '' } = await runFiles(t, { 'suite.eval.yaml': text });
    assert.equal(lines[0]?.status, 'error');
    assert.match(lines[0]?.reason ?? '', /^too-large: The result of the case (has more|is nested)/);
    const { cases, problems } = await readRecord(record);
    assert.deepEqual(problems, []);
    assert.equal(cases[0]?.reason, lines[0]?.reason);
  });
}
