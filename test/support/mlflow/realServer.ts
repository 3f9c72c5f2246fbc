import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { installedPython } from '../installed/python.ts';

const FOLDER = resolve(import.meta.dirname, '../../mlflow');

const run = promisify(execFile);

/** Maximum time for the server to start, in milliseconds. */
const STARTING = 120_000;

export interface RealServer {
  readonly url: string;
  /** Runs a script from `test/mlflow` and returns its output. */
  python(script: string, ...args: string[]): Promise<string>;
  close(): Promise<void>;
}

/** Starts a real `mlflow server` on SQLite. Returns the reason if that isn't possible. */
export async function startRealServer(): Promise<RealServer | { readonly missing: string }> {
  const bin = await installedPython('mlflow', join(FOLDER, 'requirements.txt'));
  if (typeof bin !== 'string') return bin;
  const folder = await mkdtemp(join(tmpdir(), 'turnlight-mlflow-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = spawn(
    join(bin, 'mlflow'),
    [
      ...['server', '--host', '127.0.0.1', '--port', String(port), '--workers', '1'],
      ...['--backend-store-uri', `sqlite:///${join(folder, 'mlflow.db')}`],
      ...['--default-artifact-root', join(folder, 'artifacts')],
    ],
    { cwd: folder, env: environment(bin), stdio: ['ignore', 'pipe', 'pipe'], detached: true },
  );
  const log = logOf(server);
  const close = async () => {
    const ended = new Promise((done) => server.once('exit', done));
    if (kill(server)) await ended;
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  process.once('exit', () => kill(server));
  try {
    await answering(url, server, log);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url,
    close,
    async python(script, ...args) {
      const command = [join(FOLDER, script), url, ...args];
      const { stdout } = await run(join(bin, 'python'), command, {
        env: environment(bin),
        maxBuffer: 64_000_000,
      });
      return stdout;
    },
  };
}

/**
 * An environment without the user's MLflow settings, without telemetry, and without jobs, which would need all of
 * MLflow.
 */
function environment(bin: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('MLFLOW_'));
  return {
    ...Object.fromEntries(own),
    PATH: `${bin}:${process.env.PATH}`,
    MLFLOW_SERVER_ENABLE_JOB_EXECUTION: 'false',
    MLFLOW_DISABLE_TELEMETRY: 'true',
    DO_NOT_TRACK: 'true',
    GIT_PYTHON_REFRESH: 'quiet',
    // uv compiles nothing when it installs, so Python does so at the first import.
    PYTHONDONTWRITEBYTECODE: '',
  };
}

/** Kills the server and its workers. @returns whether it was running */
function kill({ pid, exitCode, signalCode }: ChildProcess): boolean {
  if (pid === undefined || exitCode !== null || signalCode !== null) return false;
  return process.kill(-pid, 'SIGKILL');
}

function logOf(server: ChildProcess): () => string {
  let text = '';
  for (const stream of [server.stdout, server.stderr]) {
    stream?.on('data', (data: Buffer) => {
      text = `${text}${data}`.slice(-4_000);
    });
  }
  return () => text;
}

async function answering(url: string, server: ChildProcess, log: () => string): Promise<void> {
  const deadline = performance.now() + STARTING;
  while (performance.now() < deadline && server.exitCode === null) {
    const response = await fetch(`${url}/health`).catch(() => undefined);
    if (response?.ok) return;
    await setTimeout(200);
  }
  throw new Error(`The MLflow server does not answer.\n${log()}`);
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => done(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
