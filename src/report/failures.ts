import { type Turn, textOf, turnsOf } from '../core/conversation.ts';
import { outcomeText, pathOf, samplesText, thresholdNote } from '../core/presentation/outcome.ts';
import { thresholdSentence } from '../core/presentation/score.ts';
import { STATUS_ICONS } from '../core/presentation/status.ts';
import { visibleLine, visibleText } from '../core/presentation/visibleText.ts';
import type { CaseLine } from '../core/runRecord.ts';
import type { TurnVerdict, Verdict } from '../core/verdict.ts';
import type { Paint } from './paint.ts';
import { titleOf } from './reporter.ts';

const TURN_LENGTH = 200;
const QUOTE_LENGTH = 160;

/** What went wrong in a case, for a person: each turn with its text, the reason, the quote, the place. */
export function describeFailure(
  line: CaseLine,
  output: readonly string[],
  paint: Paint,
  shownPath: (path: string) => string,
): string[] {
  const icon = paint.status(line.status, STATUS_ICONS[line.status]);
  const place = `${shownPath(line.source.path)}:${line.source.range.start.line + 1}`;
  const lines = [`${icon} ${paint.bold(titleOf(line))}  ${paint.dim(place)}`];
  if (line.threshold !== undefined && line.score !== null) {
    lines.push(`  ${thresholdSentence(line.score, line.threshold)}`);
  }
  if (line.reason) lines.push(...indented(line.reason, 2));
  for (const verdict of line.verdicts) {
    if (verdict.status !== 'fail' && verdict.status !== 'error') continue;
    lines.push(...verdictLines(verdict, line, paint, shownPath));
  }
  if (line.status === 'error' && output.length > 0) {
    lines.push('  The last output of the target:', ...output.map((text) => `    ${text}`));
  }
  return lines;
}

function verdictLines(
  verdict: Verdict,
  line: CaseLine,
  paint: Paint,
  shownPath: (path: string) => string,
): string[] {
  const { assertion } = verdict;
  const icon = paint.status(verdict.status, STATUS_ICONS[verdict.status]);
  const place = paint.dim(`${shownPath(assertion.path)}:${assertion.line}`);
  const name = visibleLine(assertion.name, 80);
  const notes = [assertion.required ? 'required' : undefined, samplesText(verdict)];
  const required = notes.flatMap((note) => (note === undefined ? [] : [`, ${note}`])).join('');
  const note = verdict.status === 'fail' ? thresholdNote(verdict) : '';
  const head = `  ${icon} ${paint.bold(name)}: ${visibleLine(outcomeText(verdict), 60)}${note}${required}  ${place}`;
  const wrong = verdict.turns.filter(({ status }) => status === 'fail' || status === 'error');
  // Those within it tell their turns themselves.
  const bad = verdict.nested ? [] : wrong;
  const turns = new Map(turnsOf(line.conversation).map((turn) => [turn.number, turn]));
  return [
    head,
    ...(verdict.rationale === '' ? [] : indented(verdict.rationale, 4)),
    ...pathLines(verdict),
    ...bad.flatMap((entry) => turnLines(entry, turns.get(entry.turn), verdict, paint, shownPath)),
    ...(verdict.nested ? [] : otherMisses(verdict, bad)).flatMap((miss) => indented(miss, 4)),
    ...nestedLines(verdict, line, paint, shownPath),
  ];
}

/** The way that a decision graph took. */
function pathLines(verdict: Verdict): string[] {
  return pathOf(verdict).flatMap(({ node, answer, why }) =>
    indented(visibleLine(`${node} → ${answer}: ${why}`, TURN_LENGTH), 6),
  );
}

/** Of the assertions within this one, those that did not pass. */
function nestedLines(
  { nested = [] }: Verdict,
  line: CaseLine,
  paint: Paint,
  shownPath: (path: string) => string,
): string[] {
  return nested
    .filter(({ status }) => status === 'fail' || status === 'error')
    .flatMap((one) => verdictLines(one, line, paint, shownPath))
    .map((text) => `  ${text}`);
}

function turnLines(
  entry: TurnVerdict,
  turn: Turn | undefined,
  verdict: Verdict,
  paint: Paint,
  shownPath: (path: string) => string,
): string[] {
  const place = turn?.source
    ? `  ${paint.dim(`${shownPath(turn.source.path)}:${turn.source.range.start.line + 1}`)}`
    : '';
  const lines = [`    Turn ${entry.turn}${turn ? `, ${turn.side}` : ''}${place}`];
  const said = turn ? textOf(turn) : '';
  if (said !== '') lines.push(`      ${paint.dim('>')} ${visibleLine(said, TURN_LENGTH)}`);
  const reasons = entry.rationale === '' ? missesOf(verdict, entry.turn) : [entry.rationale];
  lines.push(...reasons.flatMap((reason) => indented(reason, 6)));
  if (entry.evidence) {
    const note = entry.evidence.verified ? '' : ' (the turn does not hold these words)';
    lines.push(`      Quote: “${visibleLine(entry.evidence.text, QUOTE_LENGTH)}”${note}`);
  }
  return lines;
}

function missesOf(verdict: Verdict, turn: number): string[] {
  return verdict.misses.filter((miss) => miss.startsWith(`Turn ${turn}:`));
}

/** Misses that no shown turn already tells. */
function otherMisses(verdict: Verdict, shown: readonly TurnVerdict[]): string[] {
  return verdict.misses.filter(
    (miss) => !shown.some(({ turn }) => miss.startsWith(`Turn ${turn}:`)),
  );
}

function indented(text: string, spaces: number): string[] {
  return visibleText(text)
    .trim()
    .split('\n')
    .map((line) => `${' '.repeat(spaces)}${line}`);
}
