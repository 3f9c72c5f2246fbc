import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { turnsOfSide } from '../../../src/core/conversation.ts';
import { readRecord } from '../../../src/store/records/runRecord.ts';
import { turnlightProcess } from '../../support/commandLine.ts';
import { CHECKOUT } from '../../support/host/install.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { recordsOf } from '../../support/resuming.ts';
import { handoffs } from '../handoffs.ts';
import { FRAMEWORKS, install } from '../install.ts';
import { modelReplies, SCRIPT_FILE, USER_TEXTS } from '../script.ts';

// Agents of real frameworks that reply with text alone, and export their spans with the real exporters.

const hasPython = spawnSync('python3', ['--version']).status === 0;

interface Framework {
  readonly name: string;
  readonly isPython: boolean;
  /** The agents of the second turn's calls. */
  readonly agents: readonly string[];
  /** Whether its second turn has a handoff. */
  readonly handsOver: boolean;
}

const frameworks: readonly Framework[] = [
  { name: 'ai-sdk', isPython: false, agents: ['triage', 'refunds', 'refunds'], handsOver: false },
  {
    name: 'openai-agents-python',
    isPython: true,
    agents: ['triage', 'refunds', 'refunds'],
    handsOver: true,
  },
];

async function workspaceOf({ name, isPython }: Framework, packages: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'turnlight-traces-'));
  await mkdir(join(folder, 'agent'));
  const ending = isPython ? 'py' : 'mjs';
  for (const file of [`agent.${ending}`, `traced.${ending}`]) {
    await cp(join(FRAMEWORKS, name, file), join(folder, 'agent', file));
  }
  const shop = `shop.${ending}`;
  await cp(join(FRAMEWORKS, shop), join(folder, isPython ? `agent/${shop}` : shop));
  if (!isPython) await symlink(join(packages, 'node_modules'), join(folder, 'node_modules'));
  const common = {
    pass_env: ['OPENAI_API_KEY'],
    timeout: 120_000,
    traces: true,
    trace_wait: 20_000,
  };
  const target = isPython
    ? {
        type: 'command',
        command: [join(packages, 'bin/python'), 'agent/traced.py'],
        env: { PYTHONPATH: join(CHECKOUT, 'python') },
        ready: true,
        ...common,
      }
    : { type: 'module', path: './agent/traced.mjs', export: 'traced', ...common };
  const checks = [
    { type: 'tool-called', name: 'find_order', args: { order: '98765' }, at: 2 },
    { type: 'tool-called', name: 'refund', times: 2 },
    { type: 'tool-not-called', name: 'cancel' },
    { type: 'max-latency', of: { tool: 'refund' }, max: 60_000 },
    { type: 'max-tokens', max: 100_000 },
  ];
  const suite = { target, cases: [{ id: 'shop', turns: USER_TEXTS, assert: checks }] };
  await writeFile(join(folder, 'shop.eval.yaml'), JSON.stringify(suite));
  return folder;
}

for (const framework of frameworks) {
  const { name, isPython, agents, handsOver } = framework;
  const skip = isPython && !hasPython ? 'SKIPPED: there is no python3 here' : false;

  describe(`a traced agent of ${name}`, { skip }, () => {
    it('shows its calls, agents, usage, and times in the turns that caused them', async (t) => {
      const handoff = handoffs[name];
      assert.ok(handoff);
      const folder = await workspaceOf(framework, await install(framework));
      t.after(() => rm(folder, { recursive: true, force: true }));
      const replies = modelReplies(handoff);
      const server = await startModelServer((_, index) => {
        const reply = replies[index];
        assert.ok(reply, `request ${index + 1} of ${replies.length}`);
        return reply.answer;
      });
      t.after(() => server.close());
      const { code, out, err } = await turnlightProcess(folder, ['run'], {
        OPENAI_API_KEY: 'test-key',
        OPENAI_BASE_URL: server.baseUrl,
        SCRIPT: SCRIPT_FILE,
        OUT: folder,
      });
      assert.equal(code, 0, out + err);
      const [record = ''] = await recordsOf(folder);
      const [line] = (await readRecord(record)).cases;
      assert.ok(line);
      const turns = turnsOfSide(line.conversation, 'assistant');
      const calls = turns.map(({ items }) => items.filter((item) => item.kind === 'tool-call'));
      assert.deepEqual(
        calls.map((own) => own.map(({ call }) => call.name)),
        [['find_order', 'check_stock', 'check_stock'], [handoff.name, 'refund', 'refund'], []],
      );
      assert.deepEqual(
        calls[1]?.map(({ agent }) => agent),
        agents,
      );
      const handovers = turns[1]?.items.filter(({ kind }) => kind === 'handoff') ?? [];
      assert.equal(handovers.length, handsOver ? 1 : 0);
      const refunds = calls.flat().filter(({ call }) => call.name === 'refund');
      assert.ok(refunds.every(({ latency, result }) => latency !== undefined && result));
      assert.ok((line.target_usage?.input_tokens ?? 0) > 0);
      assert.deepEqual(line.conversation.notes, []);
    });
  });
}
