import { freeNames, isMapping, type Mapping, memoize, type Path } from '../core/data/data.ts';
import { isError, type Problem } from '../core/problem.ts';
import { visibleLine } from '../core/text/visibleText.ts';
import { type Files, overlayFiles } from '../evalfile/files.ts';
import { loadSuite } from '../evalfile/load.ts';
import type { LoadedSuite } from '../evalfile/loadedSuite.ts';
import { indented, STEP, write, writeEntry, writeInline, writeWord } from '../yaml/quoting.ts';
import { parseYaml } from '../yaml/yamlDocument.ts';
import type { Draft, DraftCase, Ledger } from './importer.ts';

const MAX_ID_LENGTH = 48;

/** A case with its id, ready to be written. */
export interface WrittenCase extends DraftCase {
  readonly id: string;
}

/** Gives each case a readable, unique id. */
export function assignIds(cases: readonly DraftCase[], tag: string): WrittenCase[] {
  const wanted = cases.map(({ name, opening }) =>
    name !== undefined && isId(name) ? name : slug(name ?? opening ?? '') || tag,
  );
  const taken = new Set(wanted);
  const free = freeNames(taken, (id, number) => `${id}-${number}`);
  const seen = new Set<string>();
  return cases.map((one, index) => {
    const own = wanted[index] as string;
    const id = seen.has(own) ? free(own) : own;
    seen.add(own);
    return { ...one, id };
  });
}

function isId(name: string): boolean {
  return name.length <= MAX_ID_LENGTH && /^[A-Za-z0-9][\w.-]*$/.test(name);
}

/** The first words of a text, as part of an id. */
export function slug(text: string): string {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const first: string[] = [];
  for (const word of words.slice(0, 6)) {
    if ([...first, word].join('-').length <= MAX_ID_LENGTH) first.push(word);
  }
  return first.join('-');
}

/** The text of an eval file as a person would write it. */
export function evalFileText(
  { head = {}, comments = [] }: Omit<Draft, 'cases'>,
  cases: readonly WrittenCase[],
): string {
  const lines = [
    ...comments.map(comment),
    ...entriesOf(head),
    '',
    'cases:',
    cases.map(caseText).join('\n\n'),
  ];
  return `${lines.join('\n')}\n`;
}

const caseText = memoize(({ id, keys, assert, suggestions }: WrittenCase): string => {
  const hasChecks = assert.length > 0;
  const checks = hasChecks ? ['assert:', indented(write(plainCopy(assert)).text, STEP)] : [];
  const suggested = [
    'Suggested checks that need a judge. Uncomment the ones that should hold:',
    ...suggestions.map((one) => `- ${onOneLine(one)}`),
  ].map((line) => indented(comment(line), STEP));
  const comments = [...(hasChecks ? [] : ['# assert:']), ...suggested];
  const lines = [
    ...entriesOf({ id, ...keys }),
    ...checks,
    ...(suggestions.length > 0 ? comments : []),
  ];
  return indented(`- ${indented(lines.join('\n'), STEP).slice(STEP)}`, STEP);
});

function onOneLine(value: unknown): string {
  if (typeof value === 'string') return writeInline(value.replace(/\s+/g, ' ').trim());
  const [entry, ...more] = isMapping(value) ? Object.entries(value) : [];
  return entry && more.length === 0
    ? `${writeWord(entry[0])}: ${writeInline(entry[1])}`
    : writeInline(value);
}

function comment(text: string): string {
  return `# ${visibleLine(text)}`;
}

/** Keys whose values people write on one line if they fit. */
const ON_ONE_LINE = ['tags', 'target', 'defaults'];
const LINE_LENGTH = 80;

function entriesOf(keys: Mapping): string[] {
  return Object.entries(plainCopy(keys)).map(([key, value]) => {
    const line = ON_ONE_LINE.includes(key) ? `${key}: ${writeInline(value)}` : '';
    return line !== '' && line.length <= LINE_LENGTH ? line : writeEntry(key, write(value));
  });
}

/** A copy without undefined values and without shared objects, which YAML would write as aliases. */
export function plainCopy<Value extends object>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

/** The location of the eval file, and the files and variables available to it. */
export interface Place {
  /** Absolute. */
  readonly path: string;
  readonly workspace: string;
  readonly files: Files;
  readonly env: (name: string) => string | undefined;
}

/** Maximum rounds of checks: removing an assertion can reveal another problem. */
const MAX_ROUNDS = 5;

/** The assertion for a case that has no others. */
export const DEFAULT_CHECK = { type: 'no-repeat' };

/** Removes and reports assertions in which `turnlight check` finds an error, or else the cases that contain them. */
export async function removeInvalid(
  draft: Omit<Draft, 'cases'>,
  given: readonly WrittenCase[],
  place: Place,
  ledger: Ledger,
): Promise<{ readonly text: string; readonly cases: readonly WrittenCase[] }> {
  let cases = given.map(ensureCheck);
  for (let round = 0; cases.length > 0; round += 1) {
    const text = evalFileText(draft, cases);
    const files = overlayFiles(place.files, (one) => (one === place.path ? text : undefined));
    const loaded = await loadSuite(place.path, files, place);
    const errors = loaded.problems.filter(isError);
    if (errors.length === 0) return { text, cases };
    const left = withoutFaulty(cases, text, loaded, ledger, round < MAX_ROUNDS);
    if (left === undefined) {
      ledger.broken(1, `The eval file would be invalid. ${errors[0]?.message}`);
      break;
    }
    cases = left.map(ensureCheck);
  }
  return { text: '', cases: [] };
}

/** Adds assertions to a case that has none: the suggested criteria, or else the default assertion. */
function ensureCheck(one: WrittenCase): WrittenCase {
  const perTurn = JSON.stringify(one.keys.turns ?? '').includes('"assert"');
  if (one.assert.length > 0 || perTurn) return one;
  const expected = one.suggestions.filter((suggestion) => typeof suggestion === 'string');
  if (expected.length === 0) return { ...one, assert: [DEFAULT_CHECK] };
  return { ...one, assert: expected, suggestions: [] };
}

/** Undefined if no error is within a case. */
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
      for (const error of errors) ledger.lost(one.line, `A check was left out. ${error.message}`);
      return [{ ...one, assert: one.assert.filter((_one, at) => !places.includes(at)) }];
    }
    ledger.broken(one.line, `The case "${one.id}" was left out. ${errors[0]?.message}`);
    return [];
  });
  return changed ? left : undefined;
}

/**
 * Index of the assertion that a problem is about. If the problem is in a prompt's file, this is the first assertion
 * with a prompt.
 */
function assertionAt({ assert }: WrittenCase, path: Path): number | undefined {
  const [, , key, index] = path;
  if (path.length === 0) {
    const prompted = assert.findIndex((one) => Object.hasOwn(Object(one), 'prompt'));
    return prompted < 0 ? undefined : prompted;
  }
  return key === 'assert' && typeof index === 'number' ? index : undefined;
}
