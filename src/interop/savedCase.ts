import type { TextEdit } from 'vscode-languageserver-types';
import { type Conversation, textOf, turnsOf } from '../core/conversation.ts';
import { firstFree, type Mapping, valueAt } from '../core/data/data.ts';
import type { Range } from '../core/problem.ts';
import { overlayFiles } from '../evalfile/files.ts';
import { loadSuite } from '../evalfile/load.ts';
import type { LoadOptions } from '../evalfile/loadedSuite.ts';
import {
  atTurns,
  INLINE_CASES,
  type SaveAs,
  SaveError,
  userTurns,
  writtenMessages,
} from '../evalfile/savedCase.ts';
import { addItemAfter, addWritten } from '../yaml/edits.ts';
import { write } from '../yaml/quoting.ts';
import { parseYaml } from '../yaml/yamlDocument.ts';
import { DEFAULT_CHECK, evalFileText, type Place, slug } from './evalFileText.ts';

/** What is known to be right or wrong about a reply. */
export interface ReplyChecks {
  readonly assert: readonly unknown[];
  /** A good reply; written only for `turns`. */
  readonly expected?: string;
}

/** A conversation to write as a case. */
export interface ConversationCase {
  readonly id: string;
  /** `turns`: the user's words, for the target to answer again; `transcript`: the whole conversation. */
  readonly as: SaveAs;
  /** With `turns`, all before the first live turn becomes the case's `history`. */
  readonly conversation: Conversation;
  /** By the number of the reply's turn. */
  readonly checks?: ReadonlyMap<number, ReplyChecks>;
  /** Further keys of the case, such as `target`, `tags`, or `assert` for the whole conversation. */
  readonly keys?: Mapping;
}

/** An eval file with a new case that passes `turnlight check`. */
export interface AddedCase {
  /** The whole text. */
  readonly text: string;
  /** The change to the existing text; absent for a new file. */
  readonly edit?: TextEdit;
  /** Where the new case's id is. */
  readonly range: Range;
  /** Whether the file has assertions that need a judge, but no judge. */
  readonly lacksJudge: boolean;
}

/** Whether an eval file has assertions that apply to all of its cases. @param given see `addCase` */
export function hasDefaultChecks(given: string | Mapping): boolean {
  const file = typeof given === 'string' ? parseYaml(given, '').value : given;
  const checks = valueAt(file, ['defaults', 'assert']);
  return Array.isArray(checks) && checks.length > 0;
}

/** An id made of the user's first words that the file doesn't use yet. @param taken the ids in the file */
export function proposeId(conversation: Conversation, taken: readonly unknown[] = []): string {
  const opening = turnsOf(conversation).find(({ side, history }) => side === 'user' && !history);
  const wanted = slug(opening ? textOf(opening) : '') || 'conversation';
  return firstFree(
    (number) => (number === 1 ? wanted : `${wanted}-${number}`),
    (id) => taken.includes(id),
  );
}

/**
 * Adds a conversation as the last case of an eval file.
 *
 * @param given the file's text; or the keys above `cases` for a new file
 * @throws SaveError if the result would be invalid; its message says why, and what to do
 */
export async function addCase(
  wanted: ConversationCase,
  given: string | Mapping,
  place: Place & Pick<LoadOptions, 'defaultJudge'>,
): Promise<AddedCase> {
  const { id } = wanted;
  const value = caseOf(wanted, hasDefaultChecks(given) ? [] : [DEFAULT_CHECK]);
  const edit = typeof given === 'string' ? insertion(given, place.path, value) : undefined;
  const { assert, id: _, ...keys } = value;
  const checks = Array.isArray(assert) ? assert : [];
  const text =
    edit && typeof given === 'string'
      ? applied(given, place.path, edit)
      : evalFileText({ head: Object(given) }, [
          { line: 1, id, keys, assert: checks, suggestions: [] },
        ]);
  const files = overlayFiles(place.files, (path) => (path === place.path ? text : undefined));
  const { outline, problems } = await loadSuite(place.path, files, place);
  const added = outline.findLast((one) => one.path === place.path && one.id === id);
  const [error] = added?.errors ?? [];
  if (!added || error) {
    const why = error?.message ?? 'It would not be a valid eval file.';
    throw new SaveError('not-expressible', `The case can't be saved. ${why}`);
  }
  const lacksJudge = problems.some(({ code }) => code === 'no-judge');
  return { text, ...(edit && { edit }), range: added.nameRange, lacksJudge };
}

/** @throws SaveError */
function insertion(text: string, path: string, value: Mapping): TextEdit {
  const yaml = parseYaml(text, path);
  const cases = valueAt(yaml.value, ['cases']);
  const last = Array.isArray(cases) ? cases.length - 1 : -1;
  const edit =
    last < 0
      ? addWritten(yaml, [], [['cases', write([value])]])
      : addItemAfter(yaml, ['cases', last], value);
  if (edit) return edit;
  throw new SaveError('not-expressible', INLINE_CASES);
}

function applied(text: string, path: string, { range, newText }: TextEdit): string {
  const yaml = parseYaml(text, path);
  return text.slice(0, yaml.offsetAt(range.start)) + newText + text.slice(yaml.offsetAt(range.end));
}

/** @param otherwise the assertions for a case without its own @throws SaveError */
function caseOf(wanted: ConversationCase, otherwise: readonly unknown[]): Mapping {
  const { id, as, keys = {}, checks = new Map<number, ReplyChecks>() } = wanted;
  const { assert: given, ...others } = keys;
  const whole = Array.isArray(given) ? given : [];
  const said =
    as === 'turns' ? scripted(wanted) : { transcript: writtenMessages(wanted.conversation) };
  const perTurn =
    as === 'turns'
      ? []
      : [...checks].flatMap(([turn, one]) => one.assert.map((check) => atTurns(check, turn)));
  const assert = [...whole, ...perTurn];
  const isChecked = assert.length > 0 || [...checks.values()].some((one) => one.assert.length > 0);
  const listed = isChecked ? assert : otherwise;
  return { id, ...others, ...said, ...(listed.length > 0 && { assert: listed }) };
}

/** @throws SaveError */
function scripted({ conversation, checks }: ConversationCase): Mapping {
  const first = conversation.entries.findIndex((one) => one.kind === 'turn' && !one.history);
  const before = conversation.entries.slice(0, Math.max(first, 0));
  const history = writtenMessages({ entries: before, notes: [] });
  const turns = userTurns(conversation).map((turn) => {
    const user = textOf(turn);
    const { assert = [], expected } = checks?.get(turn.number + 1) ?? {};
    if (assert.length === 0 && expected === undefined) return user;
    return {
      user,
      ...(expected !== undefined && { expected }),
      ...(assert.length > 0 && { assert }),
    };
  });
  return { ...(history.length > 0 && { history }), turns };
}
