import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { loadSuite } from '../../../src/evalfile/load.ts';
import { nodeFiles } from '../../../src/evalfile/nodeFiles.ts';
import { load, placed, suiteWith, TRANSCRIPT } from '../../support/evalFiles.ts';
import { workspaceWith } from '../../support/runs.ts';

const CHAT = 'transcript: [{user: Hi}, {assistant: Hello}]\n';

/** A suite for each way to reference a file, with the file's name and text. */
const REFERENCES: readonly (readonly [
  kind: string,
  suite: (path: string) => string,
  name: string,
  text: string,
])[] = [
  [
    'a judge prompt',
    (path) => suiteWith(`${CHAT}assert: [{type: llm-judge, prompt: ${path}}]`),
    'a.md',
    '{{conversation}}',
  ],
  [
    'a transcript',
    (path) => suiteWith(`transcript: ${path}\nassert: [x]`),
    'a.yaml',
    '[{user: Hi}, {assistant: x}]',
  ],
  [
    'an included file',
    (path) => suiteWith(TRANSCRIPT, `include: [${path}]\n`),
    'a.yaml',
    suiteWith(TRANSCRIPT).replace('one', 'two'),
  ],
  [
    'a script',
    (path) => suiteWith(`${CHAT}assert: [{type: script, path: ${path}}]`),
    'a.mjs',
    'export default () => true;',
  ],
  [
    'a module target',
    (path) => suiteWith(`turns: [Hi]\ntarget: {type: module, path: ${path}}\nassert: [x]`),
    'a.mjs',
    "export default () => 'Hi';",
  ],
  [
    'a recording',
    (path) => suiteWith(`${TRANSCRIPT}\njudge: {provider: replay, model: m, path: ${path}}`),
    'a.jsonl',
    '',
  ],
];

const IN_FOLDER = suiteWith(
  'turns: [Hi]\ntarget: {type: command, command: [./run], cwd: there}\nassert: [x]',
);

/** Loads a suite. `links` maps paths in the workspace to locations outside of it, where the `outside` files are. */
async function loaded(
  t: TestContext,
  suite: string,
  outside: Readonly<Record<string, string>>,
  links: Readonly<Record<string, string>>,
) {
  const workspace = await workspaceWith(t, { 'suite.eval.yaml': suite });
  const elsewhere = await workspaceWith(t, outside);
  for (const [path, to] of Object.entries(links)) {
    await mkdir(dirname(join(workspace, path)), { recursive: true });
    await symlink(join(elsewhere, to), join(workspace, path));
  }
  const options = { workspace, env: () => undefined, defaultJudge: 'openai:x' };
  const { problems } = await loadSuite(join(workspace, 'suite.eval.yaml'), nodeFiles(), options);
  return problems.map(({ code }) => code);
}

describe('a referenced file', () => {
  for (const [kind, suite, name, text] of REFERENCES) {
    it(`can't leave the workspace by a link: ${kind}`, async (t) => {
      const outside = { [name]: text };
      assert.deepEqual(await loaded(t, suite(name), outside, { [name]: name }), ['path-outside']);
      const inFolder = await loaded(t, suite(`there/${name}`), outside, { there: '.' });
      assert.deepEqual(inFolder, ['path-outside']);
    });

    it(`can be a link within the workspace: ${kind}`, async (t) => {
      const workspace = await workspaceWith(t, { 'suite.eval.yaml': suite(name), own: text });
      await symlink(join(workspace, 'own'), join(workspace, name));
      const options = { workspace, env: () => undefined, defaultJudge: 'openai:x' };
      const found = await loadSuite(join(workspace, 'suite.eval.yaml'), nodeFiles(), options);
      assert.deepEqual(found.problems, []);
    });

    it(`is reported if it is outside of the workspace or missing: ${kind}`, async () => {
      const codes = async (path: string) =>
        (await load(suite(path))).problems.map(({ code }) => code);
      assert.deepEqual(await codes(`../../${name}`), ['path-outside']);
      assert.deepEqual(await codes(`/etc/${name}`), ['path-outside']);
      assert.deepEqual(await codes(name), ['file-missing']);
    });

    it(`is a dependency of the suite, even if it is missing: ${kind}`, async () => {
      const { dependencies } = await load(suite(name));
      assert.deepEqual(dependencies, [`/work/space/${name}`]);
    });
  }

  it("can't leave the workspace by a pattern", async (t) => {
    const suite = suiteWith(TRANSCRIPT, 'include: ["there/*.yaml"]\n');
    const more = suiteWith(TRANSCRIPT).replace('one', 'two');
    assert.deepEqual(await loaded(t, suite, { 'a.yaml': more }, { there: '.' }), ['path-outside']);
    const toFile = await loaded(t, suite, { 'a.yaml': more }, { 'there/a.yaml': 'a.yaml' });
    assert.deepEqual(toFile, ['path-outside']);
  });

  it("can't leave the workspace as a program's folder", async (t) => {
    assert.deepEqual(await loaded(t, IN_FOLDER, {}, { there: '.' }), ['path-outside']);
    const up = IN_FOLDER.replace('cwd: there', 'cwd: ../..');
    assert.deepEqual(placed(await load(up)), ['4:52 path-outside']);
  });

  it("is a folder for a program's working folder", async (t) => {
    assert.deepEqual(placed(await load(IN_FOLDER)), ['4:52 file-missing']);
    assert.deepEqual(placed(await load(IN_FOLDER, { 'there/run': '' })), []);
    const workspace = await workspaceWith(t, { 'suite.eval.yaml': IN_FOLDER, there: 'a file' });
    const options = { workspace, env: () => undefined, defaultJudge: 'openai:x' };
    const path = join(workspace, 'suite.eval.yaml');
    const asFile = await loadSuite(path, nodeFiles(), options);
    assert.deepEqual(
      asFile.problems.map(({ code }) => code),
      ['not-a-folder'],
    );
    await writeFile(path, IN_FOLDER.replace('there', '.'));
    assert.deepEqual((await loadSuite(path, nodeFiles(), options)).problems, []);
  });

  it('is not searched while a variable in it is not set', async () => {
    const target = `target: {type: module, path: "\${env:BOT}"}`;
    const text = suiteWith(`turns: [Hi]\n${target}\nassert: [x]`);
    assert.deepEqual(placed(await load(text)), ['4:5 unset-variable']);
    const set = await load(text, {}, { env: () => './nobody.mjs' });
    assert.deepEqual(placed(set), ['4:34 file-missing']);
  });
});
