import { basename } from 'node:path';
import { isMapping, type Path, valueAt, withValueAt } from '../../core/data/data.ts';
import { LIMITS, readable } from '../../core/limits.ts';
import { isGlob } from '../../disk/glob.ts';
import { runCooperatively } from '../../node/cooperative.ts';
import { readYaml } from '../../yaml/yamlDocument.ts';
import { checkValue } from '../checkValue.ts';
import { filesMatching, findReferenced, readFound } from '../referencedFiles.ts';
import { type CaseInput, caseSchema, includedFileSchema } from '../schema.ts';
import type { Location, Scope } from '../scope.ts';

/** A case as written in a file, valid or not. */
export interface CaseSource {
  readonly raw: unknown;
  readonly location: Location & { readonly owner: number };
}

/** The cases of the file and of its included files, numbered consecutively. */
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
      scope.reporter.report('included-too-large', message, path.location);
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
      reporter.report('included-twice', message, location);
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
    reporter.report('too-many-includes', message, last);
  }
  return found.slice(0, LIMITS.includes).map(([path, location]) => ({ path, location }));
}

/** @param firstOwner index of its first case in the suite */
async function readIncluded({ path, location }: IncludedPath, firstOwner: number, scope: Scope) {
  scope.dependencies.add(path);
  const found = await readFound(path, location, 'cases', scope);
  if (!found) return undefined;
  const size = found.text.length;
  const document = await runCooperatively(readYaml(found.text, path), scope.step);
  scope.reporter.addSyntax(document, firstOwner);
  if (document.value === undefined) return { size, document, cases: [] };
  const read = checkValue(includedFileSchema, document.value, document);
  for (const problem of read.problems) scope.reporter.add(problem);
  const cases = valueAt(read.value, ['cases']);
  return { size, document: read.document, cases: Array.isArray(cases) ? cases : [] };
}

type TurnInput = NonNullable<CaseInput['turns']>[number];

/** A scripted turn without its invalid parts; undefined if nothing is left. */
export type ValidTurn =
  | Extract<TurnInput, string>
  | Partial<Exclude<TurnInput, string>>
  | undefined;

/** A case without its invalid parts; `isValid` identifies valid assertions. */
type ValidInput = Omit<Partial<CaseInput>, 'turns' | 'simulate'> & {
  readonly turns?: readonly ValidTurn[];
  readonly simulate?: Partial<NonNullable<CaseInput['simulate']>>;
};

export interface ReadCase {
  readonly input: ValidInput;
  /** Finds ranges by corrected keys. */
  readonly location: Location;
  /** Its `invalidKeys` include those of the case. */
  readonly scope: Scope;
  /** False if something is invalid: then the case can't run, but the rest is checked. */
  readonly isWhole: boolean;
  /** @param path of an assertion, from the case */
  isValid(path: Path): boolean;
}

/** Validates a case and reports problems; undefined if nothing of it is valid. */
export function readCase({ raw, location }: CaseSource, scope: Scope): ReadCase | undefined {
  const read = checkValue(caseSchema, withoutMessages(raw), location.document, location.path);
  for (const problem of read.problems) scope.reporter.add(problem, location.owner);
  if (!isMapping(read.value)) return undefined;
  const broken = new Set<string>();
  const invalidKeys = new Set(scope.invalidKeys);
  let input: unknown = { ...read.value, ...messagesOf(raw) };
  for (const path of read.invalidPaths) {
    const assertion = assertionPathIn(path);
    const cut = path.slice(0, KEPT_AROUND[String(path[0])] ?? 1);
    if (assertion) broken.add(assertion.join('/'));
    else input = withValueAt(input, cut, () => undefined);
    if (!assertion && cut.length === 1) invalidKeys.add(String(cut[0]));
  }
  return {
    input: input as ValidInput,
    location: { ...location, document: read.document },
    scope: { ...scope, invalidKeys },
    isWhole: read.problems.length === 0,
    isValid: (path) => !broken.has(path.join('/')),
  };
}

/** How many path steps to cut at an invalid value, if the values around it are useful. */
const KEPT_AROUND: Readonly<Record<string, number>> = { turns: 3, simulate: 2 };

/** The path of the assertion that contains a path, from the case. */
function assertionPathIn(path: Path): Path | undefined {
  const length = path[0] === 'turns' ? 4 : 2;
  const isIn = path[length - 2] === 'assert' && path.length >= length;
  return isIn ? path.slice(0, length) : undefined;
}

/** Messages are checked by their dialects, which give better messages than the schema. */
function withoutMessages(raw: unknown): unknown {
  const keys = Object.keys(messagesOf(raw));
  if (keys.length === 0) return raw;
  return { ...Object(raw), ...Object.fromEntries(keys.map((key) => [key, undefined])) };
}

function messagesOf(raw: unknown): Readonly<Record<string, unknown>> {
  const lists = ['transcript', 'history'].map((key) => [key, valueAt(raw, [key])] as const);
  const written = lists.filter(([, list]) => list !== undefined && typeof list !== 'string');
  return Object.fromEntries(written);
}

/** A top-level key of the file that a case inherits. */
export function topLevelAt(key: string, { owner }: Location, { document }: Scope): Location {
  return { document, path: [key], owner };
}
