// `npm run examples:record`: sends the examples' current questions, and answers each with the recorded answer whose
// request is most similar. To record only some examples, name their folders. A YAML file adds or replaces answers:
//
//     - { question: guidelines, about: [my name is Sarah], answer: { guidelines: […], turns: […] } }
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { isMap, parse, parseDocument, visit } from 'yaml';
import { isEvalFile } from '../../src/node/paths.ts';
import { startModelServer } from '../../test/support/modelServer/server.ts';
import { KnownAnswers, type WrittenAnswer } from './knownAnswers.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const EXAMPLES = join(ROOT, 'examples');
const RECORDING = 'recordings/judge.jsonl';

const isYaml = (name: string) => name.endsWith('.yaml');
const folders = process.argv.slice(2).filter((name) => !isYaml(name));
const files = process.argv.slice(2).filter(isYaml);
const written: WrittenAnswer[] = [];
for (const file of files) written.push(...parse(await readFile(file, 'utf8')));
for (const folder of folders.length > 0 ? folders : await recordedFolders()) {
  await recordAgain(folder);
}

async function recordedFolders(): Promise<string[]> {
  const paths = await readdir(EXAMPLES, { recursive: true });
  return paths
    .filter((path) => path.endsWith(`/${RECORDING}`))
    .map((path) => path.slice(0, -RECORDING.length - 1));
}

async function recordAgain(folder: string): Promise<void> {
  const path = join(EXAMPLES, folder, RECORDING);
  const answers = new KnownAnswers(await readFile(path, 'utf8'), path, written);
  const embed = (text: string) => answers.vectorOf(text);
  const server = await startModelServer((body) => answers.answer(body), { embed });
  const workspace = await mkdtemp(join(tmpdir(), 'turnlight-record-'));
  try {
    await cp(join(EXAMPLES, folder), workspace, { recursive: true });
    await askInstead(workspace, server.baseUrl);
    await writeFile(path, await record(workspace, folder));
  } finally {
    await server.close();
    await rm(workspace, { recursive: true, force: true });
  }
  const unasked = answers.unasked();
  if (unasked.length > 0) {
    throw new Error(`${folder}: nobody asked for ${JSON.stringify(unasked, null, 2)}`);
  }
}

/** Changes the models that answer from a recording so that they use the server instead. */
async function askInstead(workspace: string, baseUrl: string): Promise<void> {
  for (const name of await readdir(workspace)) {
    if (!isEvalFile(name)) continue;
    const path = join(workspace, name);
    const document = parseDocument(await readFile(path, 'utf8'));
    visit(document, {
      Map(_key, model) {
        if (!isMap(model) || model.get('provider') !== 'replay') return;
        model.set('provider', 'openai');
        model.set('base_url', baseUrl);
        model.delete('path');
      },
    });
    await writeFile(path, String(document));
  }
}

/** The judge's answers, sorted by request. Target replies aren't included, since the examples' targets run live. */
async function record(workspace: string, folder: string): Promise<string> {
  const recording = join(workspace, RECORDING);
  await turnlight(workspace, folder, ['run', '.', '--record', recording, '--no-save']);
  const lines = linesOf(await readFile(recording, 'utf8'));
  if ((await readdir(workspace)).some((name) => name.endsWith('.labels'))) {
    await turnlight(workspace, folder, ['judges', '--examples', '--record', recording]);
    lines.push(...linesOf(await readFile(recording, 'utf8')));
  }
  const asked = lines
    .map((line) => ({ line, ...JSON.parse(line) }))
    .filter(({ kind }) => kind !== 'target');
  if (asked.some(({ error }) => error)) throw new Error(`${folder}: a request had no answer.`);
  // Sorts by key only, so samples of the same request stay in order.
  asked.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return `${asked.map(({ line }) => line).join('\n')}\n`;
}

async function turnlight(
  workspace: string,
  folder: string,
  args: readonly string[],
): Promise<void> {
  const command = [join(ROOT, 'src/cli/main.ts'), ...args, '--no-cache'];
  // The examples contain failing cases, so exit code 1 is expected.
  const { stdout } = await promisify(execFile)(process.execPath, command, {
    cwd: workspace,
  }).catch((error) => {
    if (error.code !== 1) throw new Error(`${folder}:\n${error.stdout}\n${error.stderr}`);
    return error;
  });
  console.log(stdout);
}

function linesOf(recording: string): string[] {
  return recording.trimEnd().split('\n');
}
