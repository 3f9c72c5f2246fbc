import { typeOf } from '../assertions/registry.ts';
import { contextKey } from '../assertions/shared/promptVariables.ts';
import { addTo, mappingOf, type Path } from '../core/data/data.ts';
import type { Problem } from '../core/problem.ts';
import type { Assertion, SuiteCase } from '../core/suite.ts';
import { templateVariables } from '../core/text/template.ts';
import { mentionsIn } from '../schema/mentions.ts';
import type { YamlDocument } from '../yaml/yamlDocument.ts';
import type { CaseSource } from './case/caseSources.ts';
import type { LoadedPrompt } from './prompt.ts';
import { evalFileSchema } from './schema.ts';
import type { Scope } from './scope.ts';

/**
 * Names that nothing in the suite refers to. Only of a suite without errors: a name that is misspelt
 * where it is used is not unused.
 */
export function unusedNames(
  sources: readonly CaseSource[],
  cases: readonly (SuiteCase | undefined)[],
  prompts: readonly LoadedPrompt[],
  { document, file, options, reporter }: Scope,
): Problem[] {
  if (reporter.hasErrors()) return [];
  const outside = [options.defaultJudge, options.judgeOverride?.judge];
  const files = new Set([document, ...sources.map(({ location }) => location.document)]);
  const used = new Map([...files].map((one) => [one, usedIn(one)]));
  const referred = new Set([
    ...[...used.values()].flatMap(({ names }) => [...names]),
    ...prompts.flatMap(({ model }) => (model === undefined ? [] : [model])),
    ...outside.filter((one) => one !== undefined),
  ]);
  const declared = [
    ...Object.keys(file.models ?? {}).map((name) => ['models', 'model', name] as const),
    ...Object.keys(file.targets ?? {}).map((name) => ['targets', 'target', name] as const),
  ].filter(([, , name]) => !referred.has(name));
  const unused = declared.map(([list, what, name]) => problemAt(document, [list, name], what));
  const needed = prompts.flatMap(({ needs }) => needs);
  const byDefault = used.get(document)?.variables.get('defaults') ?? [];
  for (const [index, { raw, location }] of sources.entries()) {
    const suiteCase = cases[index];
    // A target is given the whole context.
    if (suiteCase?.origin.kind !== 'transcript' || suiteCase.assertions.some(readsContext))
      continue;
    const own = used.get(location.document)?.variables.get(location.path.join('/')) ?? [];
    const known = new Set([...own, ...byDefault, ...needed]);
    const { context, matrix } = mappingOf(raw);
    for (const [key, given] of Object.entries({ context, matrix })) {
      for (const name of Object.keys(mappingOf(given))) {
        if (known.has(name)) continue;
        const path = [...location.path, key, name];
        unused.push(problemAt(location.document, path, `key of \`${key}\``));
      }
    }
  }
  return unused;
}

function problemAt(document: YamlDocument, path: Path, what: string): Problem {
  return {
    code: 'unused-name',
    message: `The ${what} "${path.at(-1)}" is never used.`,
    severity: 'warning',
    path: document.path,
    range: document.keyRangeOf(path),
    unnecessary: true,
    fix: { remove: path },
  };
}

function readsContext(assertion: Assertion): boolean {
  const { readsContext: reads = false } = typeOf(assertion);
  return reads || (assertion.nested ?? []).some((one) => readsContext(one.assertion));
}

/** Names of models and targets, and of keys of `context` by the case or `defaults`. */
function usedIn({ value }: YamlDocument) {
  const { names, templates } = mentionsIn(evalFileSchema, value);
  const referred = names.filter(
    ({ kind, role }) => role === 'reference' && (kind === 'model' || kind === 'target'),
  );
  const variables = new Map<string, string[]>();
  for (const { kind, text, scope } of templates) {
    if (kind === 'env' || kind === 'request') continue;
    for (const { name } of templateVariables(text)) {
      addTo(variables, scope, kind === 'judge' ? (contextKey(name) ?? name) : name);
    }
  }
  return { names: new Set(referred.map(({ text }) => text)), variables };
}
