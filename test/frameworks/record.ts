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

// Records what a framework exports for the script's conversation. See README.md for how to run it.

const [framework = '', parent = ''] = process.argv.slice(2);
const folder = join(parent, 'agent');
const own = join(import.meta.dirname, framework);
const handoff = handoffs[framework];
if (!handoff || parent === '') {
  console.error(`record.ts FRAMEWORK FOLDER, with one of ${Object.keys(handoffs).join(', ')}`);
  process.exit(3);
}

const isPython = existsSync(join(own, 'record.py'));
const out = join(folder, 'out');
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const name of readdirSync(own)) cpSync(join(own, name), join(folder, name));
cpSync(join(import.meta.dirname, 'shop.py'), join(folder, 'shop.py'));
cpSync(join(import.meta.dirname, 'shop.mjs'), join(parent, 'shop.mjs'));
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

/** Removes traces of the machine that made the recording. */
function withoutHost(text: string): string {
  return text
    .replaceAll(server.baseUrl, 'http://127.0.0.1:8000/v1')
    .replaceAll(process.execPath, 'node')
    .replaceAll(parent, '/app')
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
