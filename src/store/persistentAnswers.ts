import * as z from 'zod';
import { LIMITS } from '../core/limits.ts';
import type { Scrubber } from '../core/scrubber.ts';
import { toUnwritableError } from '../disk/fileErrors.ts';
import { readFileLines } from '../disk/jsonLines.ts';
import { APPEND, writeRegular } from '../disk/regularFile.ts';
import { type DataFolder, makeDataFolder, pathInDataFolder } from './dataFolder.ts';

const lineSchema = z.strictObject({ key: z.string(), answer: z.unknown() });

/** Answers for later runs, such as the steps that a judge created from criteria. */
export interface PersistentAnswers {
  load(key: string): Promise<unknown>;
  /** @throws UnwritableError */
  save(key: string, answer: unknown): Promise<void>;
}

/** Stores answers in `.turnlight/kept.jsonl`, one line each; the last line of a key counts. Unreadable lines are ignored. */
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
      const line = `${scrubber.json({ key, answer })}\n`;
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

/** Answers nearer to the eval file take precedence. @param roots the nearest first */
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
    // There is no such file.
  }
  return answers;
}
