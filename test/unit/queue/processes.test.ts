import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Redis } from 'ioredis';
import { readRecord } from '../../../src/store/records/runRecord.ts';
import { start, turnlightProcess } from '../../support/commandLine.ts';
import { itLong } from '../../support/long.ts';
import { freePort, startRedis, type TestRedis, WITHOUT_REDIS } from '../../support/redis.ts';
import { botSuite, ECHO, workspaceWith } from '../../support/runs.ts';
import { until } from '../../support/until.ts';

const PASSWORD = 'planted-password-0123';

const SLOW = `import { writeFileSync } from 'node:fs';
export default async (messages) => {
  writeFileSync(new URL('begun', import.meta.url), '');
  await new Promise((done) => setTimeout(done, 1_000));
  return messages.at(-1).content;
};
`;

const CASES = Array.from(
  { length: 8 },
  (_, index) => `  - {id: c${index}, turns: [Hi], assert: [{type: contains, value: Hi}]}\n`,
).join('');

const FILES = { 'bot.mjs': SLOW, 'suite.eval.yaml': botSuite(CASES) };

/** Simulates a Node installation without bullmq. */
const WITHOUT_PACKAGES = `--import data:text/javascript,${encodeURIComponent(
  "import { registerHooks } from 'node:module'; registerHooks({ resolve(name, context, next) { if (name === 'bullmq') throw Object.assign(new Error(name), { code: 'ERR_MODULE_NOT_FOUND' }); return next(name, context); } });",
)}`;

async function recordIn(folder: string) {
  const runs = join(folder, '.turnlight/runs');
  const [name = ''] = await readdir(runs);
  return {
    ...(await readRecord(join(runs, name))),
    text: await readFile(join(runs, name), 'utf8'),
  };
}

describe('the commands of a queue', { skip: WITHOUT_REDIS, timeout: 120_000 }, () => {
  let redis: TestRedis;
  let url: string;
  before(async () => {
    redis = await startRedis('--requirepass', PASSWORD);
    url = redis.url.replace('//', `//:${PASSWORD}@`);
  });
  after(() => redis.stop());

  it('lose and repeat nothing when a worker is killed, and never print the password', async (t) => {
    const [run, killed, other] = await Promise.all([1, 2, 3].map(() => workspaceWith(t, FILES)));
    const queue = ['--queue', url];
    const first = start(killed ?? '', ['worker', ...queue]);
    await first.shows('Serving');
    const queued = start(run ?? '', ['run', '--queue'], { TURNLIGHT_QUEUE: url });
    const begun = () => readdir(killed ?? '');
    await until('a case that was begun', begun, (names) => names.includes('begun'));
    first.send('SIGKILL');
    const second = start(other ?? '', ['worker', ...queue]);
    const { code, out, err } = await queued.ended;
    second.interrupt();
    const stopped = await second.ended;
    assert.equal(code, 0, out + err);
    assert.equal(stopped.code, 0);
    const { cases, end, text } = await recordIn(run ?? '');
    assert.deepEqual(
      cases.map(({ id }) => id).sort(),
      Array.from({ length: 8 }, (_, index) => `c${index}`),
    );
    assert.equal(end?.counts.pass, 8);
    for (const one of [out, err, text, stopped.err, (await first.ended).err]) {
      assert.ok(!one.includes(PASSWORD), one);
    }
  });

  itLong('cancel the cases at the workers on Ctrl+C', async (t) => {
    const slower = { ...FILES, 'bot.mjs': SLOW.replace('1_000', '60_000') };
    const [run = '', other = ''] = await Promise.all([1, 2].map(() => workspaceWith(t, slower)));
    const worker = start(other, ['worker', '--queue', url]);
    await worker.shows('Serving');
    const queued = start(run, ['run', '--queue', url]);
    await worker.shows('Joined');
    queued.interrupt();
    assert.equal((await queued.ended).code, 130);
    await worker.shows('ended.');
    worker.interrupt();
    assert.equal((await worker.ended).code, 0);
  });

  itLong('end an idle worker at the first SIGTERM while Redis is away', async (t) => {
    const own = await startRedis();
    const folder = await workspaceWith(t, FILES);
    const worker = start(folder, ['worker', '--queue', own.url]);
    await worker.shows('Serving');
    await own.stop();
    await worker.shows('is unreachable');
    worker.send('SIGTERM');
    const { code, err } = await worker.ended;
    assert.equal(code, 0, err);
    assert.match(err, /Finishing the current cases/);
  });

  it('report an error of Redis without a stack trace, and exit with 2', async (t) => {
    const client = new Redis(url);
    t.after(() => client.disconnect());
    await client.set('{turnlight}:runs', 'x');
    const folder = await workspaceWith(t, FILES);
    for (const command of ['run', 'worker']) {
      const { code, err } = await turnlightProcess(folder, [command, '--queue', url]);
      assert.equal(code, 2, err);
      assert.match(err, /The queue at redis:\/\/127\.0\.0\.1:\d+ failed: WRONGTYPE .* delete them/);
      assert.doesNotMatch(err, /Internal error|planted-password/);
    }
    await client.del('{turnlight}:runs');
  });

  it('report a wrong password without printing it', async (t) => {
    const folder = await workspaceWith(t, FILES);
    const wrong = url.replace(PASSWORD, 'another-password');
    const { code, err } = await turnlightProcess(folder, ['run', '--queue', wrong]);
    assert.equal(code, 2, err);
    assert.match(err, /Cannot use the queue at redis:\/\/127\.0\.0\.1:\d+: WRONGPASS/);
    assert.doesNotMatch(err, /another-password/);
  });
});

describe('the commands of a queue without one', { timeout: 120_000 }, () => {
  it('report that nothing answers, and exit with 2', async (t) => {
    const folder = await workspaceWith(t, { ...FILES, 'bot.mjs': ECHO });
    const url = `redis://:${PASSWORD}@127.0.0.1:${await freePort()}`;
    const ends = await Promise.all(
      ['run', 'worker'].map((command) => turnlightProcess(folder, [command, '--queue', url])),
    );
    for (const { code, err } of ends) {
      assert.equal(code, 2, err);
      assert.match(err, /Cannot use the queue at redis:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED/);
      assert.doesNotMatch(err, new RegExp(PASSWORD));
    }
  });

  it('show the form of an address without repeating the given one', async (t) => {
    const folder = await workspaceWith(t, FILES);
    for (const command of ['run', 'worker']) {
      const args = [command, '--queue', `http://:${PASSWORD}@localhost`];
      const { code, err } = await turnlightProcess(folder, args);
      assert.equal(code, 3, err);
      assert.match(err, /expected the address of a Redis or Valkey server, such as redis:/);
      assert.doesNotMatch(err, new RegExp(PASSWORD));
    }
  });

  it('say which packages to install if they are missing', async (t) => {
    const folder = await workspaceWith(t, FILES);
    const { code, err } = await turnlightProcess(folder, ['run', '--queue', 'redis://localhost'], {
      NODE_OPTIONS: WITHOUT_PACKAGES,
    });
    assert.equal(code, 2, err);
    assert.match(err, /npm install bullmq ioredis/);
  });

  it('refuse options that workers decide', async (t) => {
    const folder = await workspaceWith(t, FILES);
    const args = ['run', '--queue', 'redis://localhost', '--concurrency', '8'];
    const { code, err } = await turnlightProcess(folder, args);
    assert.equal(code, 3);
    assert.match(err, /--queue.*cannot be used with.*--concurrency/);
  });
});
