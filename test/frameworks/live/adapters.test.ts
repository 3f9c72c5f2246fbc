import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { CaseLine } from '../../../src/core/record/runRecord.ts';
import { parseJsonText } from '../../../src/interop/fields.ts';
import { sha256 } from '../../../src/node/hashes.ts';
import { readRecord } from '../../../src/store/records/runRecord.ts';
import { turnlightProcess } from '../../support/commandLine.ts';
import { CHECKOUT } from '../../support/host/install.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { recordsOf } from '../../support/resuming.ts';
import { handoffs } from '../handoffs.ts';
import {
  conversation,
  type Entry,
  modelReplies,
  SCRIPT_FILE,
  speakers,
  USER_TEXTS,
} from '../script.ts';

// Agents of real frameworks as targets, with a local endpoint for their models.

const FRAMEWORKS = join(CHECKOUT, 'test/frameworks');
const INSTALLED = join(CHECKOUT, '.cache/frameworks');

const run = promisify(execFile);

const hasPython = spawnSync('python3', ['--version']).status === 0;

interface Framework {
  readonly name: string;
  readonly isPython: boolean;
  /** False if its messages don't say which agent speaks. */
  readonly namesAgents: boolean;
}

const frameworks: readonly Framework[] = [
  { name: 'ai-sdk', isPython: false, namesAgents: false },
  { name: 'langgraph-js', isPython: false, namesAgents: true },
  { name: 'openai-agents-js', isPython: false, namesAgents: true },
  { name: 'openai-agents-python', isPython: true, namesAgents: true },
  { name: 'langgraph-python', isPython: true, namesAgents: true },
  { name: 'pydantic-ai', isPython: true, namesAgents: true },
  { name: 'adk', isPython: true, namesAgents: true },
];

/** The folder with a framework's packages, installed once for each list of them. */
async function install({ name, isPython }: Framework): Promise<string> {
  const list = join(FRAMEWORKS, name, isPython ? 'requirements.txt' : 'package.json');
  const folder = join(INSTALLED, `${name}-${sha256(await readFile(list)).slice(0, 8)}`);
  const done = join(folder, 'installed');
  if (await stat(done).catch(() => undefined)) return folder;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await cp(list, join(folder, isPython ? 'requirements.txt' : 'package.json'));
  if (isPython) {
    await run('python3', ['-m', 'venv', '.'], { cwd: folder });
    await run('bin/pip', ['install', '--quiet', '-r', 'requirements.txt'], { cwd: folder });
  } else {
    await run('npm', ['install', '--no-save', '--silent'], { cwd: folder });
  }
  await writeFile(done, '');
  return folder;
}

/** The framework's agent and target in a folder outside of this repository, which would get its records. */
async function workspaceOf(framework: Framework, packages: string): Promise<string> {
  const { name, isPython } = framework;
  const folder = await mkdtemp(join(tmpdir(), 'turnlight-framework-'));
  await mkdir(join(folder, 'agent'), { recursive: true });
  const ending = isPython ? 'py' : 'mjs';
  for (const file of [`agent.${ending}`, `target.${ending}`]) {
    await cp(join(FRAMEWORKS, name, file), join(folder, 'agent', file));
  }
  const shop = `shop.${ending}`;
  await cp(join(FRAMEWORKS, shop), join(folder, isPython ? `agent/${shop}` : shop));
  if (!isPython) await symlink(join(packages, 'node_modules'), join(folder, 'node_modules'));
  const common = { pass_env: ['OPENAI_API_KEY'], timeout: 120_000 };
  const target = isPython
    ? {
        type: 'command',
        command: [join(packages, 'bin/python'), 'agent/target.py'],
        env: { PYTHONPATH: join(CHECKOUT, 'python') },
        ready: true,
        ...common,
      }
    : { type: 'module', path: './agent/target.mjs', ...common };
  const suite = {
    target,
    cases: [{ id: 'shop', turns: USER_TEXTS, assert: [{ type: 'max-tokens', max: 100_000 }] }],
  };
  await writeFile(join(folder, 'shop.eval.yaml'), JSON.stringify(suite));
  return folder;
}

/** The recorded conversation as the script writes it. */
function entriesOf({ conversation: { entries } }: CaseLine): Entry[] {
  return entries.flatMap((entry) => {
    if (entry.kind !== 'turn') return [];
    return entry.items.flatMap((item): Entry[] => {
      if (item.kind === 'text') {
        return [entry.side === 'user' ? { user: item.text } : { assistant: item.text }];
      }
      if (item.kind !== 'tool-call') return [];
      const { name, arguments: given } = item.call;
      const result = parseJsonText(item.result);
      return [{ call: { name, arguments: given as object, result } }];
    });
  });
}

function agentsOf({ conversation: { entries } }: CaseLine): unknown[] {
  const turns = entries.filter((entry) => entry.kind === 'turn' && entry.side === 'assistant');
  return turns.flatMap((turn) =>
    turn.kind === 'turn'
      ? turn.items.flatMap((item) => (item.kind === 'system' ? [] : [item.agent]))
      : [],
  );
}

function systemTextsOf({ conversation: { entries } }: CaseLine): string[] {
  return entries.flatMap((entry) =>
    entry.kind === 'turn'
      ? entry.items.flatMap((item) => (item.kind === 'system' ? [item.text] : []))
      : [entry.text],
  );
}

for (const framework of frameworks) {
  const { name, isPython, namesAgents } = framework;
  const skip = isPython && !hasPython ? 'SKIPPED: there is no python3 here' : false;
  const handoff = handoffs[name];
  assert.ok(handoff, name);

  describe(`an agent of ${name}`, { skip }, () => {
    let line: CaseLine;
    let replies: ReturnType<typeof modelReplies>;
    let server: Awaited<ReturnType<typeof startModelServer>>;
    let folder = '';

    before(async () => {
      folder = await workspaceOf(framework, await install(framework));
      replies = modelReplies(handoff);
      server = await startModelServer((body, index) => {
        const reply = replies[index];
        assert.ok(reply, `request ${index + 1} of ${replies.length}`);
        assert.ok(JSON.stringify(body).includes(reply.instructions), reply.instructions);
        return reply.answer;
      });
      const { code, err } = await turnlightProcess(folder, ['run'], {
        OPENAI_API_KEY: 'test-key',
        OPENAI_BASE_URL: server.baseUrl,
        SCRIPT: SCRIPT_FILE,
        OUT: folder,
        LANGSMITH_TRACING: 'false',
        LITELLM_LOCAL_MODEL_COST_MAP: 'True',
      });
      assert.equal(code, 0, err);
      const [record = ''] = await recordsOf(folder);
      const [found] = (await readRecord(record)).cases;
      assert.ok(found);
      line = found;
    });
    after(async () => {
      await server?.close();
      await rm(folder, { recursive: true, force: true });
    });

    it('has the conversation of the script, with parallel calls and their results', () => {
      assert.deepEqual(entriesOf(line), conversation(handoff));
      assert.equal(server.requests.length, replies.length);
    });

    it('reports who speaks', () => {
      const expected = speakers(handoff).map((agent) => (namesAgents ? agent : undefined));
      assert.deepEqual(agentsOf(line), expected);
    });

    it('reports its system prompts, tools, and usage, and nothing unknown', () => {
      const asked = new Set(replies.map(({ instructions }) => instructions));
      const visible = handoff.delegates ? [replies[0]?.instructions] : [...asked];
      assert.deepEqual(systemTextsOf(line), visible);
      const called = entriesOf(line).flatMap((one) => ('call' in one ? [one.call.name] : []));
      const transfers = called.filter((tool) => tool.startsWith('transfer_'));
      const tools = new Set(line.facts?.tools.map((tool) => tool.name));
      const missing = called.filter((tool) => !tools.has(tool) && !transfers.includes(tool));
      assert.deepEqual(missing, []);
      assert.ok(line.facts?.tools.every(({ parameters }) => parameters));
      assert.ok((line.target_usage?.input_tokens ?? 0) > 0);
      assert.deepEqual(line.conversation.notes, []);
    });
  });
}
