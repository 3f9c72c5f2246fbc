// Writes the recordings of the examples again: `npm run examples:record`. The answers are written
// by hand, beside this file; a local server gives them, and the command line records them as it
// would record a model's.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { startModelServer } from '../../test/support/modelServer/server.ts';
import { json } from '../../test/support/modelServer/steps.ts';
import type { ExampleAnswer } from './answer.ts';
import { contextRetentionAnswers } from './contextRetention.ts';
import { shopfastAnswers } from './shopfast.ts';

const ROOT = resolve(import.meta.dirname, '../..');

const EXAMPLES: Readonly<Record<string, readonly ExampleAnswer[]>> = {
  shopfast: shopfastAnswers,
  'context-retention': contextRetentionAnswers,
};

for (const [folder, answers] of Object.entries(EXAMPLES)) {
  const server = await startModelServer((body) => json(answerTo(body, answers)));
  const recording = join(ROOT, 'examples', folder, 'recordings/judge.jsonl');
  try {
    await record(folder, server.baseUrl, recording);
    await keepModels(recording);
  } finally {
    await server.close();
  }
}

function answerTo(body: object, answers: readonly ExampleAnswer[]): object {
  const text = JSON.stringify(body);
  const words = JSON.parse(text)
    .messages.map((one: { content: string }) => one.content)
    .join('\n');
  const fitting = answers.filter(
    ({ question, about }) =>
      text.includes(`"name":"${question}"`) && about.every((word) => words.includes(word)),
  );
  const [only] = fitting;
  if (!only || fitting.length > 1) {
    throw new Error(`${fitting.length} answers are written for this request:\n${words}`);
  }
  return only.answer;
}

async function record(folder: string, baseUrl: string, recording: string): Promise<void> {
  const judge = ['--judge', 'openai:example-judge', '--base-url', baseUrl];
  const args = ['run', join('examples', folder), ...judge, '--record', recording, '--no-save'];
  const running = promisify(execFile)(process.execPath, ['src/cli/main.ts', ...args], {
    cwd: ROOT,
  });
  // The examples hold failing cases: exit code 1 is as it should be.
  const { stdout } = await running.catch((error) => {
    if (error.code !== 1) throw error;
    return error;
  });
  console.log(stdout);
}

/** The targets run live in the examples; only what the judge said is replayed. */
async function keepModels(recording: string): Promise<void> {
  const lines = (await readFile(recording, 'utf8')).split('\n');
  const models = lines.filter((line) => line !== '' && JSON.parse(line).kind === 'model');
  await writeFile(recording, `${models.sort().join('\n')}\n`);
}
