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
import { type Choice, KINDS, matches, valueItems } from './items.ts';
import { schemaItems, textsAt } from './schemaItems.ts';
import { shortModels } from './symbolChoices.ts';
import { promptVariables, variableItems } from './variables.ts';

/** Names from the eval files that use a prompt. Names that are absent aren't offered. */
export interface PromptContext {
  readonly snippets?: boolean;
  readonly models?: readonly string[];
  /** The editor's models, as `provider:model`. */
  readonly editorModels?: readonly string[];
  /** Keys in their cases' `context`. */
  readonly variables?: readonly string[];
  /** Labels in their other prompts. */
  readonly labels?: readonly string[];
}

/** Completes the front matter of a judge prompt, and variables within `{{`. */
export function* promptCompletion(
  text: string,
  position: Position,
  context: PromptContext = {},
): Work<CompletionItem[]> {
  const lines = text.split('\n');
  const end = matterEnd(lines);
  const { line } = position;
  if (end === undefined || line > end) return yield* bodyItems(lines, end, position, context);
  if (line === 0 || line === end) return [];
  // Contains only the front matter, with the same line numbers as in the file.
  const matter = ['', ...lines.slice(1, end)].join('\n');
  const cursor = yield* cursorInText(matter, position);
  if (!cursor || cursor.style === 'block' || cursor.variable) return [];
  const { snippets = false } = context;
  if (cursor.onKey && cursor.path.length === 2 && cursor.path[0] === 'labels') {
    return valueItems(labelsAt(cursor, context), cursor, snippets);
  }
  return schemaItems(cursor, frontMatterSchema, snippets, namesAt(cursor, context));
}

/** Number of the line that closes the front matter, or of the end of the file if the front matter isn't closed yet. */
function matterEnd(lines: readonly string[]): number | undefined {
  const isFence = (line = '') => /^\uFEFF?---[ \t]*\r?$/.test(line);
  if (!isFence(lines[0])) return undefined;
  const end = lines.findIndex((line, index) => index > 0 && isFence(line));
  return end < 0 ? lines.length : end;
}

function namesAt({ root, path }: Cursor, context: PromptContext): Choice[] {
  const { models = [], variables = [], editorModels } = context;
  const [key, index] = path;
  if (key === 'model') return [...named(models, 'model'), ...shortModels({}, editorModels)];
  if (key !== 'variables' || index === undefined) return [];
  const there = textsAt(root, ['variables']);
  const free = variables.filter((name) => !there.includes(name));
  return named(free, 'context');
}

/** Labels in other prompts that aren't in this one. */
function labelsAt({ root, typed }: Cursor, { labels = [] }: PromptContext): Choice[] {
  const there = Object.keys(mappingOf(valueAt(root, ['labels'])));
  const free = labels.filter((label) => !there.includes(label) && matches(label, typed));
  return named(free, 'label');
}

function named(names: readonly string[], detail: string): Choice[] {
  return names.map((label) => ({ label, kind: KINDS.reference, detail, rank: 4 }));
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
  const names = new Set([...textsAt(matter, ['variables']), ...(context.variables ?? [])]);
  const keys = [...names].map((name) => ({ name, detail: "from the case's context" }));
  return variableItems(promptVariables(keys), variable, 'plain');
}

/** @param path absolute path of the prompt */
export async function promptContext(
  path: string,
  { documents, readText }: Pick<SymbolPorts, 'documents' | 'readText'>,
): Promise<Required<Omit<PromptContext, 'snippets' | 'editorModels'>>> {
  const uses = documents.flatMap((document) =>
    symbolsIn(document, 'prompt', path).map(({ scope }) => ({ document, scope })),
  );
  const suites = documents.filter((suite) =>
    uses.some(({ document }) => isPartOf(suite, document)),
  );
  const files = documents.filter((file) => suites.some((suite) => isPartOf(suite, file)));
  const variables = uses.flatMap(({ document, scope }) => {
    if (scope.startsWith('cases/')) return declared(document, 'variable', scope);
    // Under `defaults`, the prompt judges all cases.
    const cases = documents.filter((file) => isPartOf(document, file));
    return cases.flatMap((file) => declared(file, 'variable'));
  });
  const prompts = files.flatMap((file) => symbolsIn(file, 'prompt').map(({ name }) => name));
  const others = [...new Set(prompts)].filter((one) => one !== path);
  const labels = await Promise.all(others.map(async (one) => labelsOf(await readText(one), one)));
  return {
    models: [...new Set(suites.flatMap((suite) => declared(suite, 'model')))],
    variables: [...new Set(variables)],
    labels: [...new Set(labels.flat())],
  };
}

function isPartOf({ path, suite }: IndexedFile, file: IndexedFile): boolean {
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
