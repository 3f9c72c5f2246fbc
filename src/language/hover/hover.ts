import type { Hover } from 'vscode-languageserver-types';
import { contains, type Position, type Range } from '../../core/problem.ts';
import { historyText } from '../../core/record/caseHistory.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { escapeLine, paragraphs } from '../../core/text/markdown.ts';
import { isFailure, recalledAmong } from '../../core/verdict.ts';
import { type CasesNow, textsNow } from '../../evalfile/caseChanges.ts';
import type { OutlineAssertion, OutlineCase } from '../../evalfile/loadedSuite.ts';
import type { EvalDocument, LastRuns, LastVariants, PastRuns } from '../ports.ts';
import type { SymbolPorts } from '../symbols/sameSymbol.ts';
import { documentation, type HoverPart } from './keyMarkdown.ts';
import { assertionWay, recordedVerdict } from './recordedVerdict.ts';
import { symbolHover } from './symbolMarkdown.ts';
import { chosenTurns, replyMarkdown } from './turnTexts.ts';
import {
  caseMarkdown,
  changeMarkdown,
  turnMarkdown,
  variantsMarkdown,
  verdictMarkdown,
} from './verdictMarkdown.ts';

/**
 * On a key its documentation, on an assertion type what it asks; on a name or a path what it stands
 * for, on a turn's number what is said in it; on a case's id, a turn or an assertion what the last
 * run said about it.
 *
 * @param around without it, names and paths say nothing
 */
export async function hover(
  document: EvalDocument,
  position: Position,
  lastRuns: LastRuns,
  around?: SymbolPorts,
  lastVariants?: LastVariants,
  casesNow?: CasesNow,
  pastRuns?: PastRuns,
): Promise<Hover | undefined> {
  const help =
    (await chosenTurns(document, position, lastRuns)) ??
    (around && (await symbolHover(document.yaml.path, position, around))) ??
    documentation(document.yaml, position);
  const verdict = await lastVerdict(document, position, lastRuns, lastVariants, casesNow, pastRuns);
  const parts = [verdict?.markdown, help?.markdown].filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  const range = help?.range ?? verdict?.range;
  return {
    contents: { kind: 'markdown', value: parts.join('\n\n---\n\n') },
    ...(range && { range }),
  };
}

/** What a name in a judge prompt stands for: its model, a key of the cases' `context`. */
export async function promptHover(
  path: string,
  position: Position,
  around: SymbolPorts,
): Promise<Hover | undefined> {
  const part = await symbolHover(path, position, around);
  return part && { contents: { kind: 'markdown', value: part.markdown }, range: part.range };
}

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
