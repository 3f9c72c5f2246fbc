import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { errorText } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { Scrubber } from '../core/scrubber.ts';
import { toUnwritableError } from '../disk/fileErrors.ts';
import { readFileLines } from '../disk/jsonLines.ts';
import { APPEND, writeRegular } from '../disk/regularFile.ts';
import { sha256, shortHash } from '../node/hashes.ts';
import { type CacheFile, cacheFile, prepareFolder } from './answers.ts';

const lineSchema = z.strictObject({ key: z.string(), answer: z.unknown() });

/** Answers stored for later runs, such as the steps that a judge derived from criteria. */
export interface PersistentAnswers {
  load(key: string): Promise<unknown>;
  /** @throws UnwritableError */
  save(key: string, answer: unknown): Promise<void>;
}

interface PersistentAnswersOptions {
  /** See `answersFolder`. Nothing is stored if the folder is in the workspace, or if others can write to it. */
  readonly folder: string;
  /**
   * See `DataFolder`. The root of the suite's data folder; answers that are stored for one root are used only there.
   */
  readonly root: string;
  readonly workspaces: readonly string[];
  readonly scrubber: Scrubber;
  /** Called once if answers can't be stored. */
  readonly warn?: (message: string) => void;
}

const FILE_NAME = /^asked-once-[0-9a-f]+\.jsonl$/;

/**
 * The files that contain answers to questions that are only asked once, from all workspaces.
 *
 * @param folder see `answersFolder`
 */
export async function listPersistentFiles(folder: string): Promise<CacheFile[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => FILE_NAME.test(name))
    .flatMap((name) => cacheFile(join(folder, name)) ?? []);
}

/**
 * Stores answers in the user's folder, one per line. The last line for a key counts. Lines that can't be read are
 * ignored.
 */
export function openPersistentAnswers({
  folder,
  root,
  workspaces,
  scrubber,
  warn,
}: PersistentAnswersOptions): PersistentAnswers {
  const path = join(folder, `asked-once-${shortHash(sha256(root))}.jsonl`);
  let usable: Promise<boolean> | undefined;
  const isUsable = () => {
    usable ??= prepareFolder(folder, workspaces).then(
      () => true,
      (error: unknown) => {
        warn?.(
          `Evaluation steps written by judges can't be stored for later runs: ${errorText(error)}`,
        );
        return false;
      },
    );
    return usable;
  };
  let known: Promise<Map<string, unknown>> | undefined;
  const answers = async () => {
    if (!(await isUsable())) return new Map<string, unknown>();
    known ??= read(path);
    return known;
  };
  return {
    load: async (key) => (await answers()).get(key),
    async save(key, answer) {
      if (!(await isUsable())) return;
      (await answers()).set(key, answer);
      try {
        await writeRegular(path, `${scrubber.json({ key, answer })}\n`, APPEND);
      } catch (error) {
        throw toUnwritableError('The file with evaluation steps', path, error);
      }
    },
  };
}

async function read(path: string): Promise<Map<string, unknown>> {
  const answers = new Map<string, unknown>();
  try {
    for await (const { value } of readFileLines(path, LIMITS.kept)) {
      const { data } = lineSchema.safeParse(value);
      if (data) answers.set(data.key, data.answer);
    }
  } catch {
    // The file doesn't exist, or isn't a regular file.
  }
  return answers;
}
