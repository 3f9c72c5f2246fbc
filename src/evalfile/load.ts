import { basename } from 'node:path';
import { isMapping, mappingOf, valueAt } from '../core/data.ts';
import { sha256 } from '../core/digest.ts';
import { START } from '../core/problem.ts';
import type { SuiteCase } from '../core/suite.ts';
import { parseYaml, type YamlDocument } from '../yaml/yamlDocument.ts';
import { CaseCache } from './case/caseCache.ts';
import { type CaseSource, collectCases, MAX_EVAL_FILE } from './case/caseSources.ts';
import { checked } from './checked.ts';
import { FileError, type Files } from './files.ts';
import type { LoadedSuite, LoadOptions } from './loadedSuite.ts';
import { Reporter } from './reporter.ts';
import { fileKeys } from './schema.ts';
import type { Scope } from './scope.ts';
import { unusedNames } from './unusedNames.ts';

/**
 * Reads an eval file and all that it refers to. Never throws for what stands in a file: that is a
 * problem with its place, and the cases that it does not touch are still ready to run.
 *
 * @param path absolute
 */
export async function loadSuite(
  path: string,
  files: Files,
  options: LoadOptions,
): Promise<LoadedSuite> {
  try {
    return await loadDocument(
      parseYaml(await files.read(path, MAX_EVAL_FILE), path),
      files,
      options,
    );
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const { reason, message } = error;
    const problem = {
      code: `file-${reason}`,
      message,
      severity: 'error' as const,
      path,
      range: START,
    };
    return { path, problems: [problem], outline: [], dependencies: [] };
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
  const scope: Scope = {
    options,
    files,
    reporter,
    ...readKeys(document, reporter),
    dependencies: new Set(),
    prompts: new Map(),
  };
  const sources = await collectCases(scope);
  if (sources.length === 0 && reporter.all().length === 0) {
    const message = 'The file has no cases. Add `cases:` with at least one.';
    reporter.say('no-cases', message, { path: document.path, range: START }, undefined, {
      fix: { add: { to: [], key: 'cases' } },
    });
  }
  uniqueIds(sources, reporter);
  const built: (SuiteCase | undefined)[] = [];
  const cache = new CaseCache(scope, before);
  for (const source of sources) built.push(await cache.caseOf(source));
  for (const problem of await unusedNames(sources, built, scope)) reporter.add(problem);
  const outline = cache.outline();
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
        name: name ?? basename(document.path).replace(/\.eval\.ya?ml$/, ''),
        hash: sha256(document.text),
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
  for (const problem of document.problems) reporter.add(problem);
  const none: FileKeys = { document, file: {}, unsound: new Set() };
  const { value } = document;
  if (value === undefined || value === null) {
    if (document.problems.length === 0) {
      const message = 'The file is empty. Begin with `name:` and `cases:`.';
      reporter.say('empty-file', message, { path: document.path, range: START });
    }
    return none;
  }
  if (!isMapping(value)) {
    const message = 'An eval file is a mapping with `cases:`.';
    reporter.say('wrong-type', message, { path: document.path, range: document.rangeOf([]) });
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
  const taken = new Set(sources.map(({ raw }) => valueAt(raw, ['id'])));
  for (const { raw, spot } of sources) {
    const id = valueAt(raw, ['id']);
    if (typeof id !== 'string') continue;
    if (seen.has(id)) {
      const place = {
        path: spot.document.path,
        range: spot.document.rangeOf([...spot.path, 'id']),
      };
      const message = `Another case of this suite has the id "${id}". Give this one its own.`;
      let number = 2;
      while (taken.has(`${id}-${number}`)) number += 1;
      const replacement = `${id}-${number}`;
      taken.add(replacement);
      reporter.say('duplicate-id', message, place, spot.owner, { replacement });
    }
    seen.add(id);
  }
}
