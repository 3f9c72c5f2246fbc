import {
  type Conversation,
  liveTurnsOf,
  type Turn,
  textOf,
  turnsOf,
} from '../core/conversation.ts';
import { firstFree, isMapping, type Mapping, valueAt } from '../core/data/data.ts';
import { ReasonedError } from '../core/errors.ts';
import { caseTitle } from '../core/presentation/words.ts';
import type { Position } from '../core/problem.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import { templateVariables } from '../core/text/template.ts';
import { addItemAfter } from '../yaml/edits.ts';
import { parseYaml } from '../yaml/yamlDocument.ts';

export type SaveAs = 'turns' | 'transcript';

/** Suffixes of ids: `return-shoes-scripted`. */
const ENDINGS: Readonly<Record<SaveAs, string>> = { turns: 'scripted', transcript: 'recorded' };

export const NOT_SIMULATED = 'Only simulated conversations can be saved as a case.';

/** Thrown if a conversation can't be saved. `message` says why, and what to do. */
export class SaveError extends ReasonedError<'not-simulated' | 'no-case' | 'not-expressible'> {
  override readonly name = 'SaveError';
}

/** A new case to add to the original case's file. */
export interface SavedCase {
  readonly id: string;
  readonly position: Position;
  readonly newText: string;
}

/**
 * Turns a simulated conversation into a new case after the original one: with the user's words as `turns`, for the
 * target to answer again, or as a `transcript`. Keeps all assertions.
 *
 * @param text the text of the case's file
 * @param taken ids that the suite already uses
 * @throws SaveError
 */
export function savedCase(
  text: string,
  path: string,
  line: CaseLine,
  as: SaveAs,
  taken: readonly (string | undefined)[],
): SavedCase {
  if (line.origin !== 'simulate') throw new SaveError('not-simulated', NOT_SIMULATED);
  const yaml = parseYaml(text, path);
  const cases = valueAt(yaml.value, ['cases']);
  const isOriginal = (one: unknown) => valueAt(one, ['id']) === line.id;
  const index = Array.isArray(cases) ? cases.findIndex(isOriginal) : -1;
  const given: unknown = valueAt(cases, [index]);
  if (!isMapping(given)) {
    throw new SaveError('no-case', `The file has no case "${caseTitle(line)}" anymore.`);
  }
  const id = idFor(line, as, taken);
  const value = as === 'turns' ? scripted(given, id, line) : recorded(given, id, line);
  const added = addItemAfter(yaml, ['cases', index], value);
  if (!added) throw new SaveError('not-expressible', INLINE_CASES);
  return { id, position: added.range.start, newText: added.newText };
}

export const INLINE_CASES =
  '`cases` is written inline, in brackets. Put each case on its own lines first.';

function idFor({ id, variant }: CaseLine, as: SaveAs, taken: readonly unknown[]): string {
  const part = variant === undefined ? '' : `-${variant.replace(/[^A-Za-z0-9._-]+/g, '-')}`;
  const wanted = `${id}${part}-${ENDINGS[as]}`;
  return firstFree(
    (number) => (number === 1 ? wanted : `${wanted}-${number}`),
    (name) => taken.includes(name),
  );
}

/** @throws SaveError if the user's words would be mistaken for variables */
function scripted(given: Mapping, id: string, line: CaseLine): Mapping {
  return replaced(given, id, line, [], { turns: userTurns(line.conversation).map(textOf) });
}

/** What the user says live. @throws SaveError if it can't be written as `turns` */
export function userTurns(conversation: Conversation): Turn[] {
  const turns = liveTurnsOf(conversation).filter(({ side }) => side === 'user');
  const strange = turns.find((turn) => templateVariables(textOf(turn)).length > 0);
  if (strange) {
    const message = `Turn ${strange.number} contains "{{…}}", which would be read as a variable in \`turns\`. Save a transcript instead.`;
    throw new SaveError('not-expressible', message);
  }
  if (turns.length === 0)
    throw new SaveError('not-expressible', 'The conversation has no user turns to save.');
  return turns;
}

/** @throws SaveError if the target never replied */
function recorded(given: Mapping, id: string, line: CaseLine): Mapping {
  const transcript = writtenMessages(line.conversation);
  if (!turnsOf(line.conversation).some(({ side }) => side === 'assistant')) {
    throw new SaveError(
      'not-expressible',
      'The conversation has no reply to judge, so it cannot be saved as a transcript.',
    );
  }
  return replaced(given, id, line, ['history', 'roles', 'target', 'variants'], {
    transcript,
    ...checksOfLiveTurns(given, line),
  });
}

/** An assertion that checks these turns, if it names no others. @param at see `at` in the format */
export function atTurns(one: unknown, at: string | number): unknown {
  if (typeof one === 'string') return { type: 'criterion', criterion: one, at };
  return isMapping(one) && (one.at === undefined || one.at === 'live') ? { ...one, at } : one;
}

/** A transcript has no history, so checks of live turns select them by number. */
function checksOfLiveTurns({ assert }: Mapping, { conversation }: CaseLine): Mapping {
  const live = liveTurnsOf(conversation);
  const [first, last] = [live[0]?.number ?? 1, live.at(-1)?.number ?? 1];
  if (first === 1 || !Array.isArray(assert)) return {};
  const at = `${first}-${last}`;
  return { assert: assert.map((one: unknown) => atTurns(one, at)) };
}

/** A copy of the case with a different id, and with the conversation instead of `simulate`. */
function replaced(
  given: Mapping,
  id: string,
  { facts }: CaseLine,
  dropped: readonly string[],
  added: Mapping,
): Mapping {
  const { turns, transcript, ...others } = added;
  const own = given.matrix === undefined ? given : withContext(given, facts?.context ?? {});
  const entries = Object.entries({ ...own, ...others, id }).flatMap(
    ([key, value]): [string, unknown][] => {
      if (key === 'simulate') {
        return [turns === undefined ? ['transcript', transcript] : ['turns', turns]];
      }
      return ['matrix', 'only', ...dropped].includes(key) ? [] : [[key, value]];
    },
  );
  return Object.fromEntries(entries);
}

/** Replaces `matrix` with the values for the variant. */
function withContext({ context: _, ...given }: Mapping, values: Mapping): Mapping {
  const entries = Object.entries(given).map(([key, value]) =>
    key === 'matrix' ? ['context', values] : [key, value],
  );
  return Object.fromEntries(entries);
}

/** A conversation as messages in shorthand form, with its tool calls. */
export function writtenMessages({ entries }: Conversation): Mapping[] {
  return entries.flatMap((entry) =>
    entry.kind === 'system' ? [{ [entry.role]: entry.text }] : messagesOfTurn(entry),
  );
}

function messagesOfTurn({ side, items, retrievalContext }: Turn): Mapping[] {
  const messages: Record<string, unknown>[] = [];
  let open: Record<string, unknown> | undefined;
  for (const item of items) {
    if (item.kind === 'system') {
      messages.push({ [item.role]: item.text });
      open = undefined;
    } else if (item.kind === 'text') {
      open = { [side]: item.text, ...(item.agent && { agent: item.agent }) };
      messages.push(open);
      // A handoff follows from the messages around it.
    } else if (item.kind === 'tool-call') {
      const { id, name, arguments: given } = item.call;
      // Each call is followed by its result.
      const called = typeof given === 'string' ? given : JSON.stringify(given);
      const tool_calls = [{ id, type: 'function', function: { name, arguments: called } }];
      const { agent } = item;
      if (open && open.agent === agent) open.tool_calls = tool_calls;
      else messages.push({ assistant: null, tool_calls, ...(agent && { agent }) });
      open = undefined;
      if (item.result !== undefined) messages.push({ tool: item.result, tool_call_id: id });
    }
  }
  const last = messages.findLast((message) => 'assistant' in message);
  if (last && retrievalContext) last.retrieval_context = retrievalContext;
  return messages;
}
