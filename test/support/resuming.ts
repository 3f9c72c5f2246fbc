import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CaseLine } from '../../src/core/record/runRecord.ts';

/** A target that echoes the user and logs the case, so tests can see which cases ran. */
export function askedBot({ failing, usage }: { failing?: string; usage?: true } = {}): string {
  const reply = usage
    ? '{ messages: [{ role: "assistant", content: said }], usage: { input_tokens: 1, output_tokens: 1 } }'
    : 'said';
  return `import { appendFileSync } from 'node:fs';
export default async (messages, { case: id }) => {
  appendFileSync(new URL('./asked.txt', import.meta.url), id + '\\n');
  if (id === ${JSON.stringify(failing ?? null)}) throw new Error('down');
  const said = messages.at(-1).content;
  return ${reply};
};
`;
}

/** An eval file with the given cases, whose target is `bot.mjs`. */
export function suiteOf(cases: readonly string[]): string {
  return `targets:\n  bot: {type: module, path: ./bot.mjs}\ntarget: bot\ncases:\n${cases.join('')}`;
}

/** Cases that the target was called for, sorted. */
export async function asked(folder: string): Promise<string[]> {
  const text = await readFile(join(folder, 'asked.txt'), 'utf8');
  return text.split('\n').filter(Boolean).sort();
}

/** Paths of the records in a folder, oldest first. */
export async function recordsOf(folder: string): Promise<string[]> {
  const runs = join(folder, '.turnlight/runs');
  const names = await readdir(runs).catch(() => []);
  const records = names.filter((name) => name.endsWith('.jsonl')).sort();
  return records.map((name) => join(runs, name));
}

export function ids(cases: readonly CaseLine[]): string[] {
  return cases.map(({ id }) => id).sort();
}
