import { basename } from 'node:path';
import type { CodeAction, Diagnostic, TextEdit, WorkspaceEdit } from 'vscode-languageserver-types';
import type { Fix } from '../../core/problem.ts';
import type { LoadedSuite } from '../../evalfile/loadedSuite.ts';
import { evalFileSchema } from '../../evalfile/schema.ts';
import {
  addKeys,
  edit,
  removeEntry,
  removeKeyAt,
  replaceEntry,
  replaceText,
} from '../../yaml/edits.ts';
import { quoted, writeInline } from '../../yaml/quoting.ts';
import type { YamlDocument } from '../../yaml/yamlDocument.ts';
import type { DiagnosticData } from '../features/diagnostics.ts';
import { editsIn, newFileEdit, quickFix } from './actions.ts';
import { newFileText, placeholder } from './placeholder.ts';

interface DocumentContext {
  readonly uri: string;
  readonly yaml: YamlDocument;
  /** Absent if the file isn't an eval file. */
  readonly suite?: LoadedSuite;
  uriOf(path: string): string;
}

/** Data for a fix, from the problem's code and its `Fix`. */
interface FixData
  extends Required<Pick<Fix, 'instead' | 'quote' | 'blank' | 'add' | 'create' | 'remove'>> {
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
  quote: addQuotes,
  blank: insertSpace,
  add: addMissingKey,
  create: createFile,
  remove,
  'duplicate-key': removeDuplicate,
};

export const ALL_FIXES = Object.keys(FIXES) as readonly FixName[];

/** Fixes for the front matter of a judge prompt. */
export const PROMPT_FIXES: readonly FixName[] = ['instead'];

/** Fixes that need only a file's text, so that they also work in judge prompts and transcripts. */
export const TEXT_FIXES: readonly FixName[] = ['replacement', 'tab-indent', 'quote', 'blank'];

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
    const added = beside && index === 0 ? addKeys(yaml, beside.to, beside.keys) : undefined;
    const keys = Object.entries((added && beside?.keys) ?? {});
    const more = keys.map(([key, value]) => ` with ${key}: ${value}`).join('');
    const edits = [replaceText(yaml, diagnostic.range, text), added];
    return { title: `Change to "${text}"${more}`, edits, preferred: index === 0 };
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

function indentWithSpaces(_: true, { yaml }: FixContext): QuickFix {
  const edits = yaml.text.split(/\r\n|\r|\n/).flatMap((text, line): TextEdit[] => {
    const indent = /^ *\t[ \t]*/.exec(text)?.[0];
    if (indent === undefined) return [];
    const range = { start: { line, character: 0 }, end: { line, character: indent.length } };
    return [{ range, newText: indent.replaceAll('\t', '  ') }];
  });
  return { title: 'Indent with spaces', edits, preferred: true };
}

function addQuotes({ start, end }: FixData['quote'], { yaml }: FixContext): QuickFix {
  const [from, to] = [yaml.offsetAt(start), yaml.offsetAt(end)];
  const edits = [edit(yaml, from, to, quoted(yaml.text.slice(from, to)))];
  return { title: 'Put in quotes', edits, preferred: true };
}

function insertSpace(at: FixData['blank']): QuickFix {
  const edits = [{ range: { start: at, end: at }, newText: ' ' }];
  return { title: 'Insert the missing space', edits, preferred: true };
}

function addMissingKey(
  { to, key, value: known }: FixData['add'],
  { yaml, suite }: FixContext,
): QuickFix {
  const ids = (suite?.outline ?? []).flatMap(({ id }) => id ?? []);
  const value = known ?? placeholder(evalFileSchema, yaml.value, [...to, key], ids);
  return { title: `Add "${key}"`, edits: [addKeys(yaml, to, { [key]: value })] };
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
