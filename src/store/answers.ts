import { randomBytes } from 'node:crypto';
import { futimesSync, lstatSync, readFileSync } from 'node:fs';
import { lstat, mkdir, readdir, realpath, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import * as z from 'zod';
import { parseJson, pushAll } from '../core/data/data.ts';
import { errorText, ReasonedError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { Scrubber } from '../core/scrubber.ts';
import {
  CREATE,
  makeRealFolder,
  readRegularSync,
  realPathOf,
  writeRegular,
} from '../disk/regularFile.ts';
import { absoluteOr } from './allowedHosts.ts';
import { isCommittable, isWithin, outermostRoot } from './dataFolder.ts';

const fileSchema = z.strictObject({ key: z.string(), answer: z.unknown() });

/** Number of bytes to add before the files in the folder are counted again. */
const RECOUNT_AFTER = LIMITS.cache / 16;

/** Milliseconds since a file's last use during which the file isn't touched again. */
const RECENT = 3_600_000;

interface AnswerCacheOptions {
  /** See `answersFolder`. */
  readonly folder: string;
  /** Whether to ignore stored answers; new ones are stored anyway. */
  readonly fresh: boolean;
  /** Folders that must not contain the cache folder. */
  readonly workspaces: readonly string[];
  readonly scrubber: Scrubber;
  /** Called once if the cache can't be used. */
  readonly warn: (message: string) => void;
}

/** Answers from earlier runs, one file each. Files that can't be read are ignored. */
export class AnswerCache {
  readonly #setup: AnswerCacheOptions;
  #usable: Promise<boolean> | undefined;
  #warned = false;
  #written = 0;
  readonly #made = new Set<string>();
  /** The chain of writes and deletions, which run in order. */
  #working: Promise<void> = Promise.resolve();

  constructor(setup: AnswerCacheOptions) {
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
    const text = this.#setup.scrubber.json({ key, answer });
    if (Buffer.byteLength(text) > LIMITS.cachedAnswer) return;
    this.#work(() => this.#write(key, text));
  }

  delete(key: string): void {
    this.#work(() => rm(answerFile(this.#setup.folder, key), { force: true }));
  }

  /** Resolves when everything is written and the cache is within its limit. */
  async close(): Promise<void> {
    await this.#working;
    if (this.#written > 0) await this.#bound().catch((error: unknown) => this.#giveUp(error));
  }

  #isUsable(): Promise<boolean> {
    const { folder, workspaces } = this.#setup;
    this.#usable ??= prepareFolder(folder, workspaces).then(
      () => true,
      (error: unknown) => this.#giveUp(error),
    );
    return this.#usable;
  }

  #giveUp(error: unknown): false {
    this.#usable = Promise.resolve(false);
    if (!this.#warned) this.#setup.warn(`The answer cache is not used: ${errorText(error)}`);
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

  /** Limits the cache's size. Doesn't count its files after every run, because there may be thousands. */
  async #bound(): Promise<void> {
    const { folder } = this.#setup;
    const uncounted = join(folder, 'uncounted');
    const grown = readUncounted(uncounted) + this.#written;
    // Also true for NaN.
    const isDue = !(grown < RECOUNT_AFTER);
    if (isDue) await prune(folder, LIMITS.cache - RECOUNT_AFTER);
    await replace(uncounted, String(isDue ? 0 : grown));
  }
}

function readUncounted(path: string): number {
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

/** @returns undefined if there is no file @throws if it is too long */
function read(path: string, most: number): string | undefined {
  return readRegularSync(path, (file, { size, mtimeMs }) => {
    if (size > most) throw new Error(`${path} is too long.`);
    const now = Date.now();
    if (now - mtimeMs > RECENT) touch(file, now / 1000);
    return readFileSync(file, 'utf8');
  });
}

/** Updates a file's time of use. A file that can't be touched can still be read. */
function touch(file: number, seconds: number): void {
  try {
    futimesSync(file, seconds, seconds);
  } catch {}
}

/** Replaces a file atomically, without following a link. */
async function replace(path: string, text: string): Promise<void> {
  const temporary = `${path.replace(/\.json$/, '')}.${randomBytes(4).toString('hex')}`;
  await writeRegular(temporary, text, CREATE, 0o600);
  await rename(temporary, path);
}

/** Environment variable that sets the cache folder, instead of the platform's default. */
export const CACHE_VARIABLE = 'TURNLIGHT_CACHE_DIR';

/** Thrown if others may be able to write to the folder. */
class UntrustedFolderError extends ReasonedError<'in-workspace' | 'not-private'> {
  override readonly name = 'UntrustedFolderError';
}

/** Absolute path of the user's folder for cached answers. */
export function answersFolder(env: (name: string) => string | undefined): string {
  return join(cacheFolder(env), 'answers');
}

function cacheFolder(env: (name: string) => string | undefined): string {
  const chosen = env(CACHE_VARIABLE);
  if (chosen) return resolve(chosen);
  if (process.platform === 'win32') {
    const local = env('LOCALAPPDATA') || join(homedir(), 'AppData', 'Local');
    return join(local, 'turnlight', 'cache');
  }
  const usual =
    process.platform === 'darwin'
      ? join(homedir(), 'Library', 'Caches')
      : join(homedir(), '.cache');
  return join(absoluteOr(env('XDG_CACHE_HOME'), usual), 'turnlight');
}

/**
 * Creates the folder, and checks that neither other users nor commit authors can write to it.
 * @throws UntrustedFolderError, NotRegularError, or a system error
 */
export async function prepareFolder(folder: string, workspaces: readonly string[]): Promise<void> {
  const isUsual = folder === answersFolder(() => undefined);
  const outside = (path: string, roots: readonly string[]) => {
    // The usual folder is in the workspace if that is the home folder.
    const isUnsafe = isUsual
      ? isCommittable(path, roots)
      : roots.some((root) => isWithin(outermostRoot(root) ?? root, path));
    if (!isUnsafe) return;
    const message = `${folder} is in the workspace, where anyone who commits a file could forge verdicts. Set ${CACHE_VARIABLE} to a folder outside the workspace.`;
    throw new UntrustedFolderError('in-workspace', message);
  };
  outside(folder, workspaces);
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  outside(await realpath(dirname(folder)), workspaces.map(realPathOf));
  await makeRealFolder(folder, 0o700);
  const { uid, mode } = await lstat(folder);
  const isOurs = process.getuid === undefined || uid === process.getuid();
  if (isOurs && (process.platform === 'win32' || (mode & 0o022) === 0)) return;
  const message = `Other users can write to ${folder}. Restrict it to yourself (chmod 700), or remove it.`;
  throw new UntrustedFolderError('not-private', message);
}

/** A file in the cache. */
export interface CacheFile {
  readonly path: string;
  /** Size on disk, in whole blocks. */
  readonly bytes: number;
  /** Time of its last use, in milliseconds since 1970. */
  readonly used: number;
}

const BLOCK = 4096;

/** Also matches files that a killed process left unfinished. */
const CACHE_FILE_NAME = /^[0-9a-f]{63}\.(?:json|[0-9a-f]{8})$/;

/**
 * The path of an answer's file, in one of only 16 folders, because creating folders takes time.
 *
 * @param key 64 hexadecimal digits
 */
export function answerFile(folder: string, key: string): string {
  return join(folder, key.slice(0, 1), `${key.slice(1)}.json`);
}

/** Undefined if it isn't a regular file. */
export function cacheFile(path: string): CacheFile | undefined {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (!there?.isFile()) return undefined;
  return { path, bytes: Math.ceil(there.size / BLOCK) * BLOCK, used: there.mtimeMs };
}

/** The cached answers in a folder; other files are ignored. */
export async function listCacheFiles(folder: string): Promise<CacheFile[]> {
  const found: CacheFile[] = [];
  for (const part of await entriesOf(folder)) {
    if (!part.isDirectory() || !/^[0-9a-f]$/.test(part.name)) continue;
    const files = (await entriesOf(join(folder, part.name))).filter(
      (one) => one.isFile() && CACHE_FILE_NAME.test(one.name),
    );
    pushAll(
      found,
      files.flatMap(({ name }) => cacheFile(join(folder, part.name, name)) ?? []),
    );
  }
  return found;
}

function entriesOf(folder: string) {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

export function bytesOf(files: readonly CacheFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Removes the least recently used files until no more than `most` bytes are left. */
export async function prune(folder: string, most: number): Promise<void> {
  const files = (await listCacheFiles(folder)).sort((a, b) => a.used - b.used);
  let bytes = bytesOf(files);
  for (const file of files) {
    if (bytes <= most) return;
    await rm(file.path, { force: true });
    bytes -= file.bytes;
  }
}
