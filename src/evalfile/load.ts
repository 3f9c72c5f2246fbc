import { freeNames, isMapping, mappingOf, valueAt } from '../core/data/data.ts';
import { LIMITS } from '../core/limits.ts';
import { START } from '../core/problem.ts';
import type { SuiteCase } from '../core/suite.ts';
import { keyVariablesOf } from '../models/registry.ts';
import { inSteps, stepsOf } from '../node/cooperative.ts';
import { sha256 } from '../node/hashes.ts';
import { evalName } from '../node/paths.ts';
import { parseYaml, readYaml, type YamlDocument } from '../yaml/yamlDocument.ts';
import { caseCache } from './case/caseCache.ts';
import { type CaseSource, collectCases } from './case/caseSources.ts';
import { askedOnce } from './case/looks.ts';
import { checked } from './checked.ts';
import { FileError, type Files } from './files.ts';
import type { LoadedSuite, LoadOptions } from './loadedSuite.ts';
import { promptReader } from './prompt.ts';
import { fileKeys } from './schema.ts';
import { Reporter, type Scope, within } from './scope.ts';
import { unusedNames } from './unusedNames.ts';

/**
 * Reads an eval file and everything it refers to. Never throws because of a file's content: that is a
 * problem with a location, and the cases it does not affect can still run.
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
    const document = await inSteps(readYaml(text, path), stepsOf(options.signal));
    return await loadDocument(document, files, options);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const reporter = new Reporter();
    reporter.say(`file-${error.reason}`, error.message, {
      document: parseYaml('', path),
      path: [],
    });
    return { path, problems: reporter.all(), outline: [], dependencies: [] };
  }
}

/**
 * As `loadSuite`, of a text that is parsed already.
 *
 * @param before of the earlier version that the text was parsed after: cases are taken over from it
 */
export async function loadDocument(
  document: YamlDocument,
  files: Files,
  options: LoadOptions,
  before?: LoadedSuite,
): Promise<LoadedSuite> {
  const reporter = new Reporter();
  // What takes over from an earlier version is read soon, and is to be there for the next key press.
  const step = before ? async () => {} : stepsOf(options.signal);
  const scope: Scope = {
    options,
    step,
    files: askedOnce(files),
    later: files,
    reporter,
    ...readKeys(document, reporter),
    dependencies: new Set(),
    loadPrompt: promptReader(),
  };
  const sources = await collectCases(scope);
  if (sources.length === 0 && reporter.all().length === 0) {
    const message = 'The file has no cases. Add `cases:` with at least one case.';
    const fix = { add: { to: [], key: 'cases' } };
    reporter.say('no-cases', message, { document, path: [] }, { range: START, fix });
  }
  uniqueIds(sources, reporter);
  const built: (SuiteCase | undefined)[] = [];
  const cache = caseCache(scope, before);
  for (const source of sources) {
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

type FileKeys = Pick<Scope, 'document' | 'file' | 'unsound'>;

/** The keys at the top that are as they should be; what is wrong with the others is reported. */
function readKeys(document: YamlDocument, reporter: Reporter): FileKeys {
  reporter.addSyntax(document);
  const none: FileKeys = { document, file: {}, unsound: new Set() };
  const { value } = document;
  if (value === undefined || value === null) {
    if (document.problems.length === 0) {
      const message = 'The file is empty. Start with `name:` and `cases:`.';
      reporter.say('empty-file', message, { document, path: [] }, { range: START });
    }
    return none;
  }
  if (!isMapping(value)) {
    const message = 'An eval file must be a mapping with `cases:`.';
    reporter.say('wrong-type', message, { document, path: [] });
    return none;
  }
  const read = checked(fileKeys, value, document);
  for (const problem of read.problems) reporter.add(problem);
  const unsound = new Set(read.unsound.map(([key]) => String(key)));
  const sound = Object.entries(mappingOf(read.value)).filter(
    ([key, given]) => given !== undefined && key in fileKeys.shape && !unsound.has(key),
  );
  return { document: read.document, file: Object.fromEntries(sound), unsound };
}

function uniqueIds(sources: readonly CaseSource[], reporter: Reporter): void {
  const seen = new Set<unknown>();
  const ids = new Set(sources.map(({ raw }) => valueAt(raw, ['id'])));
  const freeId = freeNames(ids, (id, number) => `${id}-${number}`);
  for (const { raw, location } of sources) {
    const id = valueAt(raw, ['id']);
    if (typeof id !== 'string') continue;
    if (seen.has(id)) {
      const message = `Another case in this suite has the id "${id}". Give this one a different id.`;
      const fix = { replacement: freeId(id) };
      reporter.say('duplicate-id', message, within(location, 'id'), fix);
    }
    seen.add(id);
  }
}
