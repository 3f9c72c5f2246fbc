import * as z from 'zod';
import { LIMITS } from '../core/limits.ts';
import type { Scrubber } from '../core/scrubber.ts';
import { toUnwritableError } from '../disk/fileErrors.ts';
import { readFileLines } from '../disk/jsonLines.ts';
import { APPEND, writeRegular } from '../disk/regularFile.ts';
import { type DataFolder, makeDataFolder, pathInDataFolder } from './dataFolder.ts';

const lineSchema = z.strictObject({ key: z.string(), answer: z.unknown() });

/** Answers that hold for later runs too, such as the steps that a judge made from criteria. */
export interface PersistentAnswers {
  load(key: string): Promise<unknown>;
  /** @throws UnwritableError */
  save(key: string, answer: unknown): Promise<void>;
}

/**
 * Keeps answers in `.turnlight/kept.jsonl`, one line each; the last of a key counts. Deleting the file
 * makes all of them be asked again. What cannot be read is asked again too.
 */
export function openPersistentAnswers(
  { root, existing }: Pick<DataFolder, 'root' | 'existing'>,
  scrubber: Scrubber,
): PersistentAnswers {
  let known: Promise<Map<string, unknown>> | undefined;
  const answers = () => {
    known ??= readAll(existing);
    return known;
  };
  return {
    load: async (key) => (await answers()).get(key),
    async save(key, answer) {
      (await answers()).set(key, answer);
      const line = `${scrubber.text(JSON.stringify({ key, answer }))}\n`;
      try {
        await makeDataFolder(root);
        await writeRegular(fileIn(root), line, APPEND);
      } catch (error) {
        throw toUnwritableError('What judges were asked once', fileIn(root), error);
      }
    },
  };
}

function fileIn(root: string): string {
  return pathInDataFolder(root, 'kept.jsonl');
}

/** What stands nearer to the eval file counts. @param roots the nearest first */
async function readAll(roots: readonly string[]): Promise<Map<string, unknown>> {
  const files = await Promise.all(roots.map((root) => read(fileIn(root))));
  return new Map(files.reverse().flatMap((answers) => [...answers]));
}

async function read(path: string): Promise<Map<string, unknown>> {
  const answers = new Map<string, unknown>();
  try {
    for await (const { value } of readFileLines(path, LIMITS.kept)) {
      const { data } = lineSchema.safeParse(value);
      if (data) answers.set(data.key, data.answer);
    }
  } catch {
    // It is not there, or no file of ours.
  }
  return answers;
}
