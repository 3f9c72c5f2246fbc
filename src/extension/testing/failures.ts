import { turnsOf } from '../../core/conversation.ts';
import type { Source } from '../../core/problem.ts';
import type { CaseLine } from '../../core/runRecord.ts';
import type { TurnVerdict, Verdict } from '../../core/verdict.ts';
import { neededText, scoreText } from '../../core/verdictWords.ts';
import { outcomeText } from '../../report/outcome.ts';
import { neutralise } from '../../report/plainText.ts';

/** One thing that went wrong in a case, with the place where it is shown. */
export interface Failure {
  /** Plain text: the Testing panel shows it in a terminal, so nothing in it is obeyed. */
  readonly text: string;
  readonly source: Source;
}

/** What is wrong with a finished case: each failing turn at its line, the rest at its assertion. */
export function failuresOf(line: CaseLine): Failure[] {
  const failures = line.verdicts
    .filter(({ status }) => status === 'fail' || status === 'error')
    .flatMap((verdict) => verdictFailures(verdict, line));
  if (line.reason !== undefined) failures.unshift(failure(line.reason, line.source));
  return failures.length > 0 ? failures : [failure(caseText(line), line.source)];
}

function verdictFailures(verdict: Verdict, line: CaseLine): Failure[] {
  const { assertion, status, rationale, reason } = verdict;
  const start = { line: assertion.line - 1, character: 0 };
  const place = { path: assertion.path, range: { start, end: start } };
  if (status === 'error') {
    const why = reason === undefined ? '' : ` (${reason})`;
    return [failure(`${assertion.name} could not be judged${why}: ${rationale}`, place)];
  }
  const summary = [`${assertion.name}: ${outcomeText(verdict)}${scoreNote(verdict)}`, rationale];
  const bad = verdict.turns.filter((entry) => entry.status === 'fail' || entry.status === 'error');
  const turns = new Map(turnsOf(line.conversation).map((turn) => [turn.number, turn.source]));
  const atTurns = bad.flatMap((entry) => {
    const source = turns.get(entry.turn);
    return source ? [failure([turnText(entry, verdict), '', ...summary].join('\n'), source)] : [];
  });
  if (atTurns.length > 0 && atTurns.length === bad.length) return atTurns;
  const told = [...summary, ...verdict.misses].filter((text) => text !== '').join('\n');
  return [...atTurns, failure(told, place)];
}

function turnText(entry: TurnVerdict, verdict: Verdict): string {
  const prefix = `Turn ${entry.turn}:`;
  const reasons =
    entry.rationale === ''
      ? verdict.misses.filter((miss) => miss.startsWith(prefix))
      : [`${prefix} ${entry.rationale}`];
  const quote = entry.evidence?.verified ? [`Quote: “${entry.evidence.text}”`] : [];
  return [...(reasons.length > 0 ? reasons : [`${prefix} ${entry.status}`]), ...quote].join('\n');
}

function scoreNote(verdict: Verdict): string {
  if (verdict.score === null) return '';
  const score = scoreText(verdict.score);
  const shown = outcomeText(verdict) === score ? '' : `score ${score}, `;
  return ` (${shown}needs ${neededText(verdict)})`;
}

function caseText({ score, threshold }: CaseLine): string {
  const came = score === null ? 'no score' : scoreText(score);
  const needs = threshold === undefined ? 'every verdict to pass' : scoreText(threshold);
  return `The case came to ${came}; it needs ${needs}.`;
}

function failure(text: string, source: Source): Failure {
  return { text: neutralise(text), source };
}
