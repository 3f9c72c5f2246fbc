import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadSuite } from '../../../src/evalfile/load.ts';
import type { LoadOptions } from '../../../src/evalfile/loadedSuite.ts';
import { nodeFiles } from '../../../src/evalfile/nodeFiles.ts';
import { suiteWith, TRANSCRIPT } from '../../support/evalFiles.ts';
import { WAYS_OUT } from '../../support/waysOut.ts';

const POSIX = { skip: process.platform === 'win32' };
const CHAT = 'transcript: [{user: Hi}, {assistant: Hello}]\n';
const INCLUDED = suiteWith(TRANSCRIPT).replace('one', 'two');

/** A suite for each key that names a file, and a file that it could name. */
const KEYS: Readonly<
  Record<string, { suite(path: string): string; readonly name: string; readonly text: string }>
> = {
  prompt: {
    suite: (path) => suiteWith(`${CHAT}assert: [{type: llm-judge, prompt: ${path}}]`),
    name: 'a.md',
    text: '{{conversation}}',
  },
  transcript: {
    suite: (path) => suiteWith(`transcript: ${path}\nassert: [x]`),
    name: 'a.json',
    text: '[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "x"}]',
  },
  script: {
    suite: (path) => suiteWith(`${CHAT}assert: [{type: script, path: ${path}}]`),
    name: 'a.mjs',
    text: 'export default () => true;',
  },
  image: {
    suite: (path) =>
      suiteWith(
        `turns: [{user: [{type: image, path: ${path}}]}]\ntarget: {type: chat, model: openai:m}\nassert: [x]`,
      ),
    name: 'a.gif',
    text: 'GIF89a',
  },
  module: {
    suite: (path) => suiteWith(`turns: [Hi]\ntarget: {type: module, path: ${path}}\nassert: [x]`),
    name: 'b.mjs',
    text: "export default () => 'Hi';",
  },
  replay: {
    suite: (path) => suiteWith(`${TRANSCRIPT}\njudge: {provider: replay, model: m, path: ${path}}`),
    name: 'a.jsonl',
    text: '',
  },
  cwd: {
    suite: (path) =>
      suiteWith(`turns: [Hi]\ntarget: {type: command, command: [x], cwd: ${path}}\nassert: [x]`),
    name: 'folder',
    text: '',
  },
  include: {
    suite: (path) => suiteWith(TRANSCRIPT, `include: [${path}]\n`),
    name: 'a.yaml',
    text: INCLUDED,
  },
};

const PATTERNS_OUT = [
  '../outside/*.yaml',
  '{..,.}/outside/*.yaml',
  '{../outside,in}/*.yaml',
  'in/{..,}/../outside/*.yaml',
  '..\\outside\\*.yaml',
  'linked/*.yaml',
  'in/linked/**',
  'up/outside/*.yaml',
  'up/**/*.yaml',
];

describe('a path in a file', POSIX, () => {
  let top: string;
  const workspace = () => join(top, 'workspace');
  const outside = () => join(top, 'outside');

  before(async () => {
    top = await mkdtemp(join(tmpdir(), 'turnlight-tricks-'));
    await mkdir(join(workspace(), 'in'), { recursive: true });
    await mkdir(join(outside(), 'folder'), { recursive: true });
    for (const { name, text } of Object.values(KEYS)) {
      if (name === 'folder') continue;
      await writeFile(join(outside(), name), text);
      execFileSync('mkfifo', [join(workspace(), `pipe-${name}`)]);
      await symlink(join(outside(), `gone-${name}`), join(workspace(), `gone-${name}`));
      await symlink(`loop-${name}`, join(workspace(), `loop-${name}`));
    }
    await symlink(outside(), join(workspace(), 'linked'));
    await symlink(outside(), join(workspace(), 'in/linked'));
    await symlink(top, join(workspace(), 'up'));
  });
  after(() => rm(top, { recursive: true }));

  const problemsOf = async (suite: string, more: Partial<LoadOptions> = {}) => {
    const path = join(workspace(), 'suite.eval.yaml');
    await writeFile(path, suite);
    const options = {
      workspace: workspace(),
      env: () => undefined,
      defaultJudge: 'openai:x',
      ...more,
    };
    return (await loadSuite(path, nodeFiles(), options)).problems;
  };
  const codesOf = async (suite: string, more?: Partial<LoadOptions>) =>
    (await problemsOf(suite, more)).map(({ code }) => code);

  for (const [key, { suite, name, text }] of Object.entries(KEYS)) {
    it(`stays in the workspace: ${key}`, async () => {
      for (const way of WAYS_OUT) {
        const path = way(name, outside());
        assert.deepEqual(await codesOf(suite(`'${path}'`)), ['path-outside'], path);
      }
    });

    it(`leads to no file that probably contains secrets: ${key}`, async () => {
      await mkdir(join(workspace(), '.git/hooks'), { recursive: true });
      await mkdir(join(workspace(), '.github'), { recursive: true });
      const dotenv = join(workspace(), `all-${name}`);
      for (const path of [`.git/hooks/${name}`, `.${name}`, `all-${name}`, `.github/${name}`]) {
        if (key === 'cwd') await mkdir(join(workspace(), path), { recursive: true });
        else await writeFile(join(workspace(), path), text);
      }
      await rm(join(workspace(), `link-${name}`), { force: true });
      await symlink(`.${name}`, join(workspace(), `link-${name}`));
      await rm(join(workspace(), 'repository'), { force: true });
      await symlink('.git', join(workspace(), 'repository'));
      for (const path of [
        `.git/hooks/${name}`,
        `repository/hooks/${name}`,
        `.${name}`,
        `link-${name}`,
        `in/../all-${name}`,
      ]) {
        assert.deepEqual(await codesOf(suite(path), { dotenv }), ['private-file'], path);
      }
      for (const path of [`all-${name}`, `.github/${name}`]) {
        assert.deepEqual(await codesOf(suite(path)), [], path);
      }
    });

    it(`leads to a file or folder, not to a pipe, device, or broken link: ${key}`, async () => {
      for (const special of ['pipe', 'gone', 'loop']) {
        const [problem, ...more] = await problemsOf(
          suite(`${special}-${name === 'folder' ? 'a.md' : name}`),
        );
        const wanted = name === 'folder' ? 'folder' : 'file';
        assert.equal(problem?.code, `not-a-${wanted}`, special);
        assert.equal(problem?.fix, undefined);
        assert.deepEqual(more, []);
      }
    });
  }

  it("can't leave the workspace behind unfilled braces", async () => {
    for (const key of ['transcript', 'module', 'replay', 'cwd'] as const) {
      const { suite, name } = KEYS[key] ?? assert.fail();
      const codes = await codesOf(suite(`'{{x}}/../../outside/${name}'`));
      assert.deepEqual(codes, ['path-outside'], key);
    }
  });

  it('is used as written if nothing can be filled in', async () => {
    const codes = await codesOf(KEYS.transcript?.suite(`'\${env:HOME}.json'`) ?? '');
    assert.deepEqual(codes, ['file-missing']);
  });

  it('is not searched outside of the workspace by a pattern', async () => {
    for (const pattern of PATTERNS_OUT) {
      const suite = suiteWith(TRANSCRIPT, `include: ['${pattern}']\n`);
      assert.deepEqual(await codesOf(suite), ['path-outside'], pattern);
    }
    const backslash = suiteWith(TRANSCRIPT, "include: ['in\\*.yaml']\n");
    assert.deepEqual(await codesOf(backslash), ['wrong-pattern']);
  });

  it('is not found by a pattern if it probably contains secrets', async () => {
    await mkdir(join(workspace(), '.git'), { recursive: true });
    for (const path of ['.git/c.yaml', '.c.yaml']) {
      await writeFile(join(workspace(), path), INCLUDED);
      const suite = suiteWith(TRANSCRIPT, `include: ['${path.replace('c.', '[c].')}']\n`);
      assert.deepEqual(await codesOf(suite), ['private-file'], path);
    }
  });

  it('is reported if it is too long for a file system', async () => {
    const long = `${'a/'.repeat(5_000)}b.json`;
    assert.deepEqual(await codesOf(KEYS.transcript?.suite(long) ?? ''), ['file-missing']);
  });

  it('names a folder where a file is expected', async () => {
    const [problem] = await problemsOf(KEYS.transcript?.suite('in') ?? '');
    assert.equal(problem?.code, 'unknown-file-type');
    const [prompt] = await problemsOf(KEYS.prompt?.suite('in') ?? '');
    assert.equal(prompt?.message, '"in" is a folder. Expected the path of a file.');
  });
});
