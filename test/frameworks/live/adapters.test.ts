import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Framework, FRAMEWORKS as TESTED } from '../../../scripts/docs/frameworks.ts';
import { turnsOfSide } from '../../../src/core/conversation.ts';
import { parseJsonText } from '../../../src/core/data/data.ts';
import type { CaseLine } from '../../../src/core/record/runRecord.ts';
import { readRecord } from '../../../src/store/records/runRecord.ts';
import { turnlightProcess } from '../../support/commandLine.ts';
import { CHECKOUT } from '../../support/host/install.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import type { Answer } from '../../support/modelServer/steps.ts';
import { recordsOf } from '../../support/resuming.ts';
import { handoffs } from '../handoffs.ts';
import { FRAMEWORKS, install } from '../install.ts';
import {
  conversation,
  type Entry,
  type Handoff,
  modelReplies,
  SCRIPT_FILE,
  steps,
  stepsIn,
  USER_TEXTS,
  withoutNames,
} from '../script.ts';

// Runs agents of real frameworks as targets, with a local endpoint for their models.

const hasPython = spawnSync('python3', ['--version']).status === 0;

/**
 * Creates a workspace with the framework's agent and target outside of this repository, so no run records are written
 * here.
 */
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
    defaults: { assert: [{ type: 'max-tokens', max: 100_000 }] },
    cases: [
      { id: 'shop', turns: USER_TEXTS },
      { id: 'history', history: historyOf(handoffOf(framework)), turns: USER_TEXTS.slice(1) },
      { id: 'streamed', turns: ['Hello'], assert: [FIRST_TOKEN] },
      { id: 'tool-error', turns: [UNKNOWN_ORDER] },
    ],
  };
  await writeFile(join(folder, 'shop.eval.yaml'), JSON.stringify(suite));
  return folder;
}

/** Makes Turnlight ask the target to stream. */
const FIRST_TOKEN = { type: 'max-latency', of: 'first-token', max: 100_000 };
const GREETING = 'Hello! How can I help you today?';

const UNKNOWN_ORDER = 'Where is order 404?';
const UNKNOWN_REPLY = "I can't find order 404.";

/** A call that throws an error, and the reply if the framework lets the model continue. */
const unknownOrder: readonly Answer[] = [
  { id: 'calls', toolCalls: [{ id: 'unknown', name: 'find_order', arguments: { order: '404' } }] },
  { id: 'replies', text: UNKNOWN_REPLY },
];

function handoffOf({ name }: Framework): Handoff {
  const handoff = handoffs[name];
  assert.ok(handoff, name);
  return handoff;
}

/** The script's first turn as messages. */
function historyOf(handoff: Handoff): object[] {
  const entries = conversation(handoff);
  const end = entries.findIndex((one, index) => index > 0 && 'user' in one);
  return entries.slice(0, end).flatMap((entry, index): object[] => {
    if (!('call' in entry)) return [entry];
    const { name, arguments: given, result } = entry.call;
    const id = `earlier_${index}`;
    const call = { id, type: 'function', function: { name, arguments: JSON.stringify(given) } };
    return [
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: id, content: JSON.stringify(result) },
    ];
  });
}

/** Converts a recorded conversation to the script's format. */
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

function stepsOf({ conversation }: CaseLine): object[] {
  return turnsOfSide(conversation, 'assistant').flatMap(({ items }) => stepsIn(items));
}

function systemTextsOf({ conversation: { entries } }: CaseLine): string[] {
  return entries.flatMap((entry) =>
    entry.kind === 'turn'
      ? entry.items.flatMap((item) => (item.kind === 'system' ? [item.text] : []))
      : [entry.text],
  );
}

for (const framework of TESTED) {
  const { name, isPython, lacks } = framework;
  const skip = isPython && !hasPython ? 'SKIPPED: there is no python3 here' : false;
  const handoff = handoffOf(framework);

  describe(`an agent of ${name}`, { skip }, () => {
    let lines: ReadonlyMap<string, CaseLine>;
    let line: CaseLine;
    let replies: ReturnType<typeof modelReplies>;
    /** The replies after the first turn. */
    let later: ReturnType<typeof modelReplies>;
    let server: Awaited<ReturnType<typeof startModelServer>>;
    let folder = '';

    before(async () => {
      folder = await workspaceOf(framework, await install(framework));
      replies = modelReplies(handoff);
      later = modelReplies(handoff, 1);
      const greeting = { ...later[0], answer: { id: 'greeting', text: GREETING } };
      const script = (body: object, index: number) => {
        const known = [...replies, ...later, greeting];
        const reply = known[index];
        if (!reply) {
          const answer = unknownOrder[index - known.length];
          assert.ok(answer, `request ${index + 1}`);
          return answer;
        }
        const { instructions = '', answer } = reply;
        assert.ok(JSON.stringify(body).includes(instructions), instructions);
        return answer;
      };
      server = await startModelServer(script, { pause: 10 });
      const { code, out, err } = await turnlightProcess(folder, ['run', '--concurrency', '1'], {
        OPENAI_API_KEY: 'test-key',
        OPENAI_BASE_URL: server.baseUrl,
        SCRIPT: SCRIPT_FILE,
        OUT: folder,
        LANGSMITH_TRACING: 'false',
        LITELLM_LOCAL_MODEL_COST_MAP: 'True',
      });
      assert.equal(code, lacks.toolError === undefined ? 0 : 2, out + err);
      const [record = ''] = await recordsOf(folder);
      lines = new Map((await readRecord(record)).cases.map((one) => [one.id, one]));
      const found = lines.get('shop');
      assert.ok(found);
      line = found;
    });
    after(async () => {
      await server?.close();
      await rm(folder, { recursive: true, force: true });
    });

    it('has the three turns of the script, with parallel calls and their results', () => {
      assert.deepEqual(entriesOf(line), conversation(handoff));
      assert.equal(handoff.delegates === true, lacks.handoff !== undefined);
    });

    it('continues a history in the messages of the framework', () => {
      const found = lines.get('history');
      assert.ok(found);
      assert.deepEqual(entriesOf(found), conversation(handoff));
      // The model sees what came before the first live turn.
      const { text = '' } = server.requests[replies.length] ?? {};
      for (const words of ['in stock again?', 'find_order', 'delivered', 'There are 7 lamps']) {
        assert.ok(text.includes(words), words);
      }
    });

    it('streams its replies', () => {
      const found = lines.get('streamed');
      assert.ok(found);
      assert.deepEqual(entriesOf(found).slice(1), [{ assistant: GREETING }]);
      const [turn] = turnsOfSide(found.conversation, 'assistant');
      const { firstToken, latency } = turn ?? {};
      if (lacks.streams === undefined)
        assert.ok(Number(firstToken) < Number(latency), found.reason);
      else assert.equal(firstToken, undefined);
    });

    it('lets the model see an error in a tool, or reports it as the error of the case', () => {
      const found = lines.get('tool-error');
      assert.ok(found);
      if (lacks.toolError === undefined) {
        const [asked, called, replied] = entriesOf(found);
        assert.deepEqual([asked, replied], [{ user: UNKNOWN_ORDER }, { assistant: UNKNOWN_REPLY }]);
        assert.ok(called && 'call' in called);
        assert.equal(called.call.name, 'find_order');
        assert.match(JSON.stringify(called.call.result), /404|error/i);
      } else {
        assert.equal(found.status, 'error');
        assert.match(found.reason ?? '', /404/);
      }
    });

    it('reports who speaks, and each handoff where it happens', () => {
      const expected = steps(handoff).map((one) =>
        lacks.names === undefined ? one : withoutNames(one),
      );
      assert.deepEqual(stepsOf(line), expected);
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
