import { type CaseIdentity, caseKey } from '../core/identity.ts';
import { caseName, caseTitle } from '../core/presentation/words.ts';
import type { Suite, SuiteCase } from '../core/suite.ts';
import { escapeRegExp } from '../core/text/format.ts';
import { visibleLine } from '../core/text/visibleText.ts';
import { filterOnly } from '../runner/plan.ts';
import { LatestRuns } from '../store/records/latest.ts';
import { UsageError } from './exitCode.ts';
import type { RunCommandOptions, Shard } from './options.ts';

export interface Selection {
  /** Ids of cases, or of variants such as `refund/line-7`; `*` matches any text. */
  readonly cases: readonly string[];
  readonly tags: readonly string[];
  /** Maximum number of cases, across all files. */
  readonly limit?: number | undefined;
  /** The cases to choose from. Default: all. */
  readonly among?: ReadonlySet<SuiteCase>;
  /** The part of the selected cases to run. Default: all of them. */
  readonly shard?: Shard | undefined;
}

/** The selection that the options of a command describe. */
export function selectionOf({
  case: cases = [],
  tag: tags = [],
  limit,
  shard,
}: Pick<RunCommandOptions, 'case' | 'tag' | 'limit' | 'shard'>): Selection {
  return { cases, tags, limit, shard };
}

/**
 * A filter of the cases to run: those with one of the ids and one of the tags, if any are given.
 *
 * @throws UsageError if a name matches no case, or if no case matches, whatever its last status
 */
export function selectCases(
  suites: readonly Suite[],
  selection: Selection,
): (suite: Suite, suiteCase: SuiteCase) => boolean {
  const patterns = selection.cases.map((text) => ({ text, matches: matcher(text) }));
  const all = suites.flatMap((suite) => suite.cases);
  for (const { text, matches } of patterns) {
    if (!all.some(matches)) throw new UsageError(noSuchCase(text, all));
  }
  const chosen = (suiteCase: SuiteCase) =>
    (patterns.length === 0 || patterns.some(({ matches }) => matches(suiteCase))) &&
    (selection.tags.length === 0 || selection.tags.some((tag) => suiteCase.tags.includes(tag)));
  const found = filterOnly(all.filter(chosen), (one) => one);
  const { among, limit, shard } = selection;
  const whole = found.filter((one) => !among || among.has(one)).slice(0, limit);
  const left = new Set(shard ? partOf(whole, shard) : whole);
  if (found.length === 0) throw new UsageError(nothingChosen(selection, all));
  return (_suite, suiteCase) => left.has(suiteCase);
}

/** The id of a case matches all of its variants. */
function matcher(pattern: string): (suiteCase: SuiteCase) => boolean {
  const parts = pattern.split('*').map(escapeRegExp);
  const expression = new RegExp(`^${parts.join('.*')}$`, 's');
  return (one) => expression.test(one.id) || expression.test(caseName(one));
}

function noSuchCase(text: string, all: readonly SuiteCase[]): string {
  const id = text.split('/')[0];
  const variants = text.includes('/') ? all.filter((one) => one.id === id) : [];
  const names = (variants.length > 0 ? variants.map(caseName) : all.map((one) => one.id)).map(
    (name) => visibleLine(name),
  );
  return `No case matches "${text}". ${known('cases', [...new Set(names)])}`;
}

function nothingChosen({ cases, tags }: Selection, all: readonly SuiteCase[]): string {
  if (all.length === 0) return 'The files have no cases to run. Add one under `cases`.';
  const tagged = known('tags', [...new Set(all.flatMap((one) => one.tags))].sort());
  const named = cases.length > 0 ? 'None of the named cases' : 'No case';
  return `${named} has the tag ${tags.map((tag) => `"${tag}"`).join(' or ')}. ${tagged}`;
}

function known(what: string, names: readonly string[]): string {
  if (names.length === 0) return `The files have no ${what}.`;
  return `Known ${what}: ${truncate(names, 20, ' (turnlight list)')}.`;
}

/** The cases of one part. They are dealt like cards, so that the parts are the same in every run of the same files. */
function partOf<One>(all: readonly One[], { part, of }: Shard): One[] {
  return all.filter((_one, index) => index % of === part - 1);
}

type LastStatus = Pick<RunCommandOptions, 'onlyFailed' | 'onlyErrors'>;

interface FilteredCases {
  readonly found: ReadonlySet<SuiteCase>;
  /** Why cases may be missing. */
  readonly damage: readonly string[];
}

/** The cases with the last status that the options ask for; undefined if they ask for none. */
export async function filterByLastStatus(
  suites: readonly Suite[],
  { onlyFailed, onlyErrors }: LastStatus,
): Promise<FilteredCases | undefined> {
  if (!onlyFailed && !onlyErrors) return undefined;
  const latest = new LatestRuns();
  const found = new Set<SuiteCase>();
  for (const suite of suites) {
    const statuses = await latest.statuses(suite.path, suite.cases);
    for (const one of suite.cases) {
      const status = statuses.get(caseKey({ suite: suite.path, ...one }));
      if ((onlyFailed && status === 'fail') || (onlyErrors && status === 'error')) found.add(one);
    }
  }
  return { found, damage: latest.damage };
}

export function noneWithLastStatus({ onlyFailed, onlyErrors }: LastStatus): string {
  const words = [...(onlyFailed ? ['failed'] : []), ...(onlyErrors ? ['errored'] : [])];
  return `No case ${words.join(' or ')} in its last run. Nothing was run.\n`;
}

/** `refund, hours, and 3 more`. @param where to see the rest, such as ` (turnlight list)` */
function truncate(names: readonly string[], max: number, where = ''): string {
  const more = names.length > max ? `, and ${names.length - max} more${where}` : '';
  return `${names.slice(0, max).join(', ')}${more}`;
}

/** `refund, hours/line-7, and 3 more`: each case once. */
export function caseList(cases: readonly CaseIdentity[]): string {
  return truncate([...new Set(cases.map(caseTitle))], 10);
}
