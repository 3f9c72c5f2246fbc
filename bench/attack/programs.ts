import type { Status } from '../../src/core/verdict.ts';
import { mark } from '../../test/support/leftovers.ts';
import { startModelServer } from '../../test/support/modelServer/server.ts';
import { botSuite, type Ran, runFiles } from '../../test/support/runs.ts';
import { STUBBORN } from '../../test/support/stubborn.ts';
import type { Attack, Scene } from './attack.ts';

interface Trick {
  /** With `server`, the code is an MCP server for a chat target. */
  readonly kind: 'module' | 'command' | 'server';
  readonly code: string;
  /** The status that the case must have. */
  readonly ends: Status;
}

/** Source code of a command target. It can call `reply(content)`. */
function command(onRequest: string, first = ''): string {
  return `import { createInterface } from 'node:readline';
const reply = (content) => console.log(JSON.stringify({ content }));
${first}
for await (const line of createInterface({ input: process.stdin })) { ${onRequest} }
`;
}

/** Source code of an MCP server. It can call `print(message)` and, when its tool is called, `answer(result)`. */
function server(onCall = 'answer(text("x"));', first = '', tool = ''): string {
  return `import { createInterface } from 'node:readline';
const print = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const text = (words) => ({ content: [{ type: 'text', text: words }] });
${first}
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const answer = (result) => print({ id, result });
  const serverInfo = { name: 's', version: '1' };
  if (method === 'initialize') answer({ ...params, capabilities: { tools: {} }, serverInfo });
  if (method === 'tools/list') answer({ tools: [{ name: 'find', inputSchema: { type: 'object' }, ${tool} }] });
  if (method === 'tools/call') { ${onCall} }
}
`;
}

const MODULE = 'export default () => "x";\n';
const FLOOD = 'const pour = (stream, text) => stream.write(text, () => pour(stream, text));';

/** Starts another process in its own group and ends before it can be observed. */
const ORPHAN = `import { spawn } from 'node:child_process';
spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore', detached: true }).unref();
`;

const TRICKS: Readonly<Record<string, Trick>> = {
  'a module that ends with nothing': { kind: 'module', code: `${STUBBORN}${MODULE}`, ends: 'pass' },
  'a command that ends with nothing': {
    kind: 'command',
    code: `${STUBBORN}${command('reply("x");')}`,
    ends: 'pass',
  },
  'a module that leaves an orphan': { kind: 'module', code: `${ORPHAN}${MODULE}`, ends: 'pass' },
  'a command that leaves an orphan': {
    kind: 'command',
    code: `${ORPHAN}${command('reply("x");')}`,
    ends: 'pass',
  },
  'a module that loops': {
    kind: 'module',
    code: `${STUBBORN}export default () => { for (;;); };\n`,
    ends: 'error',
  },
  'a module that loops while it loads': { kind: 'module', code: 'for (;;);\n', ends: 'error' },
  'a module that exits': {
    kind: 'module',
    code: 'export default () => process.exit(0);\n',
    ends: 'error',
  },
  'a module that fails later': {
    kind: 'module',
    code: 'export default () => { setTimeout(() => { throw new Error("x"); }); return new Promise(() => {}); };\n',
    ends: 'error',
  },
  'a module that answers another call': {
    kind: 'module',
    code: 'process.send({ kind: "value", call: 99, value: "x" }); export default () => "y";\n',
    ends: 'fail',
  },
  'a module whose reply is too long': {
    kind: 'module',
    code: 'export default () => "x".repeat(2e7);\n',
    ends: 'error',
  },
  'a module whose reply holds itself': {
    kind: 'module',
    code: 'const x = { content: "x" }; x.self = x; export default () => x;\n',
    ends: 'error',
  },
  'a module that speaks as the user': {
    kind: 'module',
    code: 'export default () => [{ role: "user", content: "x" }];\n',
    ends: 'error',
  },
  'a line without end': {
    kind: 'command',
    code: command('', `${FLOOD} pour(process.stdout, "x".repeat(65536));`),
    ends: 'error',
  },
  'lines without end': {
    kind: 'command',
    code: command('', `${FLOOD} pour(process.stdout, "{}\\n".repeat(9999));`),
    ends: 'error',
  },
  'a flood beside a good reply': {
    kind: 'command',
    code: command(
      'setTimeout(() => reply("x"), 300);',
      `${FLOOD} pour(process.stderr, "x\\n".repeat(9999));`,
    ),
    ends: 'pass',
  },
  'a line before the request': {
    kind: 'command',
    code: command('reply("x");', 'reply("x");'),
    ends: 'error',
  },
  'two lines for one request': {
    kind: 'command',
    code: command('reply("x"); reply("x");'),
    ends: 'error',
  },
  'a line that is no text': {
    kind: 'command',
    code: command('process.stdout.write(Buffer.from([0xff, 0xfe, 0x00, 0x0a]));'),
    ends: 'error',
  },
  'a command that hears nothing': {
    kind: 'command',
    code: 'process.stdin.destroy(); setInterval(() => {}, 1000);\n',
    ends: 'error',
  },
  'a server that ends with nothing': {
    kind: 'server',
    code: `${STUBBORN}${server()}`,
    ends: 'pass',
  },
  'a server that leaves an orphan': { kind: 'server', code: `${ORPHAN}${server()}`, ends: 'pass' },
  'a server that exits in a call': {
    kind: 'server',
    code: server('process.exit(0);'),
    ends: 'error',
  },
  'a server that answers another call': {
    kind: 'server',
    code: server('print({ id: id + 1, result: text("x") });'),
    ends: 'error',
  },
  'a server that is never silent': {
    kind: 'server',
    code: server(
      '',
      `${FLOOD} pour(process.stdout, '{"jsonrpc":"2.0","method":"notifications/message","params":{}}\\n'.repeat(999));`,
    ),
    ends: 'error',
  },
  'a server that asks for the model without end': {
    kind: 'server',
    code: server(
      '',
      `${FLOOD} pour(process.stdout, '{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}\\n'.repeat(999));`,
    ),
    ends: 'error',
  },
  'a server whose schema takes forever': {
    kind: 'server',
    code: server(
      'answer({ ...text("x"), structuredContent: { a: "a".repeat(50) + "!" } });',
      '',
      'outputSchema: { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } }',
    ),
    ends: 'pass',
  },
  'a server whose tools change without end': {
    kind: 'server',
    code: server(
      'answer(text("x"));',
      'setInterval(() => print({ method: "notifications/tools/list_changed" }), 1);',
    ),
    ends: 'pass',
  },
  'a command that exits at once': { kind: 'command', code: 'process.exit(7);\n', ends: 'error' },
};

/**
 * Runs programs that do what no target should. The case must end with the expected status, and no process may keep
 * running.
 */
export const programs: Attack = {
  name: 'programs',
  tries: Object.keys(TRICKS).length,
  async run(found, scene) {
    for (const [name, trick] of Object.entries(TRICKS)) {
      const { env, left } = mark();
      Object.assign(process.env, env);
      const { lines } = await played(scene, trick);
      const statuses = lines.map(({ status }) => status).join();
      if (statuses !== trick.ends) found(`${name}: ${statuses} instead of ${trick.ends}`);
      const running = await left();
      if (running > 0) found(`${name}: ${running} processes left`);
    }
  },
};

async function played(scene: Scene, { kind, code }: Trick): Promise<Ran> {
  const cases = '  - {id: a, turns: [Hi], assert: [{type: contains, value: x}]}\n';
  const command = `["${process.execPath}", bot.mjs]`;
  const targets = {
    module: () => botSuite(cases),
    command: () => `target: {type: command, command: ${command}}\ncases:\n${cases}`,
    server: async () => {
      const model = await startModelServer(({ messages }) =>
        messages.at(-1)?.role === 'user'
          ? { toolCalls: [{ name: 'find', arguments: {} }] }
          : String(messages.at(-1)?.content),
      );
      scene.after(() => model.close());
      const of = `{provider: openai, model: m, base_url: "${model.baseUrl}"}`;
      return `target: {type: chat, model: ${of}, mcp_servers: {s: {command: ${command}}}}\ncases:\n${cases}`;
    },
  };
  const suite = await targets[kind]();
  return runFiles(scene, { 'bot.mjs': code, 'suite.eval.yaml': suite }, { timeout: 3_000 });
}
