import { type CaseIdentity, caseKey } from '../core/identity.ts';
import { caseName, caseTitle } from '../core/presentation/words.ts';
import type { Suite, SuiteCase } from '../core/suite.ts';
import { visibleLine } from '../core/text/visibleText.ts';
import { inputHash, shortHash } from '../node/hashes.ts';
import { openCase } from '../runner/case/caseLine.ts';
import { filterOnly } from '../runner/plan.ts';
import { LatestRuns } from '../store/records/latest.ts';
import { UsageError } from './exitCode.ts';
import type { RunCommandOptions, Shard } from './options.ts';

export type SelectionOptions = Pick<RunCommandOptions, 'case' | 'tag' | 'limit' | 'shard'>;

/**
 * Selects up to `limit` cases across all files. If ids or tags are given, a case must have one of the ids and one of
 * the tags.
 *
 * @throws UsageError if a name matches no case, or if no case matches, regardless of its last status
 */
export function selectCases(
  suites: readonly Suite[],
  options: SelectionOptions,
  among?: ReadonlySet<SuiteCase>,
): (suite: Suite, suiteCase: SuiteCase) => boolean {
  const { case: names = [], tag: tags = [], limit, shard } = options;
  const patterns = names.map((text) => ({ text, matches: matcher(text) }));
  const all = suites.flatMap((suite) => suite.cases);
  for (const { text, matches } of patterns) {
    if (!all.some(matches)) throw new UsageError(noSuchCase(text, all));
  }
  const chosen = (suiteCase: SuiteCase) =>
    (patterns.length === 0 || patterns.some(({ matches }) => matches(suiteCase))) &&
    (tags.length === 0 || tags.some((tag) => suiteCase.tags.includes(tag)));
  const found = filterOnly(all.filter(chosen), (one) => one);
  const whole = found.filter((one) => !among || among.has(one)).slice(0, limit);
  const left = new Set(shard ? partOf(whole, shard) : whole);
  if (found.length === 0) throw new UsageError(nothingChosen(names, tags, all));
  return (_suite, suiteCase) => left.has(suiteCase);
}

/** Returns a function that checks whether a case matches the pattern. A case's id matches all of its variants. */
function matcher(pattern: string): (suiteCase: SuiteCase) => boolean {
  const [start = '', ...parts] = pattern.split('*');
  const end = parts.pop();
  // In linear time: a regular expression with several `.*` could take forever.
  const matches = (name: string) => {
    if (end === undefined) return name === start;
    if (!name.startsWith(start)) return false;
    let at = start.length;
    for (const part of parts) {
      const found = name.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return name.length - at >= end.length && name.endsWith(end);
  };
  return (one) => matches(one.id) || matches(caseName(one));
}

function noSuchCase(text: string, all: readonly SuiteCase[]): string {
  const id = text.split('/')[0];
  const variants = text.includes('/') ? all.filter((one) => one.id === id) : [];
  const names = (variants.length > 0 ? variants.map(caseName) : all.map((one) => one.id)).map(
    (name) => visibleLine(name),
  );
  return `No case matches "${text}". ${known('cases', [...new Set(names)])}`;
}

function nothingChosen(
  names: readonly string[],
  tags: readonly string[],
  all: readonly SuiteCase[],
): string {
  if (all.length === 0) return 'The files have no cases to run. Add one under `cases`.';
  const tagged = known('tags', [...new Set(all.flatMap((one) => one.tags))].sort());
  const named = names.length > 0 ? 'None of the named cases' : 'No case';
  return `${named} has the tag ${tags.map((tag) => `"${tag}"`).join(' or ')}. ${tagged}`;
}

function known(what: string, names: readonly string[]): string {
  if (names.length === 0) return `The files have no ${what}.`;
  return `Known ${what}: ${truncate(names, 20, ' (turnlight list)')}.`;
}

/** Selects one shard's cases. Deals the cases like cards, so that every run of the same files gets the same shards. */
function partOf<One>(all: readonly One[], { part, of }: Shard): One[] {
  return all.filter((_one, index) => index % of === part - 1);
}

type LastStatus = Pick<RunCommandOptions, 'onlyFailed' | 'onlyErrors'>;

/**
 * Finds the cases with the given last status, and why some may be missing. If a data set has changed, includes the
 * conversations at other positions, whose last result is that of another one.
 *
 * @returns undefined if no status is given
 */
export async function filterByLastStatus(
  suites: readonly Suite[],
  { onlyFailed, onlyErrors }: LastStatus,
) {
  if (!onlyFailed && !onlyErrors) return undefined;
  const latest = new LatestRuns();
  const found = new Set<SuiteCase>();
  for (const suite of suites) {
    const results = await latest.results(suite.path, suite.cases);
    const resultOf = (one: SuiteCase) => results.get(caseKey({ suite: suite.path, ...one }));
    const moved = new Set<string>();
    for (const one of suite.cases) {
      const { status, inputs = [] } = resultOf(one) ?? {};
      if ((onlyFailed && status === 'fail') || (onlyErrors && status === 'error')) found.add(one);
      if (isNamedByPosition(one) && inputs.length > 0 && !inputs.includes(await inputOf(one))) {
        moved.add(one.id);
        found.add(one);
      }
    }
    // The conversation that failed may be at a position that has no result.
    for (const one of suite.cases) if (moved.has(one.id) && !resultOf(one)) found.add(one);
  }
  return { found, damage: latest.damage };
}

/** Whether a conversation's name is its position in a data set, such as `line-7`. */
function isNamedByPosition({ recorded, variant = '' }: SuiteCase): boolean {
  return recorded === true && /-\d+$/.test(variant);
}

async function inputOf(one: SuiteCase): Promise<string> {
  const { suiteCase } = await openCase(one);
  return shortHash(inputHash(suiteCase, undefined));
}

export function noneWithLastStatus({ onlyFailed, onlyErrors }: LastStatus): string {
  const words = [...(onlyFailed ? ['failed'] : []), ...(onlyErrors ? ['errored'] : [])];
  return `No case ${words.join(' or ')} in its last run. Nothing was run.\n`;
}

/** `refund, hours, and 3 more`. @param where where to see the rest, such as ` (turnlight list)` */
function truncate(names: readonly string[], max: number, where = ''): string {
  const more = names.length > max ? `, and ${names.length - max} more${where}` : '';
  return `${names.slice(0, max).join(', ')}${more}`;
}

/** `refund, hours/line-7, and 3 more`: each case once. */
export function caseList(cases: readonly CaseIdentity[]): string {
  return truncate([...new Set(cases.map(caseTitle))], 10);
}
