import { caseName } from '../core/presentation/executionTitle.ts';
import { visibleLine } from '../core/presentation/visibleText.ts';
import type { Suite, SuiteCase } from '../core/suite.ts';
import { escapeRegExp } from '../core/text/escapeRegExp.ts';
import { onlyOf } from '../runner/plan.ts';
import { UsageError } from './exitCode.ts';
import { partOf, type Shard } from './shards.ts';
import { shortList } from './shortList.ts';

export interface Selection {
  /** Ids, or those of variants such as `refund/line-7`; `*` stands for any characters. */
  readonly cases: readonly string[];
  readonly tags: readonly string[];
  /** Of what is chosen so, the first ones of all files together. */
  readonly limit?: number | undefined;
  /** Those that ended last as was asked for; all by default. */
  readonly among?: ReadonlySet<SuiteCase>;
  /** The part of all of them; the whole by default. */
  readonly shard?: Shard | undefined;
}

/** The selection that the options of a command make. */
export function selectionOf(options: {
  readonly case?: readonly string[];
  readonly tag?: readonly string[];
  readonly limit?: number;
  readonly shard?: Shard;
}): Selection {
  const { case: cases = [], tag: tags = [], limit, shard } = options;
  return { cases, tags, limit, shard };
}

/**
 * Which cases to run: of the named ids (all, if none is named) those with one of the tags.
 *
 * @throws UsageError where that leaves none of whatever outcome, or a name matches none
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
  const found = onlyOf(all.filter(chosen), (one) => one);
  const { among, limit, shard } = selection;
  const whole = found.filter((one) => !among || among.has(one)).slice(0, limit);
  const left = new Set(shard ? partOf(whole, shard) : whole);
  if (found.length === 0) throw new UsageError(nothingChosen(selection, all));
  return (_suite, suiteCase) => left.has(suiteCase);
}

/** An id stands for all variants of its case. */
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
  return `No case has the id "${text}". ${known('cases', [...new Set(names)])}`;
}

function nothingChosen({ cases, tags }: Selection, all: readonly SuiteCase[]): string {
  if (all.length === 0) return 'The files have no cases to run. Add one under `cases`.';
  const tagged = known('tags', [...new Set(all.flatMap((one) => one.tags))].sort());
  const named = cases.length > 0 ? 'None of the named cases' : 'No case';
  return `${named} has the tag ${tags.map((tag) => `"${tag}"`).join(' or ')}. ${tagged}`;
}

function known(what: string, names: readonly string[]): string {
  if (names.length === 0) return `The files have no ${what}.`;
  return `Known ${what}: ${shortList(names, 20, ' (turnlight list)')}.`;
}
