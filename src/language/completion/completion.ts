import { dirname, extname, join } from 'node:path';
import type { CompletionItem } from 'vscode-languageserver-types';
import { findAssertionType } from '../../assertions/registry.ts';
import { valueAt } from '../../core/data/data.ts';
import { EXTENSIONS, isFileKind } from '../../core/meaning.ts';
import type { Position } from '../../core/problem.ts';
import { resolveReference } from '../../evalfile/files.ts';
import { evalFileSchema } from '../../evalfile/schema.ts';
import { type NumberedMessage, numberTurns } from '../../evalfile/spokenMessages.ts';
import { readTranscriptFile } from '../../evalfile/transcript.ts';
import { runCooperatively, type Step, stepsOf } from '../../node/cooperative.ts';
import { rolesAt } from '../../schema/mentions.ts';
import type { CompletionContext } from '../ports.ts';
import { type Cursor, cursorAt } from './cursor.ts';
import { type Choice, fits, KINDS, valueItems } from './items.ts';
import { beginItems, keyItems, knows } from './keys.ts';
import { symbolChoices } from './symbolChoices.ts';
import { enumerated } from './values.ts';
import { variableItems, variablesAt } from './variables.ts';

/**
 * What can be written at a place of an eval file, be it half-written: keys, values, names, paths,
 * turns and, within `{{`, variables. Never a key that is there already, and nothing in free text
 * and comments.
 *
 * @param path absolute
 */
export async function completion(
  text: string,
  path: string,
  position: Position,
  context: CompletionContext = {},
  step = stepsOf(),
): Promise<CompletionItem[]> {
  const cursor = await runCooperatively(cursorAt(text, position), step);
  if (!cursor) return [];
  const { snippets = false } = context;
  if (cursor.variable) {
    return cursor.onKey
      ? []
      : variableItems(
          await runCooperatively(variablesAt(cursor, text), step),
          cursor.variable,
          cursor.style,
        );
  }
  if (cursor.style === 'block') return [];
  if (cursor.onKey) {
    const keys = await symbolChoices(cursor, text, context, step);
    return [...keyItems(cursor, snippets), ...valueItems(keys, cursor, snippets)];
  }
  const words = turnWords(cursor);
  const choices = [
    ...(await symbolChoices(cursor, text, context, step)),
    ...enumerated(cursor).filter(({ label }) => words === undefined || words.has(label)),
    ...(await turnChoices(cursor, path, context, step)),
    ...(await pathChoices(cursor, path, context)),
  ];
  return [
    ...beginItems(cursor, snippets),
    ...valueItems(
      choices.filter(({ label, value = label }) => fits(String(value), cursor.typed)),
      cursor,
      snippets,
    ),
  ];
}

interface SpokenTurn {
  readonly number: number;
  readonly side: 'user' | 'assistant';
  readonly text: string;
}

/** The turns that `at` can choose, each with what is said in it. */
export async function turnChoices(
  cursor: Cursor,
  file: string,
  context: CompletionContext,
  step: Step,
): Promise<Choice[]> {
  const { root, path, style } = cursor;
  const owner = path.slice(0, path.lastIndexOf('at'));
  const inList = path.length - owner.length === 2;
  if (!path.includes('at') || path.length - owner.length > 2 || !knows(root, [...owner, 'at'])) {
    return [];
  }
  const { type } = Object(valueAt(root, owner));
  const side = findAssertionType(type)?.side ?? 'both';
  // Under a scripted turn it is about the reply to that turn, and can choose no other.
  if (owner.includes('turns')) return [];
  if (style !== 'plain') return [];
  const there = inList ? valueAt(root, path.slice(0, -1)) : [];
  const taken: readonly unknown[] = Array.isArray(there) ? there : [];
  const own = await runCooperatively(cursor.wholeCase(), step);
  const turns = await turnsOfCase(own, file, context, step);
  return turns
    .filter((turn) => (side === 'both' || turn.side === side) && !taken.includes(turn.number))
    .map(({ number, side: speaker, text }) => ({
      label: String(number),
      value: number,
      kind: KINDS.value,
      detail: text,
      documentation: `Turn ${number}, the ${speaker}'s.`,
      rank: 6,
    }));
}

/** `all`, `last`, `first` and `each`; under a scripted turn only what it can be. */
export function turnWords({ root, path }: Cursor): ReadonlySet<string> | undefined {
  const owner = path.slice(0, -1);
  if (path.at(-1) !== 'at' || !owner.includes('turns') || !knows(root, path)) return undefined;
  return new Set(['all']);
}

async function turnsOfCase(
  own: unknown,
  file: string,
  context: CompletionContext,
  step: Step,
): Promise<SpokenTurn[]> {
  const { turns, transcript, history } = Object(own);
  if (!Array.isArray(turns)) return spokenIn(transcript, file, context, step);
  const before = await spokenIn(history, file, context, step);
  return [...before, ...turns.flatMap((item, index) => scriptedTurn(item, index, before.length))];
}

/** The turns of a list of messages, or of the file that holds one. */
async function spokenIn(
  messages: unknown,
  file: string,
  context: CompletionContext,
  step: Step,
): Promise<SpokenTurn[]> {
  if (Array.isArray(messages)) return joined(numberTurns(messages));
  return typeof messages === 'string' ? turnsOfFile(messages, file, context, step) : [];
}

function scriptedTurn(item: unknown, index: number, before: number): SpokenTurn[] {
  const words = String(typeof item === 'string' ? item : (Object(item).user ?? ''));
  return [
    { number: before + 2 * index + 1, side: 'user', text: words },
    { number: before + 2 * index + 2, side: 'assistant', text: `reply to: ${words}` },
  ];
}

/** A turn of several messages, or of calls before its words, shows the first words. */
function joined(messages: readonly NumberedMessage[]): SpokenTurn[] {
  const turns = new Map<number, SpokenTurn>();
  for (const { role, text, turn } of messages) {
    if (turn === undefined || (role !== 'user' && role !== 'assistant')) continue;
    const known = turns.get(turn);
    if (!known || known.text === '') turns.set(turn, { number: turn, side: role, text });
  }
  return [...turns.values()];
}

async function turnsOfFile(
  reference: string,
  file: string,
  { files, readText, workspace }: CompletionContext,
  step: Step,
): Promise<SpokenTurn[]> {
  if (!files || !readText) return [];
  const home = dirname(file);
  const found = await resolveReference(reference, home, workspace ?? home, files);
  const text = found.kind === 'file' ? await readText(found.path) : undefined;
  if (found.kind !== 'file' || text === undefined) return [];
  const { messages } = await runCooperatively(readTranscriptFile(text, found.path), step);
  return joined(numberTurns(messages.map(({ message: { role, content } }) => ({ role, content }))));
}

/** The files and folders that can follow what is typed of a path. */
export async function pathChoices(
  { root: data, path, typed: before }: Cursor,
  file: string,
  { files, listFolder, workspace }: CompletionContext,
): Promise<Choice[]> {
  const kinds = rolesAt(evalFileSchema, data, path).flatMap(({ kind }) =>
    kind !== undefined && isFileKind(kind) ? [kind] : [],
  );
  if (kinds.length === 0 || !files || !listFolder) return [];
  const extensions = kinds.flatMap((kind) => EXTENSIONS[kind]);
  const typed = before.slice(0, before.lastIndexOf('/') + 1);
  const root = workspace ?? dirname(file);
  const found = await resolveReference(typed || '.', dirname(file), root, files);
  if (found.kind !== 'folder') return [];
  const folder = found.path;
  const entries = await listFolder(folder).catch(() => []);
  const fitting = entries.filter(
    ({ name, isFolder }) =>
      !name.startsWith('.') &&
      (isFolder
        ? name !== 'node_modules'
        : extensions.includes(extname(name)) && join(folder, name) !== file),
  );
  const names = fitting.map(({ name, isFolder }) => (isFolder ? `${name}/` : name));
  if (folder !== root && /^(?:\.\.\/)*$/.test(typed)) names.push('../');
  return names.map((name) => {
    const shown = name.endsWith('/') ? { kind: KINDS.folder, rank: 6 } : { kind: KINDS.file };
    return { label: name, value: typed + name, ...shown };
  });
}
