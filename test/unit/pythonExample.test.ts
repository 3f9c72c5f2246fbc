import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { runFiles } from '../support/runs.ts';

const EXAMPLE = resolve(import.meta.dirname, '../../examples/python');
const skip =
  spawnSync('python3', ['--version']).status === 0 ? false : 'SKIPPED: there is no python3 here';

const HELPER = readFileSync(resolve(EXAMPLE, '../../python/turnlight.py'), 'utf8');
const read = (name: string) => readFileSync(join(EXAMPLE, name), 'utf8');

/** Runs one turn with the given agent code, next to the helper. */
async function talk(t: TestContext, agent: string) {
  const { lines, events } = await runFiles(t, {
    'turnlight.py': HELPER,
    'agent.py': agent,
    'suite.eval.yaml':
      'target: {type: command, command: [python3, agent.py]}\ncases: [{id: a, turns: ["Grüße 👋"], assert: [{type: contains, value: "Grüße 👋"}]}]\n',
  });
  const output = events.flatMap((event) => (event.kind === 'output' ? [event.text] : []));
  return { status: lines[0]?.status, reason: lines[0]?.reason ?? '', output: output.join('\n') };
}

const serving = (body: string) =>
  `import os\nfrom turnlight import serve\n\n${body}\n\nserve(reply)\n`;

describe('the example in Python', { skip }, () => {
  it('passes', async (t) => {
    const { lines } = await runFiles(t, {
      'turnlight.py': HELPER,
      'agent.py': read('agent.py'),
      'suite.eval.yaml': read('python.eval.yaml'),
    });
    assert.deepEqual(
      lines.map(({ status, reason }) => [status, reason]),
      [['pass', undefined]],
    );
  });

  it("lets an agent print as it likes, whoever prints, and keeps people's letters", async (t) => {
    const { status, reason, output } = await talk(
      t,
      serving(
        'def reply(messages):\n    print("a log")\n    os.system("echo of another program")\n    return messages[-1]["content"]',
      ),
    );
    assert.equal(status, 'pass', reason);
    assert.match(output, /a log/);
    assert.match(output, /of another program/);
  });

  it('tells an exception with its traceback', async (t) => {
    const agent = serving('async def reply(messages, case):\n    raise ValueError("no " + case)');
    const { status, reason } = await talk(t, agent);
    assert.equal(status, 'error');
    assert.match(reason, /ValueError: no a/);
  });
});

describe('the example in Python as a worker', { skip }, () => {
  for (const [kind, wait] of [
    ['async ', 'await asyncio.sleep(0.3)'],
    ['', 'time.sleep(0.3)'],
  ] as const) {
    it(`talks with many at once (${kind || 'not async'})`, async (t) => {
      const agent = `import asyncio, time
from turnlight import serve

${kind}def reply(messages, conversation):
    said = messages[-1]["content"]
    if said == "fail":
        raise ValueError("no luck")
    ${wait}
    return said

serve(reply, ready=True)
`;
      const ids = ['a', 'b', 'c', 'd'];
      const cases = ids.map(
        (id) => `  - {id: ${id}, turns: [${id}], assert: [{type: contains, value: ${id}}]}\n`,
      );
      const { lines } = await runFiles(t, {
        'turnlight.py': HELPER,
        'agent.py': agent,
        'suite.eval.yaml': `target: {type: command, command: [python3, agent.py], worker: true, ready: true}
cases:
${cases.join('')}  - {id: e, turns: [fail], assert: [{type: contains, value: e}]}\n`,
      });
      const byId = Object.fromEntries(lines.map(({ id, status }) => [id, status]));
      assert.deepEqual(byId, { a: 'pass', b: 'pass', c: 'pass', d: 'pass', e: 'error' });
      assert.match(lines.find(({ id }) => id === 'e')?.reason ?? '', /ValueError: no luck/);
    });
  }
});
