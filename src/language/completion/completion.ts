import { dirname, extname, join } from 'node:path';
import type { CompletionItem } from 'vscode-languageserver-types';
import { findAssertionType } from '../../assertions/registry.ts';
import { stringOf, valueAt } from '../../core/data/data.ts';
import { EXTENSIONS, isFileKind } from '../../core/meaning.ts';
import type { Position } from '../../core/problem.ts';
import { resolveReference } from '../../evalfile/files.ts';
import { type NumberedMessage, numberTurns } from '../../evalfile/numberTurns.ts';
import { evalFileSchema } from '../../evalfile/schema.ts';
import { runCooperatively, stepsOf } from '../../node/cooperative.ts';
import { rolesAt } from '../../schema/mentions.ts';
import type { CompletionContext, CompletionRequest } from '../ports.ts';
import { type Cursor, cursorAt } from './cursor.ts';
import { type Choice, KINDS, matches, valueItems } from './items.ts';
import { enumerated, isKnownKey, keyItems, mappingItems } from './schemaItems.ts';
import { symbolChoices } from './symbolChoices.ts';
import { messagesOfFile } from './transcriptFile.ts';
import { variableItems, variablesAt } from './variables.ts';

/** Also completes invalid YAML. @param path absolute path of the file */
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
  const request = { ...context, text, path, step };
  if (cursor.variable && !cursor.onKey) {
    const variables = await runCooperatively(variablesAt(cursor, text), step);
    return variableItems(variables, cursor.variable, cursor.style);
  }
  if (cursor.variable || cursor.style === 'block') return [];
  if (cursor.onKey) {
    const keys = await symbolChoices(cursor, request);
    return [...keyItems(cursor, snippets), ...valueItems(keys, cursor, snippets)];
  }
  const isReply = isAtOfScriptedTurn(cursor);
  const choices = [
    ...(await symbolChoices(cursor, request)),
    ...enumerated(cursor).filter(({ label }) => !isReply || label === 'all'),
    ...(await turnChoices(cursor, request)),
    ...(await pathChoices(cursor, request)),
  ].filter(({ label, value = label }) => matches(stringOf(value), cursor.typed));
  return [...mappingItems(cursor, snippets), ...valueItems(choices, cursor, snippets)];
}

interface TurnText {
  readonly number: number;
  readonly side: 'user' | 'assistant';
  readonly text: string;
}

async function turnChoices(cursor: Cursor, request: CompletionRequest): Promise<Choice[]> {
  const { root, path, style } = cursor;
  const index = path.lastIndexOf('at');
  const owner = path.slice(0, index);
  const depth = path.length - index;
  if (index < 0 || depth > 2 || !isKnownKey(root, path.slice(0, index + 1))) return [];
  if (path.at(-1) === 'agent') return [];
  // Under a scripted turn, `at` can only select the reply to that turn.
  if (owner.includes('turns') || style !== 'plain') return [];
  const { type } = Object(valueAt(root, owner));
  const side = findAssertionType(type)?.side ?? 'both';
  const there = depth === 2 ? valueAt(root, path.slice(0, -1)) : [];
  const taken: readonly unknown[] = Array.isArray(there) ? there : [];
  const own = await runCooperatively(cursor.wholeCase(), request.step);
  const turns = await turnsOfCase(own, request);
  return turns
    .filter((turn) => (side === 'both' || turn.side === side) && !taken.includes(turn.number))
    .map(({ number, side: speaker, text }) => ({
      label: stringOf(number),
      value: number,
      kind: KINDS.value,
      detail: text,
      documentation: `Turn ${number} (${speaker})`,
      rank: 6,
    }));
}

/** Whether the cursor is at the `at` of a scripted turn, where the only valid word is `all`. */
function isAtOfScriptedTurn({ root, path }: Cursor): boolean {
  return path.at(-1) === 'at' && path.includes('turns') && isKnownKey(root, path);
}

async function turnsOfCase(own: unknown, request: CompletionRequest): Promise<TurnText[]> {
  const { turns, transcript, history } = Object(own);
  if (!Array.isArray(turns)) return turnsIn(transcript, request);
  const before = await turnsIn(history, request);
  const scripted = turns.flatMap((item, index): TurnText[] => {
    const words = stringOf(typeof item === 'string' ? item : (Object(item).user ?? ''));
    const number = before.length + 2 * index + 1;
    return [
      { number, side: 'user', text: words },
      { number: number + 1, side: 'assistant', text: `reply to: ${words}` },
    ];
  });
  return [...before, ...scripted];
}

/** @param messages a list of messages, or the path of a file */
async function turnsIn(messages: unknown, request: CompletionRequest): Promise<TurnText[]> {
  if (Array.isArray(messages)) return groupTurns(numberTurns(messages));
  return typeof messages === 'string' ? turnsOfFile(messages, request) : [];
}

/** Groups messages by turn. Each turn is described by its first text. */
function groupTurns(messages: readonly NumberedMessage[]): TurnText[] {
  const turns = new Map<number, TurnText>();
  for (const { role, text, turn } of messages) {
    if (turn === undefined || (role !== 'user' && role !== 'assistant')) continue;
    const known = turns.get(turn);
    if (!known || known.text === '') turns.set(turn, { number: turn, side: role, text });
  }
  return [...turns.values()];
}

async function turnsOfFile(reference: string, request: CompletionRequest): Promise<TurnText[]> {
  const messages = await messagesOfFile(reference, request);
  return groupTurns(
    numberTurns(messages.map(({ message: { role, content } }) => ({ role, content }))),
  );
}

async function pathChoices(
  { root: data, path, typed: before }: Cursor,
  { files, listFolder, path: file, workspace }: CompletionRequest,
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
  const isOffered = (name: string) =>
    extensions.includes(extname(name)) && join(folder, name) !== file;
  const entries = await listFolder(folder).catch(() => []);
  const names = entries.flatMap(({ name, isFolder }) => {
    if (name.startsWith('.') || name === 'node_modules') return [];
    if (isFolder) return [`${name}/`];
    return isOffered(name) ? [name] : [];
  });
  if (folder !== root && /^(?:\.\.\/)*$/.test(typed)) names.push('../');
  return names.map((name) => {
    const shown = name.endsWith('/') ? { kind: KINDS.folder, rank: 6 } : { kind: KINDS.file };
    return { label: name, value: typed + name, ...shown };
  });
}
