import { changedAt, isMapping, type Path, valueAt } from '../../core/data/data.ts';
import { checked } from '../checked.ts';
import { type CaseInput, caseSchema } from '../schema.ts';
import type { Location, Scope } from '../scope.ts';
import type { CaseSource } from './caseSources.ts';

type TurnInput = NonNullable<CaseInput['turns']>[number];

/** A scripted turn without what is wrong with it; undefined if nothing is left. */
export type SoundTurn =
  | Extract<TurnInput, string>
  | Partial<Exclude<TurnInput, string>>
  | undefined;

/** A case without what is wrong with it; of its assertions `isSound` tells which are. */
export type SoundInput = Omit<Partial<CaseInput>, 'turns' | 'simulate'> & {
  readonly turns?: readonly SoundTurn[];
  readonly simulate?: Partial<NonNullable<CaseInput['simulate']>>;
};

export interface ReadCase {
  readonly input: SoundInput;
  /** Finds places by the keys that were meant. */
  readonly location: Location;
  /** In which the case's own keys are unsound as well. */
  readonly scope: Scope;
  /** Where something is wrong the case cannot run; what is sound in it is checked all the same. */
  readonly isWhole: boolean;
  /** @param path of an assertion, from the case */
  isSound(path: Path): boolean;
}

/** Holds a case against its schema and reports what is wrong; undefined if nothing is left of it. */
export function readCase({ raw, location }: CaseSource, scope: Scope): ReadCase | undefined {
  const read = checked(caseSchema, withoutMessages(raw), location.document, location.path);
  for (const problem of read.problems) scope.reporter.add(problem, location.owner);
  if (!isMapping(read.value)) return undefined;
  const broken = new Set<string>();
  const unsound = new Set(scope.unsound);
  let input: unknown = { ...read.value, ...messagesOf(raw) };
  for (const path of read.unsound) {
    const assertion = assertionOn(path);
    const cut = path.slice(0, KEPT_AROUND[String(path[0])] ?? 1);
    if (assertion) broken.add(assertion.join('/'));
    else input = changedAt(input, cut, () => undefined);
    if (!assertion && cut.length === 1) unsound.add(String(cut[0]));
  }
  return {
    input: input as SoundInput,
    location: { ...location, document: read.document },
    scope: { ...scope, unsound },
    isWhole: read.problems.length === 0,
    isSound: (path) => !broken.has(path.join('/')),
  };
}

/** How deep what is wrong is cut out, where what stands around it is of use without it. */
const KEPT_AROUND: Readonly<Record<string, number>> = { turns: 3, simulate: 2 };

/** The path of the assertion that a path leads into, from the case. */
function assertionOn(path: Path): Path | undefined {
  const length = path[0] === 'turns' ? 4 : 2;
  const isIn = path[length - 2] === 'assert' && path.length >= length;
  return isIn ? path.slice(0, length) : undefined;
}

/** Messages are checked by their dialects, which say more than the schema can. */
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

/** A key at the top of the file, where a case uses what stands there. */
export function atTop(key: string, { owner }: Location, { document }: Scope): Location {
  return { document, path: [key], owner };
}
