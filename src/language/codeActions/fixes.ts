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

export interface DocumentContext {
  readonly uri: string;
  readonly yaml: YamlDocument;
  /** Absent in a file that is no eval file. */
  readonly suite?: LoadedSuite;
  uriOf(path: string): string;
}

/** What is known of a problem: its code, and what its rule knows of the fix. */
interface FixFacts
  extends Required<Pick<Fix, 'instead' | 'quote' | 'blank' | 'add' | 'create' | 'remove'>> {
  readonly replacement: string;
  readonly 'tab-indent': true;
  readonly 'duplicate-key': true;
}

type FixName = keyof FixFacts;

interface Mended {
  readonly title: string;
  readonly edits?: readonly TextEdit[];
  readonly edit?: WorkspaceEdit;
  /** Safe to apply without a look. */
  readonly preferred?: boolean;
}

interface FixContext extends DocumentContext {
  readonly diagnostic: Diagnostic;
}

/** The fix for each of these facts; without edits there is none. */
const FIXES: {
  readonly [Name in FixName]: (facts: FixFacts[Name], context: FixContext) => Mended | Mended[];
} = {
  replacement: didYouMean,
  instead: sayOurWay,
  'tab-indent': indentWithSpaces,
  quote: putInQuotes,
  blank: insertBlank,
  add: addMissingKey,
  create: createFile,
  remove,
  'duplicate-key': removeSecond,
};

export const ALL_FIXES = Object.keys(FIXES) as readonly FixName[];

/** Those in the front matter of a judge prompt, if nothing else is YAML. */
export const PROMPT_FIXES: readonly FixName[] = ['instead'];

/** Those that need the text alone, be it a judge prompt or a transcript. */
export const TEXT_FIXES: readonly FixName[] = ['replacement', 'tab-indent', 'quote', 'blank'];

/** @param diagnostics those of others are passed over */
export function fixesOf(
  diagnostics: readonly Diagnostic[],
  names: readonly FixName[],
  context: DocumentContext,
): CodeAction[] {
  return diagnostics.flatMap((diagnostic) => {
    if (diagnostic.source !== 'turnlight') return [];
    const { replacement, fix } = dataOf(diagnostic);
    const known: Partial<FixFacts> = {
      ...fix,
      ...(replacement !== undefined && { replacement }),
      [String(diagnostic.code)]: true,
    };
    const mended = <Name extends FixName>(name: Name) => {
      const facts = known[name];
      return facts === undefined ? [] : FIXES[name](facts, { ...context, diagnostic });
    };
    return names.flatMap(mended).flatMap(({ title, edits = [], edit, preferred }) => {
      if (!edit && edits.length === 0) return [];
      return [quickFix(title, diagnostic, edit ?? editsIn(context.uri, edits), preferred)];
    });
  });
}

function dataOf({ data }: Diagnostic): DiagnosticData {
  return Object(data);
}

/** The one most likely meant first, then the others that are near. */
function didYouMean(first: string, { yaml, diagnostic }: FixContext): Mended[] {
  const { alternatives = [], beside } = dataOf(diagnostic).fix ?? {};
  return [first, ...alternatives].map((text, index) => {
    const edits: TextEdit[] = [replaceText(yaml, diagnostic.range, text)];
    const added = beside && index === 0 && addKeys(yaml, beside.to, beside.keys);
    if (added) edits.push(added);
    const more = Object.entries((added && beside?.keys) ?? {}).map(
      ([key, value]) => ` with ${key}: ${value}`,
    );
    return { title: `Change to "${text}"${more.join('')}`, edits, preferred: index === 0 };
  });
}

/** Replaces an entry in other terms than ours with those that say the same here. */
function sayOurWay({ path, keys, guessed }: FixFacts['instead'], { yaml }: FixContext): Mended {
  const [first, ...others] = Object.entries(keys);
  const edits = first ? replaceEntry(yaml, path, ...first) : [];
  const added = addKeys(yaml, path.slice(0, -1), Object.fromEntries(others));
  if (edits.length > 0 && others.length > 0 && added) edits.push(added);
  const terms = Object.entries(keys).map(([key, value]) => `${key}: ${writeInline(value)}`);
  return { title: `Change to ${terms.join(' and ')}`, edits, preferred: !guessed };
}

const TAB_INDENT = /^ *\t[ \t]*/;

/** Every line of a file whose indent holds a tab, two spaces for each. */
function indentWithSpaces(_: true, { yaml }: FixContext): Mended {
  const edits = yaml.text.split(/\r\n|\r|\n/).flatMap((text, line): TextEdit[] => {
    const indent = TAB_INDENT.exec(text)?.[0];
    if (indent === undefined) return [];
    const range = { start: { line, character: 0 }, end: { line, character: indent.length } };
    return [{ range, newText: indent.replaceAll('\t', '  ') }];
  });
  return { title: 'Indent with spaces', edits, preferred: true };
}

/** Puts words in quotes that YAML reads as something else than a text. */
function putInQuotes({ start, end }: FixFacts['quote'], { yaml }: FixContext): Mended {
  const [from, to] = [yaml.offsetAt(start), yaml.offsetAt(end)];
  const edits = [edit(yaml, from, to, quoted(yaml.text.slice(from, to)))];
  return { title: 'Put in quotes', edits, preferred: true };
}

function insertBlank(at: FixFacts['blank']): Mended {
  const edits = [{ range: { start: at, end: at }, newText: ' ' }];
  return { title: 'Insert the missing blank', edits, preferred: true };
}

/** Adds the key that a mapping lacks, with a value to begin from. */
function addMissingKey(
  { to, key, value: known }: FixFacts['add'],
  { yaml, suite }: FixContext,
): Mended {
  const ids = (suite?.outline ?? []).flatMap(({ id }) => id ?? []);
  const value = known ?? placeholder(evalFileSchema, yaml.value, [...to, key], ids);
  return { title: `Add "${key}"`, edits: listOf(addKeys(yaml, to, { [key]: value })) };
}

/** Creates the file that a reference names, with a text to begin from that is valid. */
function createFile({ path, kind }: FixFacts['create'], { uriOf }: FixContext): Mended {
  const edit = newFileEdit({ uri: uriOf(path), text: newFileText(kind, path) });
  return { title: `Create "${basename(path)}"`, edit };
}

/** Takes out a key that is unknown or has no effect, or a name that nothing uses. */
function remove(path: FixFacts['remove'], { yaml }: FixContext): Mended {
  const last = path.at(-1);
  const what = typeof last === 'number' ? 'this entry' : `"${last}"`;
  return { title: `Remove ${what}`, edits: listOf(removeEntry(yaml, path)) };
}

/** Of two keys of a name the one that is reported; the editor shows both. */
function removeSecond(_: true, { yaml, diagnostic: { range } }: FixContext): Mended {
  const start = yaml.offsetAt(range.start);
  const key = yaml.text.slice(start, yaml.offsetAt(range.end));
  return { title: `Remove the duplicate ${key}`, edits: listOf(removeKeyAt(yaml, start)) };
}

function listOf(edit: TextEdit | undefined): TextEdit[] {
  return edit ? [edit] : [];
}
