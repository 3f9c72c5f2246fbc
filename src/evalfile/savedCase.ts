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
import { columnOf } from '../yaml/edits.ts';
import { endOf, endOfLine, isFlow, lineBreakOf, nodeAt, startOf } from '../yaml/nodes.ts';
import { indented, write } from '../yaml/quoting.ts';
import { parseYaml } from '../yaml/yamlDocument.ts';

export type SaveAs = 'turns' | 'transcript';

/** Suffixes of ids: `return-shoes-scripted`. */
const ENDINGS: Readonly<Record<SaveAs, string>> = { turns: 'scripted', transcript: 'recorded' };

export const NOT_SIMULATED = 'Only simulated conversations can be saved as a case.';

/** A conversation that can't be saved. `message` says why, and what to do. */
export class SaveError extends ReasonedError<'not-simulated' | 'no-case' | 'not-expressible'> {
  override readonly name = 'SaveError';
}

/** A new case for the file of the original one. */
export interface SavedCase {
  readonly id: string;
  readonly position: Position;
  readonly newText: string;
}

/**
 * Turns a simulated conversation into a new case after the original one: with the user's words as `turns`, for the
 * target to answer again, or as a `transcript`. Keeps all checks.
 *
 * @param text of the case's file
 * @param taken the suite's ids
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
  const list = nodeAt(yaml.root, ['cases'])?.node;
  const node = nodeAt(yaml.root, ['cases', index])?.node;
  const given: unknown = valueAt(cases, [index]);
  if (!list || !node || !isMapping(given)) {
    throw new SaveError('no-case', `The file has no case "${caseTitle(line)}" anymore.`);
  }
  if (isFlow(list)) {
    const message = '`cases` is written inline, in brackets. Put each case on its own lines first.';
    throw new SaveError('not-expressible', message);
  }
  const id = idFor(line, as, taken);
  const written = write(as === 'turns' ? scripted(given, id, line) : recorded(given, id, line));
  const column = columnOf(text, text.lastIndexOf('-', startOf(node) - 1));
  const item = indented(written.text, column + 2).trimStart();
  const newText = `\n\n${' '.repeat(column)}- ${item}`.replace(/\n/g, lineBreakOf(text));
  return { id, position: yaml.positionAt(endOfLine(text, endOf(node, text))), newText };
}

function idFor({ id, variant }: CaseLine, as: SaveAs, taken: readonly unknown[]): string {
  const part = variant === undefined ? '' : `-${variant.replace(/[^A-Za-z0-9._-]+/g, '-')}`;
  const wanted = `${id}${part}-${ENDINGS[as]}`;
  return firstFree(
    (number) => (number === 1 ? wanted : `${wanted}-${number}`),
    (name) => taken.includes(name),
  );
}

/** @throws SaveError if the user's words would be read as variables */
function scripted(given: Mapping, id: string, line: CaseLine): Mapping {
  const turns = liveTurnsOf(line.conversation).filter(({ side }) => side === 'user');
  const strange = turns.find((turn) => templateVariables(textOf(turn)).length > 0);
  if (strange) {
    const message = `Turn ${strange.number} contains "{{…}}", which turns read as a variable. Save a transcript instead.`;
    throw new SaveError('not-expressible', message);
  }
  if (turns.length === 0) throw new SaveError('not-expressible', 'Nothing was said.');
  return replaced(given, id, line, [], { turns: turns.map(textOf) });
}

/** @throws SaveError if the target never replied */
function recorded(given: Mapping, id: string, line: CaseLine): Mapping {
  const transcript = writtenMessages(line.conversation);
  if (!turnsOf(line.conversation).some(({ side }) => side === 'assistant')) {
    throw new SaveError('not-expressible', 'The target said nothing to judge.');
  }
  return replaced(given, id, line, ['history', 'roles', 'target'], {
    transcript,
    ...checksOfLiveTurns(given, line),
  });
}

/** A transcript has no history, so checks of live turns select them by number. */
function checksOfLiveTurns({ assert }: Mapping, { conversation }: CaseLine): Mapping {
  const live = liveTurnsOf(conversation);
  const [first, last] = [live[0]?.number ?? 1, live.at(-1)?.number ?? 1];
  if (first === 1 || !Array.isArray(assert)) return {};
  const at = `${first}-${last}`;
  const checks = assert.map((one: unknown) => {
    if (typeof one === 'string') return { type: 'criterion', criterion: one, at };
    return isMapping(one) && (one.at === undefined || one.at === 'live') ? { ...one, at } : one;
  });
  return { assert: checks };
}

/** A copy of the case with another id, and with the conversation instead of `simulate`. */
function replaced(
  given: Mapping,
  id: string,
  { variant, facts }: CaseLine,
  dropped: readonly string[],
  added: Mapping,
): Mapping {
  const { turns, transcript, ...others } = added;
  const own = variant === undefined ? given : withContext(given, facts?.context ?? {});
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

/** Replaces `matrix` with the variant's values. */
function withContext({ context: _, ...given }: Mapping, values: Mapping): Mapping {
  const entries = Object.entries(given).map(([key, value]) =>
    key === 'matrix' ? ['context', values] : [key, value],
  );
  return Object.fromEntries(entries);
}

/** A conversation as messages in the shorthand, with its tool calls. */
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
    } else {
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
