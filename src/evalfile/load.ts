import { typeOf } from '../assertions/registry.ts';
import { contextKey } from '../assertions/shared/promptVariables.ts';
import { addTo, freeNames, isMapping, mappingOf, type Path, valueAt } from '../core/data/data.ts';
import { LIMITS, readable } from '../core/limits.ts';
import { errorAt, type Problem, START } from '../core/problem.ts';
import type { Assertion, SuiteCase } from '../core/suite.ts';
import { templateVariables } from '../core/text/template.ts';
import { keyVariablesOf } from '../models/registry.ts';
import { runCooperatively, stepsOf } from '../node/cooperative.ts';
import { sha256 } from '../node/hashes.ts';
import { evalName } from '../node/paths.ts';
import { mentionsIn } from '../schema/mentions.ts';
import { readYaml, type YamlDocument } from '../yaml/yamlDocument.ts';
import { caseCache, memoizeFiles } from './case/caseCache.ts';
import { type CaseSource, collectCases } from './case/caseSources.ts';
import { checkValue } from './checkValue.ts';
import { FileError, type Files } from './files.ts';
import type { LoadedSuite, LoadOptions } from './loadedSuite.ts';
import { type LoadedPrompt, promptReader } from './prompt.ts';
import { evalFileSchema, fileKeys } from './schema.ts';
import { Reporter, report, type Scope, topLevelAt, within } from './scope.ts';

/**
 * Reads an eval file and everything that it refers to. Invalid content never throws: it becomes a problem with a
 * location, and unaffected cases can still run.
 *
 * @param path absolute
 */
export async function loadSuite(
  path: string,
  files: Files,
  options: LoadOptions,
): Promise<LoadedSuite> {
  try {
    const text = await files.read(path, LIMITS.evalFile);
    const document = await runCooperatively(readYaml(text, path), stepsOf(options.signal));
    return await loadDocument(document, files, options);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const problem = errorAt(path, START, `file-${error.reason}`, error.message);
    return { path, problems: [problem], outline: [], dependencies: [] };
  }
}

/**
 * Like `loadSuite`, for parsed text.
 *
 * @param before the suite loaded from the previous version; its unchanged cases are reused
 */
export async function loadDocument(
  document: YamlDocument,
  files: Files,
  options: LoadOptions,
  before?: LoadedSuite,
): Promise<LoadedSuite> {
  const reporter = new Reporter();
  // Reusing cases is quick, and must finish before the next keystroke.
  const step = before ? async () => {} : stepsOf(options.signal);
  const scope: Scope = {
    options,
    step,
    files: memoizeFiles(files),
    uncachedFiles: files,
    reporter,
    ...readKeys(document, reporter),
    room: { left: LIMITS.filledSuite, isExceeded: false },
    matrices: { left: LIMITS.combinations },
    dependencies: new Set(),
    loadPrompt: promptReader(),
  };
  const sources = await collectCases(scope);
  if (sources.length === 0 && reporter.all().length === 0) {
    const message = 'The file has no cases. Add `cases:` with at least one case.';
    const fix = { add: { to: [], key: 'cases' } };
    report('no-cases', message, topLevelAt({ scope }), { range: START, fix });
  }
  reportDuplicateIds(sources);
  // Each case gets its own copy of each default assertion.
  const copies = sources.length * entriesIn(scope.file.defaults?.assert);
  if (copies > LIMITS.assertions) {
    const message = `With \`defaults.assert\`, the cases have about ${readable(copies)} assertions; the limit is ${readable(LIMITS.assertions)}. Split the suite.`;
    report('too-many-assertions', message, topLevelAt({ scope }, 'defaults', 'assert'));
  }
  const wanted = copies > LIMITS.assertions ? [] : sources;
  const built: (SuiteCase | undefined)[] = [];
  const cache = caseCache(scope, before);
  for (const source of wanted) {
    await step();
    built.push(await cache.caseOf(source));
  }
  await step();
  for (const problem of unusedNames(sources, built, cache.prompts(), scope)) reporter.add(problem);
  await step();
  const outline = cache.outline();
  await step();
  const cases = built.filter(
    (one, index): one is SuiteCase => one !== undefined && outline[index]?.errors.length === 0,
  );
  const { name, description } = scope.file;
  const loaded: LoadedSuite = {
    path: document.path,
    problems: reporter.all(),
    outline,
    dependencies: [...scope.dependencies],
    ...(cases.length > 0 && {
      suite: {
        path: document.path,
        name: name ?? evalName(document.path),
        hash: sha256(document.text),
        workspace: options.workspace,
        keyVariables: Object.values(mappingOf(scope.file.models)).flatMap(keyVariablesOf),
        cases,
        ...(description !== undefined && { description }),
      },
    }),
  };
  cache.keepFor(loaded);
  return loaded;
}

type FileKeys = Pick<Scope, 'document' | 'file' | 'invalidKeys'>;

/** The valid top-level keys. The others are reported. */
function readKeys(document: YamlDocument, reporter: Reporter): FileKeys {
  reporter.addSyntax(document);
  const none: FileKeys = { document, file: {}, invalidKeys: new Set() };
  const { value } = document;
  if (value === undefined || value === null) {
    if (document.problems.length === 0) {
      const message = 'The file is empty. Start with `name:` and `cases:`.';
      reporter.add(errorAt(document.path, START, 'empty-file', message));
    }
    return none;
  }
  if (!isMapping(value)) {
    const message = 'An eval file must be a mapping with `cases:`.';
    reporter.add(errorAt(document.path, document.rangeOf([]), 'wrong-type', message));
    return none;
  }
  const read = checkValue(fileKeys, value, document);
  for (const problem of read.problems) reporter.add(problem);
  const invalidKeys = new Set(read.invalidPaths.map(([key]) => String(key)));
  const sound = Object.entries(mappingOf(read.value)).filter(
    ([key, given]) => given !== undefined && key in fileKeys.shape && !invalidKeys.has(key),
  );
  return { document: read.document, file: Object.fromEntries(sound), invalidKeys };
}

function reportDuplicateIds(sources: readonly CaseSource[]): void {
  const seen = new Set<unknown>();
  const ids = new Set(sources.map(({ raw }) => valueAt(raw, ['id'])));
  const freeId = freeNames(ids, (id, number) => `${id}-${number}`);
  for (const { raw, location } of sources) {
    const id = valueAt(raw, ['id']);
    if (typeof id !== 'string') continue;
    if (seen.has(id)) {
      const message = `Another case in this suite has the id "${id}". Give this one a different id.`;
      const fix = { replacement: freeId(id) };
      report('duplicate-id', message, within(location, 'id'), fix);
    }
    seen.add(id);
  }
}

/** Number of items in all lists in a value. */
export function entriesIn(value: unknown): number {
  const inside = Object.values(Object(value)).filter((one) => typeof one === 'object');
  return inside.reduce<number>(
    (sum, one) => sum + entriesIn(one),
    Array.isArray(value) ? value.length : 0,
  );
}

/** Names that nothing in the suite refers to. Empty if the suite has errors, such as a misspelled reference. */
function unusedNames(
  sources: readonly CaseSource[],
  cases: readonly (SuiteCase | undefined)[],
  prompts: readonly LoadedPrompt[],
  { document, file, options, reporter }: Scope,
): Problem[] {
  if (reporter.hasErrors()) return [];
  const outside = [options.defaultJudge, options.judgeOverride?.judge, options.target];
  const files = new Set([document, ...sources.map(({ location }) => location.document)]);
  const used = new Map([...files].map((one) => [one, usedIn(one)]));
  const referred = new Set([
    ...[...used.values()].flatMap(({ names }) => [...names]),
    ...prompts.flatMap(({ model }) => (model === undefined ? [] : [model])),
    ...outside.filter((one) => one !== undefined),
  ]);
  const unused = (['model', 'target'] as const).flatMap((kind) =>
    Object.keys(file[`${kind}s`] ?? {})
      .filter((name) => !referred.has(name))
      .map((name) => problemAt(document, [`${kind}s`, name], kind)),
  );
  const needed = prompts.flatMap(({ needs }) => needs);
  const byDefault = used.get(document)?.variables.get('defaults') ?? [];
  for (const [index, { raw, location }] of sources.entries()) {
    const suiteCase = cases[index];
    // A target receives the whole context.
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
  const message = `The ${what} "${path.at(-1)}" is never used.`;
  return {
    ...errorAt(document.path, document.keyRangeOf(path), 'unused-name', message),
    severity: 'warning',
    unnecessary: true,
    fix: { remove: path },
  };
}

function readsContext(assertion: Assertion): boolean {
  const { readsContext: reads = false } = typeOf(assertion);
  return reads || (assertion.nested ?? []).some((one) => readsContext(one.assertion));
}

/** The models and targets that a file uses, and the keys in `context` for each case and for `defaults`. */
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
