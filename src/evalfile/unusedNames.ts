import { typeOf } from '../assertions/registry.ts';
import type { Path } from '../core/data.ts';
import type { Problem } from '../core/problem.ts';
import type { Assertion, SuiteCase } from '../core/suite.ts';
import { templateVariables } from '../core/template.ts';
import type { YamlDocument } from '../yaml/yamlDocument.ts';
import type { CaseSource } from './case/caseSources.ts';
import type { Scope } from './scope.ts';

/** Keys under which the name of a model or a target stands. */
const REFERENCES = ['judge', 'model', 'target'];

/**
 * Names that nothing in the suite refers to. Only of a suite without errors: a name that is misspelt
 * where it is used is not unused.
 */
export async function unusedNames(
  sources: readonly CaseSource[],
  cases: readonly (SuiteCase | undefined)[],
  scope: Scope,
): Promise<Problem[]> {
  const { document, file, options, prompts, reporter } = scope;
  if (reporter.hasErrors) return [];
  const read = await Promise.all(prompts.values());
  const loaded = read.filter((one) => 'needs' in one);
  const outside = [options.defaultJudge, options.judgeOverride?.judge];
  const referred = new Set([
    ...[document, ...sources.map(({ spot }) => spot.document)].flatMap((one, index, all) =>
      all.indexOf(one) === index ? referencesIn(one.value) : [],
    ),
    ...loaded.flatMap(({ model }) => (model === undefined ? [] : [model])),
    ...outside.filter((one) => one !== undefined),
  ]);
  const unused: Problem[] = [];
  for (const [list, what] of [
    ['models', 'model'],
    ['targets', 'target'],
  ] as const) {
    for (const name of Object.keys(file[list] ?? {})) {
      if (!referred.has(name)) unused.push(problemAt(document, [list, name], what, name));
    }
  }
  const needed = new Set(loaded.flatMap(({ needs }) => needs));
  const byDefault = variablesIn(file.defaults?.assert);
  for (const [index, { raw, spot }] of sources.entries()) {
    const suiteCase = cases[index];
    // A target is given the whole context.
    if (suiteCase?.origin.kind !== 'transcript' || suiteCase.assertions.some(readsContext))
      continue;
    const said = new Set([...variablesIn(raw), ...byDefault]);
    for (const name of Object.keys(suiteCase.context)) {
      if (said.has(name) || said.has(`context.${name}`) || needed.has(name)) continue;
      const path = [...spot.path, 'context', name];
      unused.push(problemAt(spot.document, path, 'key of `context`', name));
    }
  }
  return unused;
}

function problemAt(document: YamlDocument, path: Path, what: string, name: string): Problem {
  return {
    code: 'unused-name',
    message: `Nothing uses the ${what} "${name}".`,
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

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'string' ? (REFERENCES.includes(key) ? [inner] : []) : referencesIn(inner),
  );
}

function variablesIn(value: unknown): string[] {
  if (typeof value === 'string') return templateVariables(value).map(({ name }) => name);
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(variablesIn);
}
