import type { Path } from '../core/data/data.ts';
import { isError, type Problem } from '../core/problem.ts';
import { type Files, overlayFiles } from '../evalfile/files.ts';
import { loadSuite } from '../evalfile/load.ts';
import type { LoadedSuite } from '../evalfile/loadedSuite.ts';
import { parseYaml } from '../yaml/yamlDocument.ts';
import { evalFileText, type WrittenCase } from './evalFileText.ts';
import type { Draft, Ledger } from './importer.ts';

/** Where the eval file will stand, and what it may refer to. */
export interface Place {
  /** Absolute. */
  readonly path: string;
  readonly workspace: string;
  readonly files: Files;
  readonly env: (name: string) => string | undefined;
}

export interface Settled {
  readonly text: string;
  readonly cases: readonly WrittenCase[];
}

/** An assertion that goes may bring another problem to light, but not for ever. */
const MAX_ROUNDS = 5;

/** A check that needs nothing, where there is no other. */
const AT_LEAST = [{ type: 'no-repeat' }];

/**
 * An eval file in which nothing is wrong: what `turnlight check` finds an error in is left out and
 * told, an assertion alone where it is the assertion's, else the case.
 */
export async function settle(
  draft: Omit<Draft, 'cases'>,
  given: readonly WrittenCase[],
  place: Place,
  ledger: Ledger,
): Promise<Settled> {
  let cases = given.map(withCheck);
  for (let round = 0; cases.length > 0; round += 1) {
    const text = evalFileText(draft, cases);
    const loaded = await load(text, place);
    const errors = loaded.problems.filter(isError);
    if (errors.length === 0) return { text, cases };
    const left = withoutFaulty(cases, text, loaded, ledger, round < MAX_ROUNDS);
    if (left === undefined) {
      ledger.broken(1, `The eval file would be wrong. ${errors[0]?.message}`);
      break;
    }
    cases = left.map(withCheck);
  }
  return { text: '', cases: [] };
}

/** Where none of the other tool's checks is left, what it expects is judged. */
function withCheck(one: WrittenCase): WrittenCase {
  const perTurn = JSON.stringify(one.keys.turns ?? '').includes('"assert"');
  if (one.assert.length > 0 || perTurn) return one;
  const expected = one.suggestions.filter((suggestion) => typeof suggestion === 'string');
  if (expected.length === 0) return { ...one, assert: AT_LEAST };
  return { ...one, assert: expected, suggestions: [] };
}

function load(text: string, { path, files, workspace, env }: Place): Promise<LoadedSuite> {
  const overlay = overlayFiles(files, (one) => (one === path ? text : undefined));
  return loadSuite(path, overlay, { workspace, env });
}

/** Undefined if an error is no case's. */
function withoutFaulty(
  cases: readonly WrittenCase[],
  text: string,
  { outline, path }: LoadedSuite,
  ledger: Ledger,
  gently: boolean,
): WrittenCase[] | undefined {
  const document = parseYaml(text, path);
  const pathOf = ({ path: file, range }: Problem): Path =>
    file === path ? document.pathAt(range.start).path : [];
  let changed = false;
  const left = cases.flatMap((one, index) => {
    const errors = outline[index]?.errors ?? [];
    if (errors.length === 0) return [one];
    changed = true;
    const places = errors.map((error) => assertionAt(one, pathOf(error)));
    if (gently && places.every((place) => place !== undefined)) {
      for (const error of errors) ledger.lost(one.line, `A check is left out. ${error.message}`);
      return [{ ...one, assert: one.assert.filter((_one, at) => !places.includes(at)) }];
    }
    ledger.broken(one.line, `The case "${one.id}" is left out. ${errors[0]?.message}`);
    return [];
  });
  return changed ? left : undefined;
}

/** Which assertion of the case a problem is about; of one in a prompt's file the first with a prompt. */
function assertionAt({ assert }: WrittenCase, path: Path): number | undefined {
  const [, , key, index] = path;
  if (path.length === 0) {
    const prompted = assert.findIndex((one) => Object.hasOwn(Object(one), 'prompt'));
    return prompted < 0 ? undefined : prompted;
  }
  return key === 'assert' && typeof index === 'number' ? index : undefined;
}
