import { toConversation, turnsOf } from '../../core/conversation.ts';
import { type Mapping, mappingOf, stringOf, valueAt } from '../../core/data/data.ts';
import { MAX_REPETITIONS, type MessageHistory, type SuiteCase } from '../../core/suite.ts';
import { collectAssertions } from '../assertion/keys.ts';
import type { OutlineCase, OutlineTurn } from '../loadedSuite.ts';
import { numberTurns } from '../numberTurns.ts';
import { type Location, sourceOf, within } from '../scope.ts';
import { hashOfCase } from './buildCase.ts';
import type { CaseSource } from './caseSources.ts';

/** A case as shown in the outline. Also accepts invalid data. */
export function outlineOf(
  source: CaseSource,
  { origin, history }: { readonly origin?: SuiteCase['origin']; readonly history?: MessageHistory },
): Omit<OutlineCase, 'errors'> {
  const { raw, location } = source;
  const { document, path } = location;
  const given = mappingOf(raw);
  const hasId = typeof given.id === 'string' && given.id !== '';
  const defaults = location.scope.file.defaults ?? {};
  const before = historyTurns(given.history, history);
  const said = origin?.kind === 'transcript' ? origin : history;
  return {
    ...(hasId && { id: stringOf(given.id) }),
    ...(typeof given.description === 'string' && { description: given.description }),
    ...sourceOf(location),
    nameRange: hasId ? document.rangeOf([...path, 'id']) : document.keyRangeOf(path),
    turns: [
      ...messages(given.history, within(location, 'history')),
      ...scriptedTurns(given.turns, within(location, 'turns'), before),
      ...scriptedTurns(
        valueAt(given, ['simulate', 'opening']),
        within(location, 'simulate', 'opening'),
        before,
      ),
      ...messages(given.transcript, within(location, 'transcript')),
    ],
    ...(said && { said }),
    assertions: collectAssertions(given, location).map(({ location: at, ...one }, index) => ({
      ...one,
      index,
      label: labelOf(one.given),
      ...sourceOf(at),
    })),
    tags: [...(defaults.tags ?? []), ...(Array.isArray(given.tags) ? given.tags.map(String) : [])],
    repetitions: timesOf(given.repeat ?? defaults.repeat),
    ...severalIn(given, location.scope.file.variants),
    hash: hashOfCase(source),
  };
}

/** Number of turns in a history; an estimate if the history is invalid. */
function historyTurns(given: unknown, history: MessageHistory | undefined): number {
  if (history) return turnsOf(toConversation(history.messages)).length;
  const spoken = Array.isArray(given) ? numberTurns(given) : [];
  return spoken.findLast(({ turn }) => turn !== undefined)?.turn ?? 0;
}

/** @param shared the target variants that the file declares */
function severalIn(given: Mapping, shared: unknown): Pick<OutlineCase, 'several'> {
  const { transcripts, roles, matrix, turns, simulate, variants = shared } = given;
  const isLive = turns !== undefined || simulate !== undefined;
  const names = isLive ? Object.keys(mappingOf(variants)) : [];
  const isOne = transcripts === undefined && matrix === undefined && names.length === 0;
  return isOne ? {} : { several: JSON.stringify([transcripts, roles, matrix, names]) };
}

function scriptedTurns(list: unknown, location: Location, before: number): OutlineTurn[] {
  if (!Array.isArray(list)) return [];
  return list.map((item: unknown, index) => ({
    label: labelOfTurn(typeof item === 'string' ? item : valueAt(item, ['user'])),
    range: location.document.entryRangeOf([...location.path, index]),
    role: 'user',
    turns: [before + 2 * index + 1, before + 2 * index + 2],
  }));
}

/** @param user text, or a list of parts */
function labelOfTurn(user: unknown): string {
  if (!Array.isArray(user)) return stringOf(user ?? '');
  return numberTurns([{ user }])[0]?.text ?? '';
}

function messages(list: unknown, location: Location): OutlineTurn[] {
  if (!Array.isArray(list)) return [];
  return numberTurns(list).map(({ role, text, turn }, index) => ({
    label: text,
    range: location.document.entryRangeOf([...location.path, index]),
    role,
    turns: turn === undefined ? [] : [turn],
  }));
}

/** An assertion's name, or else its type or criterion. */
export function labelOf(item: unknown): string {
  if (typeof item === 'string') return item;
  const { name, type } = mappingOf(item);
  return stringOf(name ?? type ?? 'assertion');
}

function timesOf(repeat: unknown): number {
  const times = typeof repeat === 'number' ? repeat : valueAt(repeat, ['times']);
  const valid = typeof times === 'number' && Number.isInteger(times);
  return valid && times > 0 && times <= MAX_REPETITIONS ? times : 1;
}
