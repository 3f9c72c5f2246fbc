import { dirname, resolve } from 'node:path';
import { valueAt } from '../../core/data.ts';
import { parseYaml } from '../../yaml/yamlDocument.ts';
import { checked } from '../checked.ts';
import { FileError } from '../files.ts';
import { resolvePath } from '../paths.ts';
import { includedFileSchema } from '../schema.ts';
import type { Scope, Spot } from '../scope.ts';
import { placeOf } from '../scope.ts';

/** Most bytes of a file of cases. */
export const MAX_EVAL_FILE = 2_000_000;

/** A case as it stands in a file, however broken. */
export interface CaseSource {
  readonly raw: unknown;
  readonly spot: Spot & { readonly owner: number };
}

/** The file's own cases and those of included files, numbered through. */
export async function collectCases(scope: Scope): Promise<CaseSource[]> {
  const { document, file } = scope;
  const sources: CaseSource[] = [];
  const add = (cases: readonly unknown[], from: Spot['document']) => {
    for (const [index, raw] of cases.entries()) {
      const spot = { document: from, path: ['cases', index], owner: sources.length };
      sources.push({ raw, spot });
    }
  };
  add(Array.isArray(file.cases) ? file.cases : [], document);
  for (const path of await includedPaths(scope)) {
    const included = await readIncluded(path.file, path.spot, scope);
    if (included) add(included.cases, included.document);
  }
  return sources;
}

async function includedPaths(scope: Scope): Promise<{ file: string; spot: Spot }[]> {
  const { document, file, files, options, reporter } = scope;
  const folder = dirname(document.path);
  const found = new Map<string, Spot>();
  for (const [index, reference] of (file.include ?? []).entries()) {
    const spot: Spot = { document, path: ['include', index] };
    if (/[*?[{]/.test(reference)) {
      if (reference.split('/').includes('..') || reference.startsWith('/')) {
        const message = 'A pattern starts from this file\'s folder and cannot hold "..".';
        reporter.say('path-outside', message, placeOf(spot));
        continue;
      }
      const matches = (await files.glob([reference], folder)).filter(
        (one) => one !== document.path,
      );
      if (matches.length === 0) {
        reporter.say('file-missing', `No file matches "${reference}".`, placeOf(spot));
      }
      for (const match of matches) if (!found.has(match)) found.set(match, spot);
      continue;
    }
    const resolved = await resolvePath(reference, folder, options.workspace, files);
    // One that is not there may come.
    scope.dependencies.add(resolve(folder, reference));
    if (!('path' in resolved)) {
      reporter.say(resolved.code, resolved.message, placeOf(spot), undefined, {
        ...(resolved.code === 'file-missing' && {
          fix: { create: { path: resolve(folder, reference), kind: 'cases' } },
        }),
      });
    } else if (resolved.path === document.path || found.has(resolved.path)) {
      reporter.say(
        'included-twice',
        `"${reference}" is part of this suite already.`,
        placeOf(spot),
      );
    } else {
      found.set(resolved.path, spot);
    }
  }
  return [...found].map(([path, spot]) => ({ file: path, spot }));
}

async function readIncluded(path: string, spot: Spot, scope: Scope) {
  const { files, reporter, dependencies } = scope;
  dependencies.add(path);
  try {
    const document = parseYaml(await files.read(path, MAX_EVAL_FILE), path);
    for (const problem of document.problems) reporter.add(problem);
    if (document.value === undefined) return undefined;
    const read = checked(includedFileSchema, document.value, document);
    for (const problem of read.problems) reporter.add(problem);
    const cases = valueAt(read.value, ['cases']);
    return { document: read.document, cases: Array.isArray(cases) ? cases : [] };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    reporter.say(`file-${error.reason}`, error.message, placeOf(spot));
    return undefined;
  }
}
