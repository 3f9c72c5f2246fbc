import { type Mapping, mappingOf, valueAt } from '../core/data.ts';
import { hashOfCase } from './case/buildCase.ts';
import type { CaseSource } from './case/caseSources.ts';
import type { OutlineAssertion, OutlineCase, OutlineTurn } from './loadedSuite.ts';
import type { Scope, Spot } from './scope.ts';
import { within } from './scope.ts';
import { spokenMessages } from './spokenMessages.ts';

/** A case as it can be shown, made of whatever stands there. */
export function outlineOf(source: CaseSource, scope: Scope): OutlineCase {
  const { raw, spot } = source;
  const { document, path } = spot;
  const given = mappingOf(raw);
  const hasId = typeof given.id === 'string' && given.id !== '';
  const defaults = scope.file.defaults ?? {};
  return {
    ...(hasId && { id: String(given.id) }),
    ...(typeof given.description === 'string' && { description: given.description }),
    path: document.path,
    range: document.entryRangeOf(path),
    nameRange: hasId ? document.rangeOf([...path, 'id']) : document.keyRangeOf(path),
    turns: [
      ...scriptedTurns(given.turns, within(spot, 'turns')),
      ...messages(given.transcript, within(spot, 'transcript')),
    ],
    assertions: assertionsOf(given, spot, scope),
    tags: [...(defaults.tags ?? []), ...(Array.isArray(given.tags) ? given.tags.map(String) : [])],
    repetitions: timesOf(given.repeat ?? defaults.repeat),
    hash: hashOfCase(source),
    errors: scope.reporter.errorsOf(spot.owner),
  };
}

function scriptedTurns(list: unknown, spot: Spot): OutlineTurn[] {
  if (!Array.isArray(list)) return [];
  return list.map((item: unknown, index) => ({
    label: String(typeof item === 'string' ? item : (valueAt(item, ['user']) ?? '')),
    range: spot.document.entryRangeOf([...spot.path, index]),
    role: 'user',
    turns: [2 * index + 1, 2 * index + 2],
  }));
}

function messages(list: unknown, spot: Spot): OutlineTurn[] {
  if (!Array.isArray(list)) return [];
  return spokenMessages(list).map(({ role, text, turn }, index) => ({
    label: text,
    range: spot.document.entryRangeOf([...spot.path, index]),
    role,
    turns: turn === undefined ? [] : [turn],
  }));
}

function assertionsOf(given: Mapping, spot: Spot, { file, document }: Scope): OutlineAssertion[] {
  const found: OutlineAssertion[] = [];
  const add = (list: unknown, place: Spot, scriptedTurn?: number) => {
    for (const [order, item] of (Array.isArray(list) ? list : []).entries()) {
      const { document: from, path } = within(place, order);
      found.push({
        index: found.length,
        given: item,
        ...(scriptedTurn !== undefined && { scriptedTurn }),
        label: labelOf(item),
        path: from.path,
        range: from.entryRangeOf(path),
      });
    }
  };
  add(file.defaults?.assert, { document, path: ['defaults', 'assert'] });
  add(given.assert, within(spot, 'assert'));
  for (const [turn, item] of (Array.isArray(given.turns) ? given.turns : []).entries()) {
    add(valueAt(item, ['assert']), within(spot, 'turns', turn, 'assert'), turn);
  }
  return found;
}

/** What an assertion is called: its name, else its type, else the criterion itself. */
export function labelOf(item: unknown): string {
  if (typeof item === 'string') return item;
  const { name, type } = mappingOf(item);
  return String(name ?? type ?? 'assertion');
}

function timesOf(repeat: unknown): number {
  const times = typeof repeat === 'number' ? repeat : valueAt(repeat, ['times']);
  return typeof times === 'number' && Number.isInteger(times) && times > 0 ? times : 1;
}
