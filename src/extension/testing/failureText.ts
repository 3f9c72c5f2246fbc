import { turnsOf } from '../../core/conversation.ts';
import { thresholdSentence } from '../../core/presentation/score.ts';
import { STATUS_WORDS } from '../../core/presentation/status.ts';
import { thresholdNote, verdictText } from '../../core/presentation/verdictText.ts';
import { visibleText } from '../../core/presentation/visibleText.ts';
import type { Problem, Source } from '../../core/problem.ts';
import type { CaseLine } from '../../core/runRecord.ts';
import { isFailure, type TurnVerdict, type Verdict } from '../../core/verdict.ts';

/** One thing that went wrong in a case, with the location where it is shown. */
export interface Failure {
  /** Plain text: the Testing panel shows it in a terminal, so nothing in it is obeyed. */
  readonly text: string;
  readonly source: Source;
}

/** What is wrong with a finished case: each failing turn at its line, the rest at its assertion. */
export function failuresOf(line: CaseLine): Failure[] {
  const failures = line.verdicts
    .filter(isFailure)
    .flatMap((verdict) => verdictFailures(verdict, line));
  if (line.reason !== undefined) failures.unshift(failure(line.reason, line.source));
  return failures.length > 0 ? failures : [failure(caseText(line), line.source)];
}

/** What keeps a case from running. */
export function problemFailure({ message, path, range }: Problem): Failure {
  return failure(message, { path, range });
}

function verdictFailures(verdict: Verdict, line: CaseLine): Failure[] {
  const { assertion, status, rationale, reason } = verdict;
  const start = { line: assertion.line - 1, character: 0 };
  const location = { path: assertion.path, range: { start, end: start } };
  if (status === 'error') {
    const why = reason === undefined ? '' : ` (${reason})`;
    const text = `${rationale}\n\n${assertion.name} could not be judged${why}.`;
    return [failure(text, location)];
  }
  const summary = [
    `${assertion.name}: ${verdictText(verdict)}${thresholdNote(verdict)}`,
    rationale,
  ];
  const bad = verdict.turns.filter(isFailure);
  const turns = new Map(turnsOf(line.conversation).map((turn) => [turn.number, turn.source]));
  const atTurns = bad.flatMap((entry) => {
    const source = turns.get(entry.turn);
    return source ? [failure([turnText(entry, verdict), '', ...summary].join('\n'), source)] : [];
  });
  if (atTurns.length > 0 && atTurns.length === bad.length) return atTurns;
  const text = [...summary, ...verdict.misses].filter((text) => text !== '').join('\n');
  return [...atTurns, failure(text, location)];
}

function turnText(entry: TurnVerdict, verdict: Verdict): string {
  const prefix = `Turn ${entry.turn}:`;
  const reasons =
    entry.rationale === ''
      ? verdict.misses.filter((miss) => miss.startsWith(prefix))
      : [`${prefix} ${entry.rationale}`];
  const quote = entry.evidence?.verified ? [`Quote: “${entry.evidence.text}”`] : [];
  return [
    ...(reasons.length > 0 ? reasons : [`${prefix} ${STATUS_WORDS[entry.status]}`]),
    ...quote,
  ].join('\n');
}

function caseText({ score, threshold, status }: CaseLine): string {
  if (score !== null && threshold !== undefined) return thresholdSentence(score, threshold);
  return `The case ${STATUS_WORDS[status]}.`;
}

function failure(text: string, source: Source): Failure {
  return { text: visibleText(text), source };
}
