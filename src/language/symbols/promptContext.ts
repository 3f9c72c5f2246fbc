import { mappingOf } from '../../core/data/data.ts';
import { loadPrompt } from '../../evalfile/prompt.ts';
import type { PromptContext } from '../completion/promptCompletion.ts';
import type { IndexedFile } from '../ports.ts';
import type { SymbolPorts } from './sameSymbol.ts';
import type { EvalSymbol } from './symbol.ts';

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
