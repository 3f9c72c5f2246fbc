import type { CompletionItem } from 'vscode-languageserver-types';
import { mappingOf, valueAt } from '../../core/data/data.ts';
import type { Position } from '../../core/problem.ts';
import { frontMatterSchema, loadPrompt } from '../../evalfile/prompt.ts';
import type { Work } from '../../node/cooperative.ts';
import { readLeniently } from '../../yaml/documentValue.ts';
import type { IndexedFile } from '../ports.ts';
import type { SymbolPorts } from '../symbols/sameSymbol.ts';
import type { EvalSymbol } from '../symbols/symbolTable.ts';
import { type Cursor, cursorInText, variableIn } from './cursor.ts';
import { type Choice, fits, KINDS, valueItems } from './items.ts';
import { shortModels } from './symbolChoices.ts';
import { listed, schemaItems } from './values.ts';
import { promptVariables, variableItems } from './variables.ts';

/** What a prompt may know of the eval files that use it; what is absent is not offered. */
export interface PromptContext {
  readonly snippets?: boolean;
  readonly models?: readonly string[];
  /** Models of the editor, as `provider:model`. */
  readonly editorModels?: readonly string[];
  /** Keys of their cases' `context`. */
  readonly variables?: readonly string[];
  readonly labels?: readonly string[];
}

/** What can be written at a place of a judge prompt: in its front matter, and within `{{`. */
export function* promptCompletion(
  text: string,
  position: Position,
  context: PromptContext = {},
): Work<CompletionItem[]> {
  const lines = text.split('\n');
  const end = matterEnd(lines);
  if (end === undefined || position.line === 0 || position.line >= end) {
    const inMatter = end !== undefined && (position.line === 0 || position.line === end);
    return inMatter ? [] : yield* bodyItems(lines, end, position, context);
  }
  // The front matter alone, its lines where they are in the file.
  const matter = ['', ...lines.slice(1, end)].join('\n');
  const cursor = yield* cursorInText(matter, position);
  if (!cursor || cursor.style === 'block' || cursor.variable) return [];
  const { snippets = false } = context;
  if (cursor.onKey && cursor.path.slice(0, -1).join('.') === 'labels') {
    return valueItems(labelsAt(cursor, context), cursor, snippets);
  }
  return schemaItems(cursor, frontMatterSchema, snippets, namesAt(cursor, context));
}

/** The line that closes the front matter; if none does yet, all is front matter. */
function matterEnd(lines: readonly string[]): number | undefined {
  const isFence = (line = '') => /^\uFEFF?---[ \t]*\r?$/.test(line);
  if (!isFence(lines[0])) return undefined;
  const end = lines.findIndex((line, index) => index > 0 && isFence(line));
  return end < 0 ? lines.length : end;
}

function namesAt(cursor: Cursor, context: PromptContext): Choice[] {
  const [key, index] = cursor.path;
  const named = (names: readonly string[] = [], detail: string) =>
    names.map((label) => ({ label, kind: KINDS.reference, detail, rank: 4 }));
  if (key === 'model')
    return [...named(context.models, 'model'), ...shortModels({}, context.editorModels)];
  if (index === undefined) return [];
  const there = listed(cursor.root, [String(key)]);
  const free = (choices: Choice[]) => choices.filter(({ label }) => !there.includes(label));
  if (key === 'variables') return free(named(context.variables, 'context'));
  return [];
}

/** Labels of other prompts that this one does not have yet. */
function labelsAt({ root, typed }: Cursor, { labels = [] }: PromptContext): Choice[] {
  const there = Object.keys(mappingOf(valueAt(root, ['labels'])));
  return labels
    .filter((label) => !there.includes(label) && fits(label, typed))
    .map((label) => ({ label, kind: KINDS.reference, detail: 'label', rank: 4 }));
}

function* bodyItems(
  lines: readonly string[],
  end: number | undefined,
  position: Position,
  context: PromptContext,
): Work<CompletionItem[]> {
  const line = (lines[position.line] ?? '').replace(/\r$/, '');
  const variable = variableIn(line, position);
  if (!variable) return [];
  const matter = yield* readLeniently(lines.slice(1, end ?? 1).join('\n'));
  const names = new Set([...listed(matter, ['variables']), ...(context.variables ?? [])]);
  const keys = [...names].map((name) => ({ name, detail: "from the case's context" }));
  return variableItems(promptVariables(keys), variable, 'plain');
}

/**
 * What can be named in a judge prompt: the models of the suites that use it, the keys of the context of
 * the cases that it judges, the labels of the other prompts of these suites.
 *
 * @param path of the prompt, absolute
 */
export async function promptContext(
  path: string,
  { documents, readText }: Pick<SymbolPorts, 'documents' | 'readText'>,
): Promise<Required<Omit<PromptContext, 'snippets' | 'editorModels'>>> {
  const uses = documents.flatMap((document) =>
    symbolsIn(document, 'prompt', path).map(({ scope }) => ({ document, scope })),
  );
  const suites = documents.filter((suite) => uses.some(({ document }) => holds(suite, document)));
  const files = documents.filter((file) => suites.some((suite) => holds(suite, file)));
  const variables = uses.flatMap(({ document, scope }) => {
    if (scope.startsWith('cases/')) return declared(document, 'variable', scope);
    // Under `defaults` it judges every case.
    const cases = documents.filter((file) => holds(document, file));
    return cases.flatMap((file) => declared(file, 'variable'));
  });
  const prompts = files.flatMap((file) => symbolsIn(file, 'prompt').map(({ name }) => name));
  const others = [...new Set(prompts)].filter((one) => one !== path);
  const labels = await Promise.all(others.map(async (one) => labelsOf(await readText(one), one)));
  return {
    models: unique(suites.flatMap((suite) => declared(suite, 'model'))),
    variables: unique(variables),
    labels: unique(labels.flat()),
  };
}

/** Whether a file is part of a suite. */
function holds({ path, suite }: IndexedFile, file: IndexedFile): boolean {
  return path === file.path || suite.dependencies.includes(file.path);
}

function symbolsIn(
  { symbols }: IndexedFile,
  kind: EvalSymbol['kind'],
  name?: string,
): EvalSymbol[] {
  return symbols.symbols.filter(
    (one) => one.kind === kind && (name === undefined || one.name === name),
  );
}

function declared(document: IndexedFile, kind: EvalSymbol['kind'], scope?: string): string[] {
  return symbolsIn(document, kind)
    .filter((one) => one.declarations.length > 0 && (scope === undefined || one.scope === scope))
    .map(({ name }) => name);
}

function labelsOf(text: string | undefined, path: string): string[] {
  if (text === undefined) return [];
  const { labels } = mappingOf(loadPrompt(text, path).document.value);
  return Object.keys(mappingOf(labels));
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
