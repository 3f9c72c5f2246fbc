import { escapeLine, paragraphs } from '../../core/presentation/markdown.ts';
import type { Position, Range } from '../../core/problem.ts';
import { recalledAmong } from '../../core/recalled.ts';
import { historyText } from '../../core/record/caseHistory.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { isFailure } from '../../core/verdict.ts';
import { type CasesNow, textsNow } from '../../evalfile/caseChanges.ts';
import type { OutlineAssertion, OutlineCase } from '../../evalfile/loadedSuite.ts';
import type { EvalDocument, LastRuns, LastVariants, PastRuns } from '../ports.ts';
import { contains } from '../range.ts';
import { assertionWay } from './assertionWay.ts';
import type { HoverPart } from './keyMarkdown.ts';
import { recordedVerdict } from './recordedVerdict.ts';
import { replyMarkdown } from './turnTexts.ts';
import {
  caseMarkdown,
  changeMarkdown,
  turnMarkdown,
  variantsMarkdown,
  verdictMarkdown,
} from './verdictMarkdown.ts';

/** What the last run said about the case, the turn or the assertion at a place. */
export async function lastVerdict(
  document: EvalDocument,
  position: Position,
  lastRuns: LastRuns,
  lastVariants: LastVariants = async () => [],
  casesNow: CasesNow = textsNow,
  pastRuns: PastRuns = async () => undefined,
): Promise<HoverPart | undefined> {
  const { suite } = document;
  const found = suite.outline.find(
    ({ path, range }) => path === suite.path && contains(range, position),
  );
  if (found?.id === undefined) return undefined;
  const subjectThere = subjectOf(document, found, position);
  const lines = subjectThere ? await lastRuns(suite.path, found.id) : [];
  if (!subjectThere || lines.length === 0) return undefined;
  const subject = subjectThere();
  // Of the conversations of a case those are told that did not pass; all are counted.
  const isCounted = subject.isCase && found.several !== undefined;
  const told = isCounted ? lines.filter(isFailure) : lines;
  const now = casesNow(suite, found);
  const changes = await Promise.all(lines.map((line) => now.changeOf(line)));
  const parts = told.flatMap((line) => {
    const markdown = subject.say(line, line.source.hash !== found.hash);
    if (markdown === undefined) return [];
    const title = lines.length > 1 || line.variant !== undefined ? titleOf(line) : '';
    return [`${title}${markdown}`];
  });
  const all = isCounted ? await lastVariants(suite.path, found.id) : [];
  const changed = [...changes, ...all.map(({ change }) => change)].find((one) => one);
  const counted = all.length > 0 ? [variantsMarkdown(all)] : [];
  if (parts.length + counted.length === 0) return undefined;
  const past = subject.isCase && (await pastRuns(suite.path, found.id));
  return {
    markdown: paragraphs(changeMarkdown(changed), past && historyText(past), ...counted, ...parts),
    range: subject.range,
  };
}

function titleOf({ variant, repetition, repetitions }: CaseLine): string {
  const repeated = variant === undefined || repetitions > 1 ? [`Repetition ${repetition}`] : [];
  const named = variant === undefined ? [] : [escapeLine(variant, 80)];
  return `### ${[...named, ...repeated].join(' · ')}\n\n`;
}

interface Subject {
  readonly range: Range;
  readonly isCase?: true;
  say(line: CaseLine, stale: boolean): string | undefined;
}

/** The innermost thing at the place: an assertion under a turn before the turn. */
function subjectOf(
  document: EvalDocument,
  found: OutlineCase,
  position: Position,
): (() => Subject) | undefined {
  const assertion = found.assertions.find(
    ({ path, range }) => path === document.suite.path && contains(range, position),
  );
  if (assertion) return () => assertionSubject(document, found, assertion, position);
  const turn = found.turns.find(({ range }) => contains(range, position));
  if (turn) {
    // Of a scripted turn the reply is not in the file.
    const [, reply] = turn.turns;
    const say = (line: CaseLine) =>
      paragraphs(
        reply === undefined ? undefined : replyMarkdown(line, reply),
        turnMarkdown(line, turn.turns),
      ) || undefined;
    return () => ({ range: turn.range, say });
  }
  const { yaml } = document;
  const { path, onKey } = yaml.pathAt(position);
  if (onKey && path.length === 3 && path[2] === 'simulate') {
    return () => ({ range: yaml.keyRangeOf(path), say: caseMarkdown });
  }
  return contains(found.nameRange, position)
    ? () => ({ range: found.nameRange, isCase: true, say: caseMarkdown })
    : undefined;
}

function assertionSubject(
  { yaml, suite }: EvalDocument,
  found: OutlineCase,
  assertion: OutlineAssertion,
  position: Position,
): Subject {
  const suiteCase = suite.suite?.cases.find(({ id }) => id === found.id);
  const { path } = yaml.pathAt(position);
  const way = assertionWay(yaml, found, assertion, path, suiteCase);
  const last = way.at(-1);
  return {
    range: last && last !== way[0] ? yaml.entryRangeOf(last.path) : assertion.range,
    say({ verdicts, source }, stale) {
      const moved = found.range.start.line - source.range.start.line;
      const verdict = recordedVerdict(verdicts, way, { stale, moved, suiteCase });
      if (verdict) return verdictMarkdown(verdict, recalledAmong(verdicts)(verdict));
      const holder = recordedVerdict(verdicts, [way[0]], { stale, moved, suiteCase });
      return holder && '_The last run did not come to this assertion._';
    },
  };
}
