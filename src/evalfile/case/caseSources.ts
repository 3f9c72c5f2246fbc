import { basename } from 'node:path';
import { isMapping, type Path, valueAt, withValueAt } from '../../core/data/data.ts';
import { LIMITS, readable } from '../../core/limits.ts';
import type { TargetVariantRef } from '../../core/suite.ts';
import { isGlob } from '../../disk/glob.ts';
import { runCooperatively } from '../../node/cooperative.ts';
import { readYaml } from '../../yaml/yamlDocument.ts';
import { checkValue } from '../checkValue.ts';
import { filesMatching, findReferenced, readFound } from '../referencedFiles.ts';
import { type CaseInput, caseSchema, includedFileSchema } from '../schema.ts';
import { type Location, report, type Scope, topLevelAt } from '../scope.ts';

/** A case as written in a file, valid or not. */
export interface CaseSource {
  readonly raw: unknown;
  readonly location: Location & { readonly owner: number };
}

/** The cases in the file and in its included files, numbered consecutively. */
export async function collectCases(scope: Scope): Promise<CaseSource[]> {
  const { document, file } = scope;
  const sources: CaseSource[] = [];
  const add = (cases: readonly unknown[], from: Location['document']) => {
    for (const [index, raw] of cases.entries()) {
      const location = { scope, document: from, path: ['cases', index], owner: sources.length };
      sources.push({ raw, location });
    }
  };
  add(Array.isArray(file.cases) ? file.cases : [], document);
  let size = 0;
  for (const [path, location] of await includedPaths(scope)) {
    const included = await readIncluded(path, location, sources.length);
    if (!included) continue;
    size += included.size;
    if (size > LIMITS.included) {
      const message = `Up to and including ${basename(path)}, the included files have more than ${readable(LIMITS.included)} characters in total. Split the suite.`;
      report('included-too-large', message, location);
      break;
    }
    add(included.cases, included.document);
  }
  return sources;
}

async function includedPaths(scope: Scope): Promise<(readonly [path: string, Location])[]> {
  const { document, file } = scope;
  const found = new Map<string, Location>();
  for (const [index, reference] of (file.include ?? []).entries()) {
    if (found.size > LIMITS.includes) break;
    const location = topLevelAt({ scope }, 'include', index);
    if (isGlob(reference)) {
      for (const path of await filesMatching(reference, location)) {
        if (!found.has(path)) found.set(path, location);
      }
      continue;
    }
    const path = await findReferenced(reference, location, 'cases');
    if (path === undefined) continue;
    if (path === document.path || found.has(path)) {
      report('included-twice', `"${reference}" is already included.`, location);
    } else {
      found.set(path, location);
    }
  }
  const paths = [...found];
  const [, tooMany] = paths[LIMITS.includes] ?? [];
  if (tooMany) {
    const message = `More than ${readable(LIMITS.includes)} files are included. Split the suite.`;
    report('too-many-includes', message, tooMany);
  }
  return paths.slice(0, LIMITS.includes);
}

/** @param firstOwner index of the file's first case in the suite */
async function readIncluded(path: string, location: Location, firstOwner: number) {
  const { scope } = location;
  scope.dependencies.add(path);
  const found = await readFound(path, location, 'cases');
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

/** A variant of the target that a case calls; see `variants` in the format. */
export interface TargetVariant extends TargetVariantRef {
  readonly changes: NonNullable<CaseInput['variants']>[string];
  readonly location: Location;
}

export interface ReadCase {
  readonly input: ValidInput;
  /** Its `document` accepts corrected keys; its `scope.invalidKeys` includes the case's invalid keys. */
  readonly location: Location;
  /** False if anything is invalid: the case can't run, but everything else is checked. */
  readonly isWhole: boolean;
  /** The variant of the target to call. */
  readonly targetVariant?: TargetVariant | undefined;
  /** @param path of an assertion, relative to the case */
  isValid(path: Path): boolean;
}

export function inScope(read: ReadCase, scope: Scope): ReadCase {
  return { ...read, location: { ...read.location, scope } };
}

/** Validates a case and reports problems; undefined if it isn't a mapping. */
export function readCase({ raw, location }: CaseSource): ReadCase | undefined {
  const { scope } = location;
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
    location: { ...location, document: read.document, scope: { ...scope, invalidKeys } },
    isWhole: read.problems.length === 0,
    isValid: (path) => !broken.has(path.join('/')),
  };
}

/** By key, the length of the path to remove for an invalid value if the values around it are still useful. */
const KEPT_AROUND: Readonly<Record<string, number>> = { turns: 3, simulate: 2 };

/** The path of the assertion that contains the given path; both are relative to the case. */
function assertionPathIn(path: Path): Path | undefined {
  const length = path[0] === 'turns' ? 4 : 2;
  const isIn = path[length - 2] === 'assert' && path.length >= length;
  return isIn ? path.slice(0, length) : undefined;
}

/** Removes chat messages: dialects check them, and report problems more clearly than the schema. */
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
