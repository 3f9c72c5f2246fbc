import { dirname } from 'node:path';
import { findAssertionType } from '../../assertions/registry.ts';
import { valueAt } from '../../core/data/data.ts';
import { inSteps, type Step } from '../../core/steps.ts';
import { resolveReference } from '../../evalfile/resolveReference.ts';
import { type SpokenMessage, spokenMessages } from '../../evalfile/spokenMessages.ts';
import { readTranscriptFile } from '../../evalfile/transcript.ts';
import type { CompletionContext } from '../ports.ts';
import type { Cursor } from './cursor.ts';
import { type Choice, KINDS } from './items.ts';
import { knows } from './options.ts';

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
  const own = await inSteps(cursor.wholeCase(), step);
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
  if (Array.isArray(messages)) return joined(spokenMessages(messages));
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
function joined(messages: readonly SpokenMessage[]): SpokenTurn[] {
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
  const { messages } = await inSteps(readTranscriptFile(text, found.path), step);
  return joined(
    spokenMessages(messages.map(({ message: { role, content } }) => ({ role, content }))),
  );
}
