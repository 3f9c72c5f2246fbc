import { valueAt } from '../core/data.ts';
import { loadPrompt } from '../evalfile/prompt.ts';
import type { PromptContext } from './features/promptCompletion.ts';
import type { Name, NameKind } from './name.ts';
import { namesOf } from './names.ts';
import type { EvalDocument } from './ports.ts';
import type { NamePorts } from './sameName.ts';

/**
 * What can be named in a judge prompt: the models of the suites that use it, the keys of the context of
 * the cases that it judges, the labels of the other prompts of these suites.
 *
 * @param path of the prompt, absolute
 */
export async function promptContext(
  path: string,
  { documents, readText }: Pick<NamePorts, 'documents' | 'readText'>,
): Promise<Required<Omit<PromptContext, 'snippets'>>> {
  const uses = documents.flatMap((document) =>
    namesIn(document, 'prompt', path).map(({ scope }) => ({ document, scope })),
  );
  const suites = documents.filter((suite) => uses.some(({ document }) => holds(suite, document)));
  const files = documents.filter((file) => suites.some((suite) => holds(suite, file)));
  const variables = uses.flatMap(({ document, scope }) => {
    if (scope.startsWith('cases/')) return declared(document, 'variable', scope);
    // Under `defaults` it judges every case.
    const cases = documents.filter((file) => holds(document, file));
    return cases.flatMap((file) => declared(file, 'variable'));
  });
  const prompts = files.flatMap((file) => namesIn(file, 'prompt').map(({ name }) => name));
  const others = [...new Set(prompts)].filter((one) => one !== path);
  const labels = await Promise.all(others.map(async (one) => labelsOf(await readText(one), one)));
  return {
    models: unique(suites.flatMap((suite) => declared(suite, 'model'))),
    variables: unique(variables),
    labels: unique(labels.flat()),
  };
}

/** Whether a file is part of a suite. */
function holds({ yaml, suite }: EvalDocument, file: EvalDocument): boolean {
  return yaml.path === file.yaml.path || suite.dependencies.includes(file.yaml.path);
}

function namesIn({ yaml }: EvalDocument, kind: NameKind, name?: string): Name[] {
  return namesOf(yaml).names.filter(
    (one) => one.kind === kind && (name === undefined || one.name === name),
  );
}

function declared(document: EvalDocument, kind: NameKind, scope?: string): string[] {
  return namesIn(document, kind)
    .filter((one) => one.declarations.length > 0 && (scope === undefined || one.scope === scope))
    .map(({ name }) => name);
}

function labelsOf(text: string | undefined, path: string): string[] {
  if (text === undefined) return [];
  const labels = valueAt(loadPrompt(text, path).document.value, ['labels']);
  return Array.isArray(labels) ? labels.filter((label) => typeof label === 'string') : [];
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
