import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { turnlight } from '../../support/commandLine.ts';
import { workspaceWith } from '../../support/runs.ts';

/** An eval file in a stranger's workspace, which also contains the record of a run that never happened. */
const SUITE = `judge: openai:j
cases:
  - id: a
    transcript: [{user: Hi}, {assistant: Hello}]
    assert: [The agent greets.]
`;

const KEY = 'sk-never-sent';

interface Written {
  readonly id?: string;
  readonly started?: string;
  readonly files?: readonly { readonly path: string; readonly hash: string }[];
  readonly options?: Readonly<Record<string, unknown>>;
}

/** @returns the workspace's folder, next to a folder `outside` */
async function stranger(t: TestContext, written: Written): Promise<string> {
  const parent = await workspaceWith(t, { 'workspace/suite.eval.yaml': SUITE });
  await mkdir(join(parent, 'outside'));
  const folder = join(parent, 'workspace');
  const run = {
    kind: 'run',
    version: 2,
    id: '1a2b3c4d',
    started: '2026-01-31T12:00:00.000Z',
    files: [{ path: 'suite.eval.yaml', hash: 'x' }],
    planned: 1,
    options: {},
    judges: [],
    ...written,
  };
  const runs = join(folder, '.turnlight/runs');
  await mkdir(runs, { recursive: true });
  const record = join(runs, '2026-01-31T12-00-00-000Z-1a2b3c4d.jsonl');
  await writeFile(record, `${JSON.stringify(run)}\n`);
  return folder;
}

const GOING_BACK = [
  ['run', '--resume'],
  ['run', '--resume', '1a2b3c4d'],
  ['judge', '1a2b3c4d'],
];

for (const args of GOING_BACK) {
  describe(`turnlight ${args.join(' ')} with a record from a stranger`, () => {
    it('sends no key to the address in it, even in CI', async (t) => {
      const folder = await stranger(t, { options: { base_url: 'https://evil.example/v1' } });
      for (const env of [{}, { CI: '1' }]) {
        const { code, err } = await turnlight(folder, args, { OPENAI_API_KEY: KEY, ...env });
        assert.equal(code, 3, err);
        assert.match(err, /OPENAI_API_KEY to evil\.example, which you have not allowed/);
      }
    });

    it('still accepts an address from the command line', async (t) => {
      const folder = await stranger(t, { options: { base_url: 'https://evil.example/v1' } });
      const own = ['--base-url', 'http://127.0.0.1:9/v1', '--timeout', '1s'];
      const { err } = await turnlight(folder, [...args, ...own], { OPENAI_API_KEY: KEY });
      assert.doesNotMatch(err, /evil/);
    });

    it('never treats an id as a path', async (t) => {
      const folder = await stranger(t, { id: 'x/../../../../outside/x' });
      const { code, out, err } = await turnlight(folder, args, { OPENAI_API_KEY: KEY });
      assert.deepEqual(await readdir(join(folder, '../outside')), []);
      assert.ok(code === 3 || /Starting a new one/.test(`${out}${err}`), `${code} ${out}${err}`);
    });

    it('runs and writes no file outside of its folder', async (t) => {
      const folder = await stranger(t, {
        files: [
          { path: 'suite.eval.yaml', hash: 'x' },
          { path: '../outside/evil.eval.yaml', hash: 'x' },
        ],
      });
      const outside = join(folder, '../outside');
      const bot = "import { writeFileSync } from 'node:fs';\nwriteFileSync('ran.txt', 'x');\n";
      await writeFile(join(outside, 'bot.mjs'), bot);
      await writeFile(
        join(outside, 'evil.eval.yaml'),
        'cases:\n  - {id: b, target: {type: module, path: ./bot.mjs}, turns: [x], assert: [{type: contains, value: x}]}\n',
      );
      await turnlight(folder, args, { OPENAI_API_KEY: KEY });
      assert.deepEqual((await readdir(outside)).sort(), ['bot.mjs', 'evil.eval.yaml']);
      assert.equal(existsSync(join(outside, '.turnlight')), false);
    });
  });
}

describe('a recording named in a record', () => {
  it('is not opened if it is a pipe or outside of the workspace', async (t) => {
    const folder = await stranger(t, { options: { replay: 'pipe' } });
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const pipe = await turnlight(folder, ['run', '--resume']);
    assert.equal(pipe.code, 3);
    assert.match(pipe.err, /started with --replay pipe, which is not a file in this workspace/);
    const other = await stranger(t, { options: { replay: '/dev/zero' } });
    const device = await turnlight(other, ['run', '--resume']);
    assert.equal(device.code, 3);
    assert.match(device.err, /which is not a file in this workspace/);
  });
});

describe('turnlight merge with an untrusted record', () => {
  it('writes nothing outside of the workspace', async (t) => {
    const files = [{ path: '../outside/evil.eval.yaml', hash: 'x' }];
    const folder = await stranger(t, { files });
    const { code, err } = await turnlight(folder, ['merge', '.turnlight/runs']);
    assert.equal(code, 3);
    assert.match(err, /evil\.eval\.yaml, which is outside /);
    assert.deepEqual(await readdir(join(folder, '../outside')), []);
  });
});

describe('an untrusted record with an unlikely time', () => {
  for (const started of ['not a date', '', '9999-99-99', '+275760-09-13T00:00:00.000Z']) {
    it(`is merged into a record with the current time: "${started}"`, async (t) => {
      const folder = await stranger(t, { started });
      const { err } = await turnlight(folder, ['merge', '.turnlight/runs']);
      assert.doesNotMatch(err, /Internal error/);
      const names = (await readdir(join(folder, '.turnlight/runs'))).sort();
      const [, merged = ''] = names.filter((name) => name.endsWith('.jsonl'));
      assert.match(merged, new RegExp(`^${new Date().getUTCFullYear()}-`), err);
    });
  }
});

describe('an invalid address', () => {
  for (const [judge, address] of [
    ['openai:j', 'llm.example.com/v1'],
    ['openai:j', 'file:///etc/passwd'],
    ['replay:j', 'https://x.example'],
  ] as const) {
    it(`is reported in one sentence: ${judge} at ${address}`, async (t) => {
      const options = { judge, base_url: address };
      const folder = await stranger(t, { options });
      for (const args of [...GOING_BACK, ['run', '--judge', judge, '--base-url', address]]) {
        const { code, err } = await turnlight(folder, args, { OPENAI_API_KEY: KEY });
        assert.equal(code, 3, err);
        assert.doesNotMatch(err, /Internal error/);
      }
    });
  }
});
