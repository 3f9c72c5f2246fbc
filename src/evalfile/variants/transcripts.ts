import { basename, dirname, extname, relative } from 'node:path';
import { groupBy } from '../../core/data/data.ts';
import { sha256 } from '../../core/data/digest.ts';
import { LIMITS, readable } from '../../core/limits.ts';
import { EXTENSIONS } from '../../core/meaning.ts';
import { type Problem, START } from '../../core/problem.ts';
import { inSteps } from '../../core/steps.ts';
import type { YamlDocument } from '../../yaml/yamlDocument.ts';
import { filesMatching, findMatches, fixedFolder, isGlob } from '../case/matching.ts';
import { findReferenced, readFound } from '../referencedFiles.ts';
import { type Location, type Scope, within } from '../scope.ts';
import { parseTranscript, unreadNote } from '../transcript.ts';
import {
  type FoundConversation,
  findConversations,
  type RecordedConversation,
  readConversation,
} from './dataSet.ts';
import type { Roles } from './roles.ts';

/** A recorded conversation that a case stands for. */
export interface Recorded {
  readonly name: string;
  readonly tags: readonly string[];
  /** Its file, absolute. */
  readonly path: string;
  read(): Promise<RecordedConversation>;
}

type Written = string | readonly string[];

/** Reports what is wrong with paths and patterns; no file is read. */
export async function checkTranscripts(
  written: Written,
  location: Location,
  scope: Scope,
): Promise<void> {
  for (const { reference, at } of referencesIn(written, location)) {
    if (isGlob(reference)) await findMatches(reference, at, scope);
    else await findReferenced(reference, at, 'transcripts', scope);
  }
}

/**
 * Finds the conversations in all files, each named by its file, its id or its line. What is wrong with
 * one of them is told when it is read.
 */
export async function findRecorded(
  written: Written,
  roles: Roles | undefined,
  location: Location,
  scope: Scope,
): Promise<readonly Recorded[]> {
  const files = await namedFiles(written, location, scope);
  const texts = new LastText(scope);
  const only = typeof written === 'string' && !isGlob(written);
  const found: Recorded[] = [];
  const unread = new Map<string, Set<string>>();
  for (const { path, name, at } of files) {
    const text = await texts.read(path, at);
    if (text === undefined) continue;
    const { isSet, conversations, problems } = await inSteps(
      findConversations(text, path, roles),
      scope.step,
    );
    for (const problem of problems) scope.reporter.add(problem, location.owner);
    const digest = sha256(text);
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
      const message = `The case stands for more than ${readable(LIMITS.variants)} conversations. Make several cases of them.`;
      scope.reporter.say('too-many-variants', message, at);
      return [];
    }
  }
  for (const [path, keys] of unread) scope.reporter.add(unreadKeys(path, keys), location.owner);
  return found;
}

/** Told once of a file, since all its conversations have them. */
function unreadKeys(path: string, keys: ReadonlySet<string>): Problem {
  return {
    code: 'unread-keys',
    message: unreadNote('conversations', [...keys]),
    severity: 'information',
    path,
    range: START,
  };
}

interface NamedFile {
  readonly path: string;
  readonly name: string;
  readonly at: Location;
}

async function namedFiles(
  written: Written,
  location: Location,
  scope: Scope,
): Promise<readonly NamedFile[]> {
  const home = dirname(location.document.path);
  const found = new Map<string, NamedFile>();
  for (const { reference, at } of referencesIn(written, location)) {
    const paths = isGlob(reference)
      ? await filesMatching(reference, at, scope)
      : [await findReferenced(reference, at, 'transcripts', scope)];
    const folder = isGlob(reference) ? `${home}/${fixedFolder(reference)}` : undefined;
    for (const path of paths) {
      if (path === undefined || found.has(path) || !isTranscript(path)) continue;
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

/** A pattern may match other files as well, such as a README. */
function isTranscript(path: string): boolean {
  return EXTENSIONS.transcripts.includes(extname(path));
}

function referencesIn(written: Written, location: Location) {
  return typeof written === 'string'
    ? [{ reference: written, at: location }]
    : written.map((reference, index) => ({ reference, at: within(location, index) }));
}

function posix(path: string): string {
  return path.replaceAll('\\', '/');
}

interface Held {
  readonly path: string;
  readonly text: Promise<string | undefined>;
  digest?: string;
  document?: Promise<YamlDocument>;
}

/** The file that was read last: its conversations are read one after the other, and not all files are to be held. */
class LastText {
  readonly #scope: Scope;
  #last: Held | undefined;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** Undefined if it cannot be read, which is reported. */
  read(path: string, at: Location): Promise<string | undefined> {
    return this.#held(path, at).text;
  }

  /** @param digest of the text in which it was found */
  async conversation(
    path: string,
    found: FoundConversation,
    digest: string,
    roles: Roles | undefined,
    at: Location,
  ): Promise<RecordedConversation> {
    if (found.fault) return { messages: [], notes: [], facts: {}, problems: [found.fault] };
    const { step } = this.#scope;
    const held = this.#held(path, at);
    const text = await held.text;
    if (text === undefined) return this.#gone(path);
    held.digest ??= sha256(text);
    if (held.digest !== digest) return this.#gone(path);
    const isLine = found.place.kind === 'line';
    if (!isLine) held.document ??= inSteps(parseTranscript(text, path), step);
    return inSteps(readConversation(text, path, found, roles, await held.document), step);
  }

  #held(path: string, at: Location): Held {
    if (this.#last?.path === path) return this.#last;
    const found = readFound(path, at, 'transcripts', this.#scope);
    this.#last = { path, text: found.then((one) => one?.text) };
    return this.#last;
  }

  #gone(path: string): RecordedConversation {
    const message = 'The file has changed since its conversations were found. Run the case again.';
    const problem: Problem = {
      code: 'file-changed',
      message,
      severity: 'error',
      path,
      range: START,
    };
    return { messages: [], notes: [], facts: {}, problems: [problem] };
  }
}
