import { changedAt, isMapping, type Path } from '../core/data/data.ts';
import type { ValueProblem } from '../schema/valueProblems.ts';
import type { Dialect, Item, ReadMessage } from './dialect.ts';

/** A message of another tool's, with what its reader put up with. */
export type ForeignMessage = ReadMessage & {
  /** Keys that the dialect doesn't know: ignored. */
  readonly unknownKeys: readonly ValueProblem[];
  /** Ids given to calls that had none. */
  readonly newIds: ReadonlySet<string>;
};

/** Stands for the id of a result that names no call. */
export const NO_ID = '(no id)';

const WITHOUT_ID: readonly string[] = ['call-without-id', 'result-without-id'];

/** Each round finds what the one before hid. */
const MAX_ROUNDS = 20;

/**
 * Reads a message in its dialect. Other tools add keys with every version, so unknown ones are ignored,
 * and calls and results may lack ids; anything else that is wrong is a problem, as found at first.
 *
 * @param asMeant finds the key that a misspelled one stands for, in any dialect
 */
export function readForeign(
  dialect: Dialect,
  item: Item,
  index: number,
  asMeant: (problem: ValueProblem) => ValueProblem,
): ForeignMessage {
  const unknownKeys: ValueProblem[] = [];
  const newIds = new Set<string>();
  const first = dialect.read(item, index);
  let read = first;
  let known: unknown = item;
  for (let round = 0; 'problems' in read && !dialect.isOurs && round < MAX_ROUNDS; round += 1) {
    const unknown = read.problems.map(asMeant).filter(isStrange);
    const lacking = read.problems.filter(({ code }) => WITHOUT_ID.includes(code));
    if (unknown.length + lacking.length < read.problems.length) break;
    for (const { path } of unknown) known = withoutKey(known, path);
    for (const { missing, code } of lacking) {
      if (missing === undefined) return { ...first, unknownKeys: [], newIds: new Set() };
      const id = code === 'call-without-id' ? `call_${index + 1}_${newIds.size + 1}` : NO_ID;
      if (id !== NO_ID) newIds.add(id);
      known = changedAt(known, missing, () => id);
    }
    unknownKeys.push(...unknown);
    read = dialect.read(known as Item, index);
  }
  return 'problems' in read
    ? { ...first, unknownKeys: [], newIds: new Set() }
    : { ...read, unknownKeys, newIds };
}

/** A misspelled key is not strange: it means something, so it is refused with the right spelling. */
function isStrange({ code, replacement }: ValueProblem): boolean {
  return code === 'unknown-key' && replacement === undefined;
}

function withoutKey(root: unknown, path: Path): unknown {
  return changedAt(root, path.slice(0, -1), (owner) =>
    isMapping(owner)
      ? Object.fromEntries(Object.entries(owner).filter(([key]) => key !== path.at(-1)))
      : owner,
  );
}
