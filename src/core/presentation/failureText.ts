import { type Turn, textOf, turnsByNumber } from '../conversation.ts';
import { groupBy, uniqueBy } from '../data/data.ts';
import type { Problem, Source } from '../problem.ts';
import type { CaseLine } from '../record/runRecord.ts';
import { isFailure } from '../scoring.ts';
import { formatList } from '../text/format.ts';
import { visibleLine, visibleText } from '../text/visibleText.ts';
import type { TurnVerdict, Verdict } from '../verdict.ts';
import { speakerText } from './agents.ts';
import { thresholdSentence } from './score.ts';
import { missesIn, otherMisses, thresholdNote, verdictText } from './verdictText.ts';
import { STATUS_WORDS } from './words.ts';

interface Link {
  readonly label: string;
  readonly source: Source;
  /** Set if the failure is about a turn. */
  readonly turn?: number;
  /** Set for a location named in an error, which can be anywhere. */
  readonly thrown?: true;
}

export interface Failure {
  /** Contains no control characters, because the Testing panel shows it in a terminal. */
  readonly text: string;
  readonly source: Source;
  readonly links: readonly Link[];
}

/** Maximum characters of a turn to quote in a failure. */
const MAX_TURN_LENGTH = 300;

/** Maximum number of lines of an error to search for locations. */
const MAX_STACK_LINES = 50;

/** Maximum characters per line of a file; leaves room for the other failures. */
export const MAX_FAILURE_LENGTH = 4_000;

/**
 * The failures of a finished case: failing turns at their lines, the rest at their assertions. The editor shows only
 * one failure per line, so failures on the same line are combined.
 */
export function failuresOf(line: CaseLine): Failure[] {
  const failures = line.verdicts
    .filter(isFailure)
    .flatMap((verdict) => verdictFailures(verdict, line));
  const { reason, fault, failed_turn: failed } = line;
  if (reason !== undefined) {
    const links = [
      ...(fault ? [{ label: placeText(fault), source: fault }] : []),
      ...(failed?.source ? [turnLink(failed.number, failed.source)] : []),
      ...thrownAt(reason),
    ];
    const text = failed ? `${turnLabel(failed.number)}: ${reason}` : reason;
    failures.unshift(failure(text, failed?.source ?? line.source, links));
  }
  if (failures.length === 0) return [failure(caseText(line), line.source)];
  return byLine(failures).map(combineFailures);
}

export function problemFailure({ message, path, range }: Problem): Failure {
  return failure(message, { path, range });
}

/** `talks.jsonl, line 3` */
export function placeText({ path, range }: Source): string {
  return `${path.split(/[\\/]/).at(-1)}, line ${range.start.line + 1}`;
}

/** Locations in a program, as Node writes them in an error: `    at reply (/shop/bot.mjs:5:28)`. */
function thrownAt(text: string): Link[] {
  const place = /^ +at (?:[^(]* \()?((?:\/|[A-Za-z]:\\).*?):(\d{1,7})(?::(\d{1,7}))?\)?$/;
  return text.split('\n', MAX_STACK_LINES).flatMap((one) => {
    const [, path, line, column = '1'] = place.exec(one) ?? [];
    if (path === undefined) return [];
    const start = {
      line: Math.max(Number(line) - 1, 0),
      character: Math.max(Number(column) - 1, 0),
    };
    const source = { path, range: { start, end: start } };
    return [{ label: placeText(source), source, thrown: true }];
  });
}

function verdictFailures(verdict: Verdict, line: CaseLine): Failure[] {
  const { assertion, status, rationale, reason } = verdict;
  const start = { line: assertion.line - 1, character: 0 };
  const source = { path: assertion.path, range: { start, end: start } };
  const asserted = { label: assertion.name, source };
  if (status === 'error') {
    const why = reason === undefined ? '' : ` (${reason})`;
    const text = `${rationale}\n\n${assertion.name} could not be judged${why}.`;
    return [failure(text, source, [asserted])];
  }
  const summary = [
    `${assertion.name}: ${verdictText(verdict)}${thresholdNote(verdict)}`,
    rationale,
  ];
  const turns = turnsByNumber(line.conversation);
  const bad = verdict.turns.filter(isFailure).map((entry) => ({
    text: turnText(entry, verdict, turns.get(entry.turn)),
    number: entry.turn,
    source: turns.get(entry.turn)?.source,
  }));
  const placed = bad.flatMap(({ source: at, ...one }) => (at ? [{ ...one, source: at }] : []));
  const atTurns = byLine(placed).map((group) => {
    const links = group.map(({ number, source: at }) => turnLink(number, at));
    const texts = group.map(({ text }) => text);
    return failure([...texts, lines(summary)].join('\n\n'), group[0].source, [...links, asserted]);
  });
  const shown = placed.map(({ number }) => number);
  const misses = otherMisses(shown, verdict);
  if (atTurns.length > 0 && misses.length === 0 && placed.length === bad.length) return atTurns;
  return [...atTurns, failure(lines([...summary, ...misses]), source, [asserted])];
}

function turnLabel(number: number): string {
  return `Turn ${number}`;
}

function turnLink(turn: number, source: Source): Link {
  return { label: turnLabel(turn), source, turn };
}

function byLine<One extends { readonly source: Source }>(
  failures: readonly One[],
): [One, ...One[]][] {
  const placeOf = ({ source: { path, range } }: One) => `${range.start.line} ${path}`;
  return [...groupBy(failures, placeOf).values()];
}

/** The first line lists all turns, because often no other line is visible. */
function combineFailures(failures: [Failure, ...Failure[]]): Failure {
  const [{ source }] = failures;
  const links = uniqueBy(
    failures.flatMap((one) => one.links),
    ({ label, source: { path, range } }) => JSON.stringify([label, path, range.start]),
  );
  const turns = links.flatMap(({ turn }) => turn ?? []).sort((a, b) => a - b);
  const head = turns.length > 1 ? [`Turns ${formatList(turns.map(String))} failed.`] : [];
  const texts = [...head, ...failures.map(({ text }) => text)];
  return { text: visibleText(texts.join('\n\n'), MAX_FAILURE_LENGTH), source, links };
}

function turnText(entry: TurnVerdict, verdict: Verdict, turn: Turn | undefined): string {
  const prefix = `${turnLabel(entry.turn)}:`;
  const reasons =
    entry.rationale === '' ? missesIn(entry.turn, verdict) : [`${prefix} ${entry.rationale}`];
  const said = turn ? visibleLine(textOf(turn), MAX_TURN_LENGTH) : '';
  return lines([
    ...(reasons.length > 0 ? reasons : [`${prefix} ${STATUS_WORDS[entry.status]}`]),
    entry.evidence?.verified ? `Quote: “${entry.evidence.text}”` : '',
    turn && said !== '' ? `The ${speakerText(turn)} said: “${said}”` : '',
  ]);
}

function caseText({ score, threshold, status }: CaseLine): string {
  if (score !== null && threshold !== undefined) return thresholdSentence(score, threshold);
  return `The case ${STATUS_WORDS[status]}.`;
}

function lines(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}

function failure(text: string, source: Source, links: readonly Link[] = []): Failure {
  return { text: visibleText(text, MAX_FAILURE_LENGTH), source, links };
}
