import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { startModelServer } from '../support/modelServer/server.ts';
import { handoffs } from './handoffs.ts';
import { modelReplies, SCRIPT_FILE } from './script.ts';

// Records what a framework exports of the script's conversation; README.md says how to call it.

const [framework = '', folder = ''] = process.argv.slice(2);
const own = join(import.meta.dirname, framework);
const handoff = handoffs[framework];
if (!handoff || folder === '') {
  console.error(`record.ts FRAMEWORK FOLDER, with one of ${Object.keys(handoffs).join(', ')}`);
  process.exit(3);
}

const isPython = existsSync(join(own, 'record.py'));
const out = join(folder, 'out');
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const name of readdirSync(own)) cpSync(join(own, name), join(folder, name));
for (const name of ['shop.py', 'shop.mjs']) {
  cpSync(join(import.meta.dirname, name), join(folder, name));
}
if (isPython && !existsSync(join(folder, 'bin'))) {
  await run('python3', ['-m', 'venv', '.']);
  await run('bin/pip', ['install', '--quiet', '-r', 'requirements.txt']);
}
if (!isPython && !existsSync(join(folder, 'node_modules'))) {
  await run('npm', ['install', '--no-save', '--silent']);
}

const replies = modelReplies(handoff);
const server = await startModelServer((body, index) => {
  const reply = replies[index];
  if (!reply) throw new Error('The script is over.');
  if (!JSON.stringify(body).includes(JSON.stringify(reply.instructions).slice(1, -1))) {
    throw new Error(`Request ${index + 1} should come from: ${reply.instructions}`);
  }
  return reply.answer;
});
try {
  const program = isPython ? ['bin/python', ['record.py']] : [process.execPath, ['record.mjs']];
  await run(program[0] as string, program[1] as string[], {
    OPENAI_API_KEY: 'test-key',
    OPENAI_BASE_URL: server.baseUrl,
    SCRIPT: SCRIPT_FILE,
    OUT: out,
    OTEL_SERVICE_NAME: 'shop',
    LANGSMITH_TRACING: 'false',
    LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    TRACELOOP_TELEMETRY: 'false',
  });
  if (server.requests.length !== replies.length) {
    throw new Error(`${server.requests.length} requests of ${replies.length} came.`);
  }
} finally {
  await server.close();
}
for (const name of readdirSync(out)) {
  writeFileSync(join(own, name), withoutHost(readFileSync(join(out, name), 'utf8')));
}

/** Nothing of the machine that recorded it. */
function withoutHost(text: string): string {
  return text
    .replaceAll(server.baseUrl, 'http://127.0.0.1:8000/v1')
    .replaceAll(process.execPath, 'node')
    .replaceAll(folder, '/app')
    .replaceAll(homedir(), '/home/user')
    .replaceAll(hostname(), 'host');
}

async function run(program: string, args: readonly string[], env: object = {}): Promise<void> {
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${program} ended with ${code}.`);
}
