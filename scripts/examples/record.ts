// Writes the recordings of the examples again: `npm run examples:record`. The answers are written
// by hand, beside this file; a local server gives them, and the command line records them as it
// would record a model's. Give names of folders to record these alone.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { isMap, parseDocument, visit } from 'yaml';
import { startModelServer } from '../../test/support/modelServer/server.ts';
import type { ExampleAnswer } from './answer.ts';
import { azureAnswers } from './azure.ts';
import { compositionAnswers, compositionVectors } from './composition.ts';
import { contextRetentionAnswers } from './contextRetention.ts';
import { deepevalConversationAnswers } from './deepevalConversation.ts';
import { deepevalOwnAnswers } from './deepevalOwn.ts';
import { deepevalRetrievalAnswers } from './deepevalRetrieval.ts';
import { deepevalToolAnswers } from './deepevalTools.ts';
import { mlflowAnswers } from './mlflow.ts';
import { shopfastAnswers } from './shopfast.ts';
import { WrittenJudge } from './writtenJudge.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const EXAMPLES = join(ROOT, 'examples');
const RECORDING = 'recordings/judge.jsonl';

const ANSWERS: Readonly<Record<string, readonly ExampleAnswer[]>> = {
  shopfast: shopfastAnswers,
  'context-retention': contextRetentionAnswers,
  deepeval: [
    ...deepevalConversationAnswers,
    ...deepevalToolAnswers,
    ...deepevalRetrievalAnswers,
    ...deepevalOwnAnswers,
  ],
  mlflow: mlflowAnswers,
  azure: azureAnswers,
  composition: compositionAnswers,
};

const chosen = process.argv.slice(2);
for (const folder of chosen.length > 0 ? chosen : Object.keys(ANSWERS)) await recordAgain(folder);

async function recordAgain(folder: string): Promise<void> {
  const judge = new WrittenJudge(ANSWERS[folder] ?? []);
  const server = await startModelServer((body) => judge.answer(body), { embed: vectorOf });
  const workspace = await mkdtemp(join(tmpdir(), 'turnlight-record-'));
  try {
    await cp(join(EXAMPLES, folder), workspace, { recursive: true });
    await askInstead(workspace, server.baseUrl);
    const lines = await record(workspace, folder);
    await mkdir(join(EXAMPLES, folder, 'recordings'), { recursive: true });
    await writeFile(join(EXAMPLES, folder, RECORDING), lines);
  } finally {
    await server.close();
    await rm(workspace, { recursive: true, force: true });
  }
  const unasked = judge.unasked();
  if (unasked.length > 0) {
    throw new Error(`${folder}: nobody asked for ${JSON.stringify(unasked, null, 2)}`);
  }
}

function vectorOf(text: string): readonly number[] {
  const [found] = Object.entries(compositionVectors).filter(([words]) => text.includes(words));
  if (!found) throw new Error(`No vector is written for: ${text}`);
  return found[1];
}

/** Lets the models that answer from a recording ask the server in its place. */
async function askInstead(workspace: string, baseUrl: string): Promise<void> {
  for (const name of await readdir(workspace)) {
    if (!name.endsWith('.eval.yaml')) continue;
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

/** What the judge said, by request: the targets of the examples run live. */
async function record(workspace: string, folder: string): Promise<string> {
  const recording = join(workspace, RECORDING);
  const main = join(ROOT, 'src/cli/main.ts');
  const args = [main, 'run', '.', '--record', recording, '--no-save'];
  // The examples hold failing cases: exit code 1 is as it should be.
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: workspace }).catch(
    (error) => {
      if (error.code !== 1) throw new Error(`${folder}:\n${error.stdout}\n${error.stderr}`);
      return error;
    },
  );
  console.log(stdout);
  const lines = (await readFile(recording, 'utf8')).split('\n').filter((line) => line !== '');
  const asked = lines
    .map((line) => ({ line, ...JSON.parse(line) }))
    .filter(({ kind }) => kind !== 'target');
  if (asked.some(({ error }) => error)) throw new Error(`${folder}: a request had no answer.`);
  // By key alone: samples of one request stay in their order.
  asked.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return `${asked.map(({ line }) => line).join('\n')}\n`;
}
