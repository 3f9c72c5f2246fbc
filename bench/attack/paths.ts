import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { botSuite, ECHO, runFiles, workspaceWith } from '../../test/support/runs.ts';
import { WAYS_OUT } from '../../test/support/waysOut.ts';
import type { Attack, Scene } from './attack.ts';

/** Text in every file outside the workspace. None of it may get in. */
const WORDS = 'from the other side';

const TALK = 'transcript: [{user: Hi}, {assistant: Hello}]';
const CHECK = '{type: contains, value: Hello}';

/** Cases for each key that names a file. */
const KEYS: Readonly<Record<string, (path: string) => string>> = {
  'a.json': (path) => `  - {id: a, transcript: ${path}, assert: [${CHECK}]}\n`,
  'a.md': (path) => `  - {id: a, ${TALK}, assert: [{type: llm-judge, prompt: ${path}}]}\n`,
  'a.mjs': (path) => `  - {id: a, ${TALK}, assert: [{type: script, path: ${path}}]}\n`,
  'b.mjs': (path) =>
    `  - {id: a, turns: [Hi], target: {type: module, path: ${path}}, assert: [${CHECK}]}\n`,
  'a.yaml': (path) => `  - {id: a, ${TALK}, assert: [${CHECK}]}\ninclude: [${path}]\n`,
};

const TRACE = `import { writeFileSync } from 'node:fs';
writeFileSync(new URL('./trace', import.meta.url), '');
export default () => '${WORDS}';
`;

const OUTSIDE: Readonly<Record<string, string>> = {
  'a.json': JSON.stringify([
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: WORDS },
  ]),
  'a.md': `${WORDS}: {{conversation}}`,
  'a.mjs': TRACE,
  'b.mjs': TRACE,
  'a.yaml': `cases:\n  - {id: b, transcript: [{user: Hi}, {assistant: ${WORDS}}], assert: [${CHECK}]}\n`,
};

const WAYS: typeof WAYS_OUT = [
  ...WAYS_OUT,
  (name) => `link-${name}`,
  (name, outside) => `file://${outside}/${name}`,
  (name) => `./in/.././../outside/./${name}`,
];

/** Turnlight's own paths that could be links to the outside. */
const OURS = ['.turnlight', '.turnlight/runs', '.turnlight/.gitignore', '.git'];

/** Tries paths and links that lead out of the workspace. Nothing there may be read, run, or written. */
export const paths: Attack = {
  name: 'paths',
  tries: Object.keys(KEYS).length * WAYS.length + OURS.length,
  async run(found, scene) {
    for (const [name, suiteOf] of Object.entries(KEYS)) {
      for (const way of WAYS) {
        const { workspace, outside } = await besides(scene);
        const cases = suiteOf(`'${way(name, outside)}'`);
        for (const wrong of await escaped(scene, workspace, outside, cases)) {
          found(`${name} by ${way(name, '/outside')}: ${wrong}`);
        }
      }
    }
    for (const name of OURS) {
      const { workspace, outside } = await besides(scene);
      if (name.includes('/')) await mkdir(join(workspace, '.turnlight'));
      const target = name.includes('.', 1) ? join(outside, 'a.json') : outside;
      await symlink(target, join(workspace, name));
      const cases = `  - {id: a, turns: [Hi], assert: [${CHECK}]}\n`;
      for (const wrong of await escaped(scene, workspace, outside, cases)) {
        found(`${name} as a link: ${wrong}`);
      }
    }
  },
};

async function besides(scene: Scene) {
  const top = await workspaceWith(scene, {});
  const workspace = join(top, 'workspace');
  const outside = join(top, 'outside');
  await mkdir(join(workspace, 'in'), { recursive: true });
  await mkdir(outside);
  for (const [name, text] of Object.entries(OUTSIDE)) {
    await writeFile(join(outside, name), text);
    await symlink(join(outside, name), join(workspace, `link-${name}`));
  }
  await symlink(outside, join(workspace, 'linked'));
  await symlink(outside, join(workspace, 'in/linked'));
  await symlink(top, join(workspace, 'up'));
  return { workspace, outside };
}

async function escaped(
  scene: Scene,
  workspace: string,
  outside: string,
  cases: string,
): Promise<string[]> {
  const files = { 'bot.mjs': ECHO, 'suite.eval.yaml': botSuite(cases) };
  // The run is rejected, or continues without the file.
  const ran = await runFiles(scene, files, { workspace, timeout: 5_000 }).catch(() => undefined);
  const after = await textsOf(outside);
  const changed = Object.keys({ ...OUTSIDE, ...after }).filter(
    (one) => OUTSIDE[one] !== after[one],
  );
  const inside = JSON.stringify([ran?.lines ?? [], await textsOf(workspace)]);
  return [
    ...(changed.length > 0 ? [`${changed.join(', ')} outside changed`] : []),
    ...(inside.includes(WORDS) ? ['words of the outside came in'] : []),
  ];
}

/** Contents of all files in a folder and its subfolders, by file name. Doesn't follow links. */
async function textsOf(folder: string): Promise<Record<string, string>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((one) => one.isFile());
  const texts = files.map(async (one) => {
    const text = await readFile(join(one.parentPath, one.name), 'utf8');
    return [one.name, text] as const;
  });
  return Object.fromEntries(await Promise.all(texts));
}
