import type { Status } from '../../src/core/verdict.ts';
import { mark } from '../../test/support/leftovers.ts';
import { botSuite, type Ran, runFiles } from '../../test/support/runs.ts';
import { STUBBORN } from '../../test/support/stubborn.ts';
import type { Attack, Scene } from './attack.ts';

interface Trick {
  readonly kind: 'module' | 'command';
  readonly code: string;
  /** How the case must end. */
  readonly ends: Status;
}

/** A command that may use `reply(content)`. */
function command(onRequest: string, first = ''): string {
  return `import { createInterface } from 'node:readline';
const reply = (content) => console.log(JSON.stringify({ content }));
${first}
for await (const line of createInterface({ input: process.stdin })) { ${onRequest} }
`;
}

const MODULE = 'export default () => "x";\n';
const FLOOD = 'const pour = (stream, text) => stream.write(text, () => pour(stream, text));';

/** A process that starts another one in a group of its own and ends before anybody looks. */
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
  'a command that exits at once': { kind: 'command', code: 'process.exit(7);\n', ends: 'error' },
};

/** Programs that do what no target should: the case ends as it must, and nothing of them goes on. */
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

function played(scene: Scene, { kind, code }: Trick): Promise<Ran> {
  const cases = '  - {id: a, turns: [Hi], assert: [{type: contains, value: x}]}\n';
  const target = `target: {type: command, command: ["${process.execPath}", bot.mjs]}\ncases:\n`;
  const suite = kind === 'module' ? botSuite(cases) : target + cases;
  return runFiles(scene, { 'bot.mjs': code, 'suite.eval.yaml': suite }, { timeout: 3_000 });
}
