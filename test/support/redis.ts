import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROGRAM = ['redis-server', 'valkey-server'].find(
  (name) => spawnSync(name, ['--version']).status === 0,
);

/** The reason why queue tests can't run here; false if they can. */
export const WITHOUT_REDIS =
  PROGRAM === undefined && 'neither redis-server nor valkey-server is installed';

export interface TestRedis {
  /** For example, `redis://127.0.0.1:6379`. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a separate Redis server that stores nothing on disk. */
export async function startRedis(...options: readonly string[]): Promise<TestRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'turnlight-redis-'));
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder];
  const server = spawn(PROGRAM ?? '', [...args, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((done) => server.on('close', () => done()));
  await new Promise<void>((ready, fail) => {
    server.on('error', fail);
    server.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('Ready to accept connections')) ready();
    });
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      server.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  return typeof address === 'object' && address ? address.port : 0;
}
