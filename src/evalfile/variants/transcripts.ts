import { basename, dirname, extname, relative } from 'node:path';
import { groupBy } from '../../core/data/data.ts';
import { LIMITS, readable } from '../../core/limits.ts';
import { EXTENSIONS } from '../../core/meaning.ts';
import { errorAt, START } from '../../core/problem.ts';
import { folderWithoutWildcards, isGlob } from '../../disk/glob.ts';
import { runCooperatively } from '../../node/cooperative.ts';
import { sha256 } from '../../node/hashes.ts';
import { readLine } from '../../yaml/jsonLine.ts';
import type { YamlDocument } from '../../yaml/yamlDocument.ts';
import { FileError, type Slices } from '../files.ts';
import { filesMatching, findMatches, findReferenced, readFound } from '../referencedFiles.ts';
import { type Location, report, within } from '../scope.ts';
import { parseTranscript, type Roles, unreadNote } from '../transcript.ts';
import {
  type ConversationSearch,
  type DataLine,
  type FoundConversation,
  findConversations,
  findInSlices,
  lineIn,
  type RecordedConversation,
  readConversation,
} from './dataSet.ts';

/** A recorded variant of a case. */
interface RecordedVariant {
  readonly name: string;
  readonly tags: readonly string[];
  /** Absolute path of its file. */
  readonly path: string;
  read(): Promise<RecordedConversation>;
}

type Written = string | readonly string[];

/** Reports invalid paths and patterns, without reading files. */
export async function checkTranscripts(written: Written, location: Location): Promise<void> {
  for (const { reference, at } of referencesIn(written, location)) {
    if (isGlob(reference)) await findMatches(reference, at);
    else await findReferenced(reference, at, 'transcripts');
  }
}

/**
 * Finds the conversations in all files, and names each one after its file, id, or line. Problems with a conversation
 * are reported when it's read.
 */
export async function findRecorded(
  written: Written,
  roles: Roles | undefined,
  location: Location,
): Promise<readonly RecordedVariant[]> {
  const { scope } = location;
  const files = await namedFiles(written, location);
  const texts = new TranscriptReader();
  const only = typeof written === 'string' && !isGlob(written);
  const found: RecordedVariant[] = [];
  const unread = new Map<string, Set<string>>();
  for (const { path, name, at } of files) {
    const { isSet, conversations, problems, digest } = await texts.find(path, roles, at);
    for (const problem of problems) scope.reporter.add(problem, location.owner);
    for (const one of conversations) {
      for (const key of one.unread) unread.set(path, (unread.get(path) ?? new Set()).add(key));
      const own = one.id ?? `${path.endsWith('.jsonl') ? 'line' : 'item'}-${one.number}`;
      found.push({
        name: isSet ? (only ? own : `${name}/${own}`) : name,
        tags: one.tags,
        path,
        read: () => texts.conversation(path, one, digest, roles, at),
      });
    }
    if (found.length > LIMITS.variants) {
      const message = `The case has more than ${readable(LIMITS.variants)} conversations. Split the case.`;
      report('too-many-variants', message, at);
      return [];
    }
  }
  // Reported once per file, because all of its conversations share them.
  for (const [path, keys] of unread) {
    const problem = errorAt(path, START, 'unread-keys', unreadNote('conversations', [...keys]));
    scope.reporter.add({ ...problem, severity: 'information' }, location.owner);
  }
  return found;
}

interface NamedFile {
  readonly path: string;
  readonly name: string;
  readonly at: Location;
}

async function namedFiles(written: Written, location: Location): Promise<readonly NamedFile[]> {
  const home = dirname(location.document.path);
  const found = new Map<string, NamedFile>();
  for (const { reference, at } of referencesIn(written, location)) {
    const paths = isGlob(reference)
      ? await filesMatching(reference, at)
      : [await findReferenced(reference, at, 'transcripts')];
    const folder = isGlob(reference) ? `${home}/${folderWithoutWildcards(reference)}` : undefined;
    for (const path of paths) {
      if (path === undefined || found.has(path)) continue;
      // A pattern can also match unrelated files, such as a README.
      if (!EXTENSIONS.transcripts.includes(extname(path))) continue;
      const full = folder === undefined ? basename(path) : posix(relative(folder, path));
      found.set(path, { path, name: full.slice(0, full.length - extname(full).length), at });
    }
  }
  const named = groupBy(found.values(), ({ name }) => name);
  const several = [...named.values()].filter((same) => same.length > 1).flat();
  const clashing = new Set(several.map(({ path }) => path));
  return [...found.values()].map((one) =>
    clashing.has(one.path) ? { ...one, name: posix(relative(home, one.path)) } : one,
  );
}

function referencesIn(written: Written, location: Location) {
  return typeof written === 'string'
    ? [{ reference: written, at: location }]
    : written.map((reference, index) => ({ reference, at: within(location, index) }));
}

function posix(path: string): string {
  return path.replaceAll('\\', '/');
}

interface OpenFile {
  readonly path: string;
  readonly text: Promise<string | undefined>;
  digest?: string;
  document?: Promise<YamlDocument>;
}

interface FoundInFile extends ConversationSearch {
  /** SHA-256 hash of the text; absent if each line has its own digest. */
  readonly digest?: string;
}

const EMPTY: FoundInFile = { isSet: false, conversations: [], problems: [] };

/** Reads conversations one after another, with only the most recent file in memory. */
class TranscriptReader {
  readonly #sliced = new Map<string, Slices>();
  #last: OpenFile | undefined;

  /** Finds a file's conversations, or reports why the file can't be read. */
  async find(path: string, roles: Roles | undefined, at: Location): Promise<FoundInFile> {
    const { files, step } = at.scope;
    const slices = path.endsWith('.jsonl') && (await files.slices?.(path, LIMITS.dataSet));
    if (slices) {
      const found = await findInSlices(slices, path, roles, step).catch((error: unknown) => {
        // Reading the whole file reports the error.
        if (!(error instanceof FileError)) throw error;
      });
      if (found?.isSet) {
        this.#sliced.set(path, slices);
        return found;
      }
    }
    const text = await this.#open(path, at).text;
    if (text === undefined) return EMPTY;
    const found = await runCooperatively(findConversations(text, path, roles), step);
    return { ...found, digest: sha256(text) };
  }

  /** @param digest digest of the text in which the conversation was found */
  async conversation(
    path: string,
    found: FoundConversation,
    digest: string | undefined,
    roles: Roles | undefined,
    at: Location,
  ): Promise<RecordedConversation> {
    if (found.fault) return { messages: [], notes: [], facts: {}, problems: [found.fault] };
    const document = await (found.place.kind === 'line'
      ? this.#line(path, found, found.place, at)
      : this.#document(path, digest, at));
    if (document) return runCooperatively(readConversation(document, found, roles), at.scope.step);
    const message = 'The file has changed since its conversations were found. Run the case again.';
    const problem = errorAt(path, START, 'file-changed', message);
    return { messages: [], notes: [], facts: {}, problems: [problem] };
  }

  /** Undefined if the line has changed. */
  async #line(
    path: string,
    { digest, number }: FoundConversation,
    { start, end }: Pick<DataLine, 'start' | 'end'>,
    at: Location,
  ): Promise<YamlDocument | undefined> {
    const slices = this.#sliced.get(path);
    const content = slices
      ? await lineIn(slices, { start, end }).catch(() => undefined)
      : (await this.#open(path, at).text)?.slice(start, end);
    if (content === undefined || sha256(content) !== digest) return undefined;
    return runCooperatively(readLine(content, path, number), at.scope.step);
  }

  /** Undefined if the text has changed. */
  async #document(
    path: string,
    digest: string | undefined,
    at: Location,
  ): Promise<YamlDocument | undefined> {
    const file = this.#open(path, at);
    const text = await file.text;
    if (text === undefined) return undefined;
    file.digest ??= sha256(text);
    if (file.digest !== digest) return undefined;
    file.document ??= runCooperatively(parseTranscript(text, path), at.scope.step);
    return file.document;
  }

  #open(path: string, at: Location): OpenFile {
    if (this.#last?.path === path) return this.#last;
    const found = readFound(path, at, 'transcripts');
    this.#last = { path, text: found.then((one) => one?.text) };
    return this.#last;
  }
}
