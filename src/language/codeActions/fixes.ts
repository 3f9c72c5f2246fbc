import { basename } from 'node:path';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { CodeAction, Diagnostic, TextEdit, WorkspaceEdit } from 'vscode-languageserver-types';
import { memoize, uniqueBy } from '../../core/data/data.ts';
import type { Fix } from '../../core/problem.ts';
import { DEFAULT_MODEL } from '../../evalfile/judgeChoices.ts';
import type { LoadedSuite } from '../../evalfile/loadedSuite.ts';
import { evalFileSchema } from '../../evalfile/schema.ts';
import { validate } from '../../schema/issues.ts';
import {
  addKeys,
  fragmentAt,
  removeEntry,
  removeKeyAt,
  renameKey,
  replaceEntry,
  replaceText,
  replaceValue,
  replaceWith,
} from '../../yaml/edits.ts';
import { indentOf } from '../../yaml/parsedText.ts';
import { indented, STEP, write, writeInline } from '../../yaml/quoting.ts';
import { parseYaml, type YamlDocument } from '../../yaml/yamlDocument.ts';
import type { DiagnosticData } from '../features/diagnostics.ts';
import { editsIn, newFileEdit, quickFix } from './actions.ts';
import { newFileText, placeholder } from './placeholder.ts';
import { addTopLevel } from './topLevel.ts';

interface DocumentContext {
  readonly uri: string;
  readonly yaml: YamlDocument;
  /** Absent if the file isn't an eval file. */
  readonly suite?: LoadedSuite;
  /** Models to judge with, most useful first. */
  readonly judges?: readonly string[];
  uriOf(path: string): string;
}

/** Maximum number of judges to offer. */
const MAX_JUDGES = 4;

/** Data for a fix, from the problem's code and its `Fix`. */
interface FixData
  extends Required<
    Pick<Fix, 'instead' | 'item' | 'rewrite' | 'indent' | 'add' | 'create' | 'remove'>
  > {
  readonly replacement: string;
  readonly 'tab-indent': true;
  readonly 'duplicate-key': true;
}

type FixName = keyof FixData;

interface QuickFix {
  readonly title: string;
  readonly edits?: readonly (TextEdit | undefined)[];
  readonly edit?: WorkspaceEdit;
  /** Whether the fix is safe to apply without review. */
  readonly preferred?: boolean;
}

interface FixContext extends DocumentContext {
  readonly diagnostic: Diagnostic;
}

/** Functions that create fixes. A fix without edits is dropped. */
const FIXES: {
  readonly [Name in FixName]: (data: FixData[Name], context: FixContext) => QuickFix | QuickFix[];
} = {
  replacement: didYouMean,
  instead: replaceForeignKey,
  'tab-indent': indentWithSpaces,
  item: makeItem,
  rewrite,
  indent,
  add: addMissingKey,
  create: createFile,
  remove,
  'duplicate-key': removeDuplicate,
};

export const ALL_FIXES = Object.keys(FIXES) as readonly FixName[];

/** Fixes for the front matter of a judge prompt. */
export const PROMPT_FIXES: readonly FixName[] = ['instead'];

/** Fixes that need only a file's text, so that they also work in judge prompts and transcripts. */
export const TEXT_FIXES: readonly FixName[] = ['replacement', 'tab-indent', 'rewrite', 'indent'];

/** @param diagnostics the ones to fix; those from other extensions are ignored */
export function fixesOf(
  diagnostics: readonly Diagnostic[],
  names: readonly FixName[],
  context: DocumentContext,
): CodeAction[] {
  return diagnostics.flatMap((diagnostic) => {
    if (diagnostic.source !== 'turnlight') return [];
    const { replacement, fix } = dataOf(diagnostic);
    const known: Partial<FixData> = {
      ...fix,
      ...(replacement !== undefined && { replacement }),
      [String(diagnostic.code)]: true,
    };
    const fixesNamed = <Name extends FixName>(name: Name) => {
      const data = known[name];
      return data === undefined ? [] : FIXES[name](data, { ...context, diagnostic });
    };
    return names.flatMap(fixesNamed).flatMap(({ title, edits = [], edit, preferred }) => {
      const own = edits.filter((one) => one !== undefined);
      if (!edit && own.length === 0) return [];
      return [quickFix(title, diagnostic, edit ?? editsIn(context.uri, own), preferred)];
    });
  });
}

function dataOf({ data }: Diagnostic): DiagnosticData {
  return Object(data);
}

/** Offers the most likely replacement first, followed by similar ones. */
function didYouMean(first: string, { yaml, diagnostic }: FixContext): QuickFix[] {
  const { alternatives = [], beside } = dataOf(diagnostic).fix ?? {};
  return [first, ...alternatives].map((text, index) => {
    const { to = [], keys = {}, without, rename } = (index === 0 && beside) || {};
    const added = Object.keys(keys).length > 0 ? addKeys(yaml, to, keys) : undefined;
    const removed = without === undefined ? undefined : removeEntry(yaml, [...to, without]);
    const renamed = rename ? renameKey(yaml, [...to, rename[0]], rename[1]) : [];
    const more = [
      ...Object.entries(added ? keys : {}).map(([key, value]) => ` with ${key}: ${value}`),
      ...(removed ? [` and remove "${without}"`] : []),
      ...(renamed.length > 0 ? [` and "${rename?.join('" to "')}"`] : []),
    ];
    const edits = [replaceText(yaml, diagnostic.range, text), added, removed, ...renamed];
    return { title: `Change to "${text}"${more.join('')}`, edits, preferred: index === 0 };
  });
}

function replaceForeignKey(
  { path, keys, guessed }: FixData['instead'],
  { yaml }: FixContext,
): QuickFix {
  const [first, ...others] = Object.entries(keys);
  const edits = first ? replaceEntry(yaml, path, ...first) : [];
  const added = addKeys(yaml, path.slice(0, -1), Object.fromEntries(others));
  if (edits.length > 0 && others.length > 0 && added) edits.push(added);
  const terms = Object.entries(keys).map(([key, value]) => `${key}: ${writeInline(value)}`);
  return { title: `Change to ${terms.join(' and ')}`, edits, preferred: !guessed };
}

function makeItem(path: FixData['item'], { yaml }: FixContext): QuickFix {
  const moved = fragmentAt(yaml, path);
  const text = moved && `- ${indented(moved.text, STEP).trimStart()}`;
  const edits =
    text === undefined ? [] : replaceWith(yaml, path, { value: [moved?.value], text, below: true });
  return { title: 'Make it an item of a list', edits, preferred: true };
}

function rewrite({ title, range, text, guessed }: FixData['rewrite']): QuickFix {
  return { title, edits: [{ range, newText: text }], preferred: !guessed };
}

/** Matches an indent with a tab. */
const TAB_INDENT = /^ *\t[ \t]*/;

/** Possible numbers of columns per tab, most likely first. */
const TAB_WIDTHS = [2, 4, 8, 6, 3];

function indentWithSpaces(_: true, { yaml }: FixContext): QuickFix {
  return { title: 'Indent with spaces', edits: tabEdits(yaml), preferred: true };
}

/** Cached, because each line with a tab is a problem of its own. */
const tabEdits = memoize((yaml: YamlDocument): readonly TextEdit[] => {
  const lines = linesOf(yaml);
  const [best] = fewestProblems(yaml, TAB_WIDTHS, (width) =>
    lines.flatMap((text, line): TextEdit[] => {
      const indent = TAB_INDENT.exec(text)?.[0];
      if (indent === undefined) return [];
      const range = { start: { line, character: 0 }, end: { line, character: indent.length } };
      return [{ range, newText: indent.replaceAll('\t', ' '.repeat(width)) }];
    }),
  );
  return best?.edits ?? [];
});

/** Indents a line, with the lines below it if that causes fewer problems. */
function indent(columns: FixData['indent'], { yaml, diagnostic }: FixContext): QuickFix[] {
  const { line } = diagnostic.range.start;
  const lines = linesOf(yaml);
  const own = indentOf(lines[line]) ?? 0;
  const below = lines.findIndex(
    (text, index) => index > line && (indentOf(text) ?? own + 1) <= own,
  );
  const ways = columns.flatMap((column) =>
    [line + 1, below < 0 ? lines.length : below].map((end) => ({ column, end })),
  );
  const found = fewestProblems(yaml, ways, ({ column, end }) =>
    lines.slice(line, end).flatMap((text, index): TextEdit[] => {
      if (indentOf(text) === undefined) return [];
      const at = { line: line + index, character: 0 };
      return column > own
        ? [{ range: { start: at, end: at }, newText: ' '.repeat(column - own) }]
        : [{ range: { start: at, end: { ...at, character: own - column } }, newText: '' }];
    }),
  );
  return uniqueBy(found, ({ way }) => way.column).map(({ way, edits, count }) => ({
    title: `Indent by ${way.column} space${way.column === 1 ? '' : 's'}`,
    edits,
    preferred: count === 0,
  }));
}

function linesOf({ text }: YamlDocument): string[] {
  return text.split(/\r\n|\r|\n/);
}

/** Maximum length of a text that is read again for each way to fix it. */
const MAX_TRIED = 100_000;

/** Edits for different ways to fix a text, those with the fewest problems first. */
function fewestProblems<Way>(
  yaml: YamlDocument,
  ways: readonly Way[],
  editsFor: (way: Way) => TextEdit[],
) {
  const before = TextDocument.create('', '', 0, yaml.text);
  const tried = ways.map((way) => {
    const edits = editsFor(way);
    if (yaml.text.length > MAX_TRIED) return { way, edits, count: undefined };
    const { value, problems } = parseYaml(TextDocument.applyEdits(before, edits), yaml.path);
    const { leaves } = validate(evalFileSchema, value);
    return { way, edits, count: problems.length > 0 ? Number.POSITIVE_INFINITY : leaves.length };
  });
  return tried.sort((a, b) => (a.count ?? 0) - (b.count ?? 0));
}

function addMissingKey(
  { to, key, value: known }: FixData['add'],
  { yaml, suite, judges = [DEFAULT_MODEL] }: FixContext,
): QuickFix | QuickFix[] {
  const ids = (suite?.outline ?? []).flatMap(({ id }) => id ?? []);
  const value = known ?? placeholder(evalFileSchema, yaml.value, [...to, key], ids);
  const edits = replaceValue(yaml, [...to, key], value);
  if (edits.length > 0) return { title: `Add a value for "${key}"`, edits };
  const adding = (value: unknown) => [
    (to.length === 0 &&
      addTopLevel(yaml, key, { ...write(value), text: writeInline(value), below: false })) ||
      addKeys(yaml, to, { [key]: value }),
  ];
  if (key !== 'judge' || to.length > 0) return { title: `Add "${key}"`, edits: adding(value) };
  return judges
    .slice(0, MAX_JUDGES)
    .map((name) => ({ title: `Add "judge: ${name}"`, edits: adding(name) }));
}

function createFile({ path, kind }: FixData['create'], { uriOf }: FixContext): QuickFix {
  const edit = newFileEdit({ uri: uriOf(path), text: newFileText(kind, path) });
  return { title: `Create "${basename(path)}"`, edit };
}

function remove(path: FixData['remove'], { yaml }: FixContext): QuickFix {
  const last = path.at(-1);
  const what = typeof last === 'number' ? 'this entry' : `"${last}"`;
  return { title: `Remove ${what}`, edits: [removeEntry(yaml, path)] };
}

function removeDuplicate(_: true, { yaml, diagnostic: { range } }: FixContext): QuickFix {
  const start = yaml.offsetAt(range.start);
  const key = yaml.text.slice(start, yaml.offsetAt(range.end));
  return { title: `Remove the duplicate ${key}`, edits: [removeKeyAt(yaml, start)] };
}
