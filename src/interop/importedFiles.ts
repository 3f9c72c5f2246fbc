import { basename, dirname, join } from 'node:path';
import { isMapping, mappingOf } from '../core/data/data.ts';
import { LIMITS } from '../core/limits.ts';
import { visibleLine } from '../core/text/visibleText.ts';
import { toUnwritableError } from '../disk/fileErrors.ts';
import { CREATE, makeRealFolder, replaceFile, writeRegular } from '../disk/regularFile.ts';
import type { Files } from '../evalfile/files.ts';
import { loadSuite } from '../evalfile/load.ts';
import { sha256 } from '../node/hashes.ts';
import { parseYaml } from '../yaml/yamlDocument.ts';
import type { Place } from './evalFileText.ts';
import { type RatedConversation, type WrittenLabels, writeLabels } from './feedback.ts';

/** What an import writes. */
export interface ImportedFiles {
  /**
   * The eval files' texts, in order; there is only one unless it would be too large. Each text passes `turnlight
   * check`.
   */
  readonly texts: readonly string[];
  /** The conversations of cases that have several. */
  readonly data: readonly DataFile[];
  /** The conversations with feedback. */
  readonly rated: readonly RatedConversation[];
}

/** A data file that a case refers to. */
export interface DataFile {
  /** The case's id. */
  readonly case: string;
  /** Relative to the eval files. */
  readonly path: string;
  readonly text: string;
}

/** The first comment of an imported eval file. @param path of the file that was imported */
export function fromComment(path: string, format: string): string {
  return `${fromFile(path)} (${format}).`;
}

function fromFile(path: string): string {
  return `Imported from ${visibleLine(basename(path))}`;
}

/** Matches the line with the digest of everything else in the file and in its data files. */
const STAMP = /^# Importing again replaces this file unless it was edited \(([0-9a-f]{16})\)\.\n/m;

/** Adds the digest by which a later import recognizes that nobody edited the file. */
export function stamped(text: string, data: readonly DataFile[]): string {
  const digest = digestOf(
    text,
    data.map((one) => one.text),
  );
  const line = `# Importing again replaces this file unless it was edited (${digest}).`;
  return text.replace('\n', () => `\n${line}\n`);
}

function digestOf(text: string, data: readonly string[]): string {
  const plain = [text, ...data].map((one) => one.replaceAll('\r\n', '\n'));
  return sha256(plain.join('\0')).slice(0, 16);
}

/** `own`: all are from an earlier import of the same file, or absent. `edited`: and at least one was edited since. */
type FileState = 'absent' | 'own' | 'edited' | 'foreign';

/** The state of eval files. @param source path of the imported file */
export async function stateOf(
  paths: readonly string[],
  source: string,
  files: Files,
): Promise<FileState> {
  const states = await Promise.all(paths.map((path) => stateOfOne(path, source, files)));
  const worst = ['foreign', 'edited', 'own'] as const;
  return worst.find((one) => states.includes(one)) ?? 'absent';
}

async function stateOfOne(path: string, source: string, files: Files): Promise<FileState> {
  if ((await files.kindOf(path)) === undefined) return 'absent';
  const text = await files.read(path, LIMITS.evalFile).catch(() => '');
  const plain = text.replaceAll('\r\n', '\n');
  const [, digest] = STAMP.exec(plain) ?? [];
  if (digest === undefined || !plain.startsWith(`# ${fromFile(source)} (`)) return 'foreign';
  const { cases } = mappingOf(parseYaml(plain, path).value);
  const paths = (Array.isArray(cases) ? cases : []).flatMap((one) =>
    isMapping(one) && typeof one.transcripts === 'string' ? [one.transcripts] : [],
  );
  const data: string[] = [];
  for (const one of paths) {
    data.push(await files.read(join(dirname(path), one), LIMITS.imported).catch(() => ''));
  }
  return digestOf(plain.replace(STAMP, ''), data) === digest ? 'own' : 'edited';
}

/**
 * Writes eval files, the data files that they refer to, and labels.
 *
 * @param replaces whether to replace existing files @throws UnwritableError
 */
export async function writeImport(
  { texts, data, rated }: ImportedFiles,
  paths: readonly string[],
  place: Place,
  replaces: boolean,
): Promise<WrittenLabels> {
  const labels = {
    added: 0,
    people: new Set<string>(),
    unclear: new Set<string>(),
    contradictory: new Set<string>(),
    tooLarge: [] as string[],
  };
  for (const { path, text } of data) {
    const file = join(dirname(place.path), path);
    await makeRealFolder(dirname(file)).catch((error: unknown) => {
      throw toUnwritableError('The eval file', file, error);
    });
    await writeEvalFile(file, text, replaces);
  }
  for (const [index, path] of paths.entries()) {
    await writeEvalFile(path, texts[index] as string, replaces);
    if (rated.length === 0) continue;
    const { suite } = await loadSuite(path, place.files, place);
    const own = rated.filter((one) => suite?.cases.some(({ id }) => id === one.case));
    const written = await writeLabels(path, own, suite);
    labels.added += written.added;
    for (const one of written.people) labels.people.add(one);
    for (const one of written.unclear) labels.unclear.add(one);
    for (const one of written.contradictory) labels.contradictory.add(one);
    labels.tooLarge.push(...written.tooLarge);
  }
  return {
    added: labels.added,
    people: [...labels.people],
    unclear: [...labels.unclear],
    contradictory: [...labels.contradictory],
    tooLarge: labels.tooLarge,
  };
}

/** @param replaces whether to replace an existing file, even one created since the check @throws UnwritableError */
export async function writeEvalFile(path: string, text: string, replaces: boolean): Promise<void> {
  const written = replaces ? replaceFile(path, text) : writeRegular(path, text, CREATE);
  await written.catch((error: unknown) => {
    throw toUnwritableError('The eval file', path, error);
  });
}
