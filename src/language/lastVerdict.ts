import { findAssertionType } from '../assertions/registry.ts';
import { mappingOf, type Path, valueAt } from '../core/data.ts';
import type { Position, Range } from '../core/problem.ts';
import type { CaseLine } from '../core/runRecord.ts';
import type { Verdict } from '../core/verdict.ts';
import type { OutlineCase } from '../evalfile/loadedSuite.ts';
import type { Said } from './keyMarkdown.ts';
import { contains } from './place.ts';
import type { EvalDocument, LastRuns } from './ports.ts';
import { caseMarkdown, STALE, turnMarkdown, verdictMarkdown } from './verdictMarkdown.ts';

/** What the last run said about the case, the turn or the assertion at a place. */
export async function lastVerdict(
  document: EvalDocument,
  position: Position,
  lastRuns: LastRuns,
): Promise<Said | undefined> {
  const { suite } = document;
  const found = suite.outline.find(
    ({ path, range }) => path === suite.path && contains(range, position),
  );
  if (found?.id === undefined) return undefined;
  const subject = subjectOf(document, found, position);
  if (!subject) return undefined;
  const lines = await lastRuns(suite.path, found.id);
  const parts = lines.flatMap((line) => {
    const said = subject.say(line, line.source.hash !== found.hash);
    if (said === undefined) return [];
    const title = lines.length > 1 ? `### Repetition ${line.repetition}\n\n` : '';
    return [`${title}${said}`];
  });
  if (parts.length === 0) return undefined;
  const stale = lines.some(({ source }) => source.hash !== found.hash) ? [STALE] : [];
  return { markdown: [...stale, ...parts].join('\n\n'), range: subject.range };
}

interface Subject {
  readonly range: Range;
  say(line: CaseLine, stale: boolean): string | undefined;
}

/** The innermost thing at the place: an assertion under a turn before the turn. */
function subjectOf(
  document: EvalDocument,
  found: OutlineCase,
  position: Position,
): Subject | undefined {
  const assertion = found.assertions.find(
    ({ path, range }) => path === document.suite.path && contains(range, position),
  );
  if (assertion?.index !== undefined) {
    return assertionSubject(document, found, assertion.index, assertion.range, position);
  }
  const turn = found.turns.find(({ range }) => contains(range, position));
  if (turn) return { range: turn.range, say: (line) => turnMarkdown(line, turn.turns) };
  return contains(found.nameRange, position)
    ? { range: found.nameRange, say: caseMarkdown }
    : undefined;
}

/** What tells an assertion from others of its case, also after some were put before it. */
interface Identity {
  readonly type: string;
  readonly name: string;
}

function assertionSubject(
  { yaml, suite }: EvalDocument,
  found: OutlineCase,
  index: number,
  range: Range,
  position: Position,
): Subject {
  const steps = stepsTo(yaml.value, yaml.pathAt(position).path);
  const last = steps.at(-1);
  const built = suite.suite?.cases.find(({ id }) => id === found.id)?.assertions ?? [];
  const own = built.find((one) => one.index === index);
  return {
    range: last ? yaml.entryRangeOf(last.path) : range,
    say({ verdicts, source }, stale) {
      const moved = found.range.start.line - source.range.start.line;
      let verdict = stale
        ? sameVerdict(verdicts, index, own, built)
        : verdicts.find((one) => one.assertion.index === index);
      if (!verdict || steps.length === 0) return verdict && verdictMarkdown(verdict);
      let holder = own;
      for (const step of steps) {
        const inner = holder?.nested?.find((one) => one.key === step.key)?.assertion;
        verdict = nestedVerdict(
          verdict,
          step,
          inner && { ...inner, line: lineOf(inner) - moved },
          stale,
        );
        if (!verdict) return '_The last run did not come to this assertion._';
        holder = inner;
      }
      return verdictMarkdown(verdict);
    },
  };
}

/**
 * The verdict of an assertion in a case that has changed since: by type and name, else by its place
 * where no other assertion has that type and name.
 */
function sameVerdict(
  verdicts: readonly Verdict[],
  index: number,
  own: Identity | undefined,
  all: readonly (Identity & { readonly index: number })[],
): Verdict | undefined {
  const there = verdicts.find((one) => one.assertion.index === index);
  if (!own) return there;
  const same = verdicts.filter(({ assertion }) => isSame(assertion, own));
  const before = all.filter((one) => one.index < index && isSame(one, own)).length;
  const found = same.length === 1 ? same[0] : same[before];
  if (found) return found;
  const claimed = there && all.some((one) => isSame(one, there.assertion));
  return claimed ? undefined : there;
}

function isSame(a: Identity, b: Identity): boolean {
  return a.type === b.type && a.name === b.name;
}

interface Step {
  /** As in `NestedAssertion`. */
  readonly key: string;
  /** Place among the assertions of its holder, of which there are `count`. */
  readonly order: number;
  readonly count: number;
  /** Whether the holder is a group. */
  readonly group: boolean;
  /** From the file's top. */
  readonly path: Path;
}

/** The way from an assertion of the case to the innermost one at a path. */
function stepsTo(root: unknown, path: Path): Step[] {
  const steps: Step[] = [];
  let length = path.indexOf('assert') + 2;
  while (true) {
    const holder = path.slice(0, length);
    const given = mappingOf(valueAt(root, holder));
    const type = findAssertionType(given.type);
    const places = type?.nesting?.places(given) ?? [];
    const rest = path.slice(length);
    const order = places.findIndex((place) => place.every((key, index) => rest[index] === key));
    const place = places[order];
    if (!place) return steps;
    length += place.length;
    const inner = path.slice(0, length);
    const group = type?.kind === 'group';
    steps.push({ key: place.join('.'), order, count: places.length, group, path: inner });
  }
}

/** From 1, as in verdicts. */
function lineOf({ source }: { readonly source: { readonly range: Range } }): number {
  return source.range.start.line + 1;
}

/**
 * A group has a verdict for each of its assertions; a graph only for the one it came to.
 *
 * @param inner the assertion, with the line on which the run found it
 */
function nestedVerdict(
  { nested = [] }: Verdict,
  { order, count, group }: Step,
  inner: (Identity & { readonly line: number }) | undefined,
  stale: boolean,
): Verdict | undefined {
  const there = group && nested.length === count ? nested[order] : undefined;
  if (!inner || (there && !stale)) return there;
  const same = nested.filter(({ assertion }) => isSame(assertion, inner));
  if (!stale) return same.find(({ assertion }) => assertion.line === inner.line);
  return same.length === 1 ? same[0] : there;
}
