import { randomBytes } from 'node:crypto';
import { futimesSync, readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { parseJson } from '../core/data/data.ts';
import { errorText } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { Scrubber } from '../core/scrubber.ts';
import { CREATE, makeRealFolder, readRegularSync, writeRegular } from '../disk/regularFile.ts';
import { answerFile, preparedFolder, prune } from './answersFolder.ts';

const fileSchema = z.strictObject({ key: z.string(), answer: z.unknown() });

/** Files in the folder are counted anew once so many bytes were added. */
const UNCOUNTED = LIMITS.cache / 16;

/** What was read within an hour counts as just used. */
const RECENT = 3_600_000;

export interface AnswersSetup {
  /** As of `answersFolder`. */
  readonly folder: string;
  /** Finds nothing, and keeps what is asked now. */
  readonly fresh: boolean;
  /** No folder in these is used. */
  readonly workspaces: readonly string[];
  readonly scrubber: Scrubber;
  /** Hears once why nothing is kept. */
  readonly warn: (message: string) => void;
}

/**
 * Answers of earlier runs, a file each. What cannot be read is as good as not there: it is asked for
 * again.
 */
export class Answers {
  readonly #setup: AnswersSetup;
  #usable: Promise<boolean> | undefined;
  #warned = false;
  #written = 0;
  readonly #made = new Set<string>();
  /**
   * All that was begun, one after the other: what is forgotten is not written after it, and files that are made side
   * by side wait for each other on the disk.
   */
  #working: Promise<void> = Promise.resolve();

  constructor(setup: AnswersSetup) {
    this.#setup = setup;
  }

  async load(key: string): Promise<unknown> {
    if (this.#setup.fresh || !(await this.#isUsable())) return undefined;
    try {
      return readAnswer(this.#setup.folder, key);
    } catch {
      return undefined;
    }
  }

  save(key: string, answer: unknown): void {
    const text = this.#setup.scrubber.text(JSON.stringify({ key, answer }));
    if (Buffer.byteLength(text) > LIMITS.cachedAnswer) return;
    this.#work(() => this.#write(key, text));
  }

  delete(key: string): void {
    this.#work(() => rm(answerFile(this.#setup.folder, key), { force: true }));
  }

  /** Resolves once all is written, and no more is kept than may be. */
  async close(): Promise<void> {
    await this.#working;
    if (this.#written > 0) await this.#bound().catch((error: unknown) => this.#giveUp(error));
  }

  #isUsable(): Promise<boolean> {
    const { folder, workspaces } = this.#setup;
    this.#usable ??= preparedFolder(folder, workspaces).then(
      () => true,
      (error: unknown) => this.#giveUp(error),
    );
    return this.#usable;
  }

  #giveUp(error: unknown): false {
    this.#usable = Promise.resolve(false);
    if (!this.#warned) {
      this.#setup.warn(`The cache of answers is not used: ${errorText(error)}`);
    }
    this.#warned = true;
    return false;
  }

  #work(todo: () => Promise<void>): void {
    this.#working = this.#working
      .then(async () => {
        if (await this.#isUsable()) await todo();
      })
      .catch((error: unknown) => void this.#giveUp(error));
  }

  async #write(key: string, text: string): Promise<void> {
    const path = answerFile(this.#setup.folder, key);
    const folder = dirname(path);
    if (!this.#made.has(folder)) await makeRealFolder(folder, 0o700);
    this.#made.add(folder);
    await replace(path, text);
    this.#written += text.length;
  }

  /** Counting thousands of files takes time, so it is not done after every run. */
  async #bound(): Promise<void> {
    const { folder } = this.#setup;
    const uncounted = join(folder, 'uncounted');
    const grown = countedBefore(uncounted) + this.#written;
    // Also where it is no number.
    const isDue = !(grown < UNCOUNTED);
    if (isDue) await prune(folder, LIMITS.cache - UNCOUNTED);
    await replace(uncounted, String(isDue ? 0 : grown));
  }
}

function countedBefore(path: string): number {
  try {
    return Number(read(path, 20) ?? Number.NaN);
  } catch {
    return Number.NaN;
  }
}

function readAnswer(folder: string, key: string): unknown {
  const text = read(answerFile(folder, key), LIMITS.cachedAnswer);
  if (text === undefined) return undefined;
  const file = fileSchema.parse(parseJson(text));
  return file.key === key ? file.answer : undefined;
}

/** Undefined where nothing is there. @throws where it is longer than so many bytes */
function read(path: string, most: number): string | undefined {
  return readRegularSync(path, (file, { size, mtimeMs }) => {
    if (size > most) throw new Error(`${path} is too long.`);
    const now = Date.now();
    if (now - mtimeMs > RECENT) touch(file, now / 1000);
    return readFileSync(file, 'utf8');
  });
}

/** What is not ours to touch can still be read. */
function touch(file: number, seconds: number): void {
  try {
    futimesSync(file, seconds, seconds);
  } catch {}
}

/** Nobody sees it half written, and no link that stands there is followed. */
async function replace(path: string, text: string): Promise<void> {
  const aside = `${path.replace(/\.json$/, '')}.${randomBytes(4).toString('hex')}`;
  await writeRegular(aside, text, CREATE, 0o600);
  await rename(aside, path);
}
