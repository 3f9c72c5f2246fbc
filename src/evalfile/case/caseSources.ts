import { basename } from 'node:path';
import { valueAt } from '../../core/data/data.ts';
import { LIMITS, readable } from '../../core/limits.ts';
import { isGlob } from '../../disk/glob.ts';
import { inSteps } from '../../node/cooperative.ts';
import { readYaml } from '../../yaml/yamlDocument.ts';
import { checked } from '../checked.ts';
import { findReferenced, readFound } from '../referencedFiles.ts';
import { includedFileSchema } from '../schema.ts';
import type { Location, Scope } from '../scope.ts';
import { filesMatching } from './matching.ts';

/** A case as it stands in a file, however broken. */
export interface CaseSource {
  readonly raw: unknown;
  readonly location: Location & { readonly owner: number };
}

/** The file's own cases and those of included files, numbered through. */
export async function collectCases(scope: Scope): Promise<CaseSource[]> {
  const { document, file } = scope;
  const sources: CaseSource[] = [];
  const add = (cases: readonly unknown[], from: Location['document']) => {
    for (const [index, raw] of cases.entries()) {
      const location = { document: from, path: ['cases', index], owner: sources.length };
      sources.push({ raw, location });
    }
  };
  add(Array.isArray(file.cases) ? file.cases : [], document);
  let size = 0;
  for (const path of await includedPaths(scope)) {
    const included = await readIncluded(path, sources.length, scope);
    if (!included) continue;
    size += included.size;
    if (size > LIMITS.included) {
      const message = `The files included up to ${basename(path.path)} have more than ${readable(LIMITS.included)} characters in all. Split this suite.`;
      scope.reporter.say('included-too-large', message, path.location);
      break;
    }
    add(included.cases, included.document);
  }
  return sources;
}

interface IncludedPath {
  readonly path: string;
  readonly location: Location;
}

async function includedPaths(scope: Scope): Promise<IncludedPath[]> {
  const { document, file, reporter } = scope;
  const found = new Map<string, Location>();
  for (const [index, reference] of (file.include ?? []).entries()) {
    if (found.size > LIMITS.includes) break;
    const location: Location = { document, path: ['include', index] };
    if (isGlob(reference)) {
      for (const path of await filesMatching(reference, location, scope)) {
        if (!found.has(path)) found.set(path, location);
      }
      continue;
    }
    const path = await findReferenced(reference, location, 'cases', scope);
    if (path === undefined) continue;
    if (path === document.path || found.has(path)) {
      const message = `"${reference}" is already included.`;
      reporter.say('included-twice', message, location);
    } else {
      found.set(path, location);
    }
  }
  return withinLimit([...found], scope);
}

function withinLimit(found: readonly [string, Location][], { reporter }: Scope): IncludedPath[] {
  const [, last] = found[LIMITS.includes] ?? [];
  if (last) {
    const message = `More than ${readable(LIMITS.includes)} files are included. Make several suites of them.`;
    reporter.say('too-many-includes', message, last);
  }
  return found.slice(0, LIMITS.includes).map(([path, location]) => ({ path, location }));
}

/** @param firstOwner the number that its first case will have in the suite */
async function readIncluded({ path, location }: IncludedPath, firstOwner: number, scope: Scope) {
  scope.dependencies.add(path);
  const found = await readFound(path, location, 'cases', scope);
  if (!found) return undefined;
  const size = found.text.length;
  const document = await inSteps(readYaml(found.text, path), scope.step);
  scope.reporter.addSyntax(document, firstOwner);
  if (document.value === undefined) return { size, document, cases: [] };
  const read = checked(includedFileSchema, document.value, document);
  for (const problem of read.problems) scope.reporter.add(problem);
  const cases = valueAt(read.value, ['cases']);
  return { size, document: read.document, cases: Array.isArray(cases) ? cases : [] };
}
