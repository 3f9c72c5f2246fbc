import { type FailedTurn, type Turn, textOf, turnsByNumber } from '../core/conversation.ts';
import { pushAll } from '../core/data/data.ts';
import { speakerText } from '../core/presentation/agents.ts';
import { MAX_FAILURE_LENGTH } from '../core/presentation/failureText.ts';
import { thresholdSentence } from '../core/presentation/score.ts';
import {
  missesIn,
  otherMisses,
  pathOf,
  samplesText,
  thresholdNote,
  verdictText,
} from '../core/presentation/verdictText.ts';
import { executionTitle, STATUS_ICONS, stopText } from '../core/presentation/words.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import { isFailure } from '../core/scoring.ts';
import { visibleLine, visibleText } from '../core/text/visibleText.ts';
import type { TurnVerdict, Verdict } from '../core/verdict.ts';
import type { Paint } from './style.ts';

interface FailureStyle {
  readonly paint: Paint;
  readonly shownPath: (path: string) => string;
}

const MAX_TURN = 200;
const MAX_QUOTE = 160;

/** A case's failures: each turn with its text, reason, quote, and location. */
export function describeFailure(
  line: CaseLine,
  output: readonly string[],
  style: FailureStyle,
): string[] {
  const { paint, shownPath } = style;
  const icon = paint.status(line.status, STATUS_ICONS[line.status]);
  const location = `${shownPath(line.source.path)}:${line.source.range.start.line + 1}`;
  const lines = [`${icon} ${paint.bold(executionTitle(line))}  ${paint.dim(location)}`];
  if (line.threshold !== undefined && line.score !== null) {
    lines.push(`  ${thresholdSentence(line.score, line.threshold)}`);
  }
  if (line.reason) {
    const { failed_turn: failed } = line;
    if (failed) lines.push(`  ${turnHeading(failed, style)}`);
    pushAll(lines, indent(line.reason, failed ? 4 : 2));
  }
  const stop = stopText(line);
  if (stop !== undefined) pushAll(lines, indent(`Ended: ${stop}`, 2));
  for (const verdict of line.verdicts) {
    if (isFailure(verdict)) pushAll(lines, verdictLines(verdict, line, style));
  }
  if (line.status === 'error' && output.length > 0) {
    lines.push('  Last output of the target:', ...output.map((text) => `    ${text}`));
  }
  return lines;
}

function verdictLines(verdict: Verdict, line: CaseLine, style: FailureStyle): string[] {
  const { assertion } = verdict;
  const { paint, shownPath } = style;
  const icon = paint.status(verdict.status, STATUS_ICONS[verdict.status]);
  const location = paint.dim(`${shownPath(assertion.path)}:${assertion.line}`);
  const name = visibleLine(assertion.name, 80);
  const notes = [assertion.required ? 'required' : undefined, samplesText(verdict)];
  const required = notes.flatMap((note) => (note === undefined ? [] : [`, ${note}`])).join('');
  const note = verdict.status === 'fail' ? thresholdNote(verdict) : '';
  const head = `  ${icon} ${paint.bold(name)}: ${visibleLine(verdictText(verdict), 60)}${note}${required}  ${location}`;
  const nested = verdict.nested?.filter(isFailure) ?? [];
  // Nested assertions show their own turns.
  const ownFailures = verdict.nested ? [] : verdict.turns.filter(isFailure);
  const shownTurns = ownFailures.map(({ turn }) => turn);
  const turns = turnsByNumber(line.conversation);
  return [
    head,
    ...(verdict.rationale === '' ? [] : indent(verdict.rationale, 4)),
    ...pathOf(verdict).flatMap(({ node, answer, why }) =>
      indent(visibleLine(`${node} → ${answer}: ${why}`, MAX_TURN), 6),
    ),
    ...ownFailures.flatMap((entry) => turnLines(entry, turns.get(entry.turn), verdict, style)),
    ...(verdict.nested ? [] : otherMisses(shownTurns, verdict)).flatMap((miss) => indent(miss, 4)),
    ...nested.flatMap((one) => verdictLines(one, line, style).map((text) => `  ${text}`)),
  ];
}

/** `Turn 4, assistant (triage)  evals/a.eval.yaml:12` */
function turnHeading(
  { number, source, ...turn }: FailedTurn & { readonly items?: Turn['items'] },
  { paint, shownPath }: FailureStyle,
): string {
  const location = source && paint.dim(`${shownPath(source.path)}:${source.range.start.line + 1}`);
  return `Turn ${number}, ${speakerText({ items: [], ...turn })}${location ? `  ${location}` : ''}`;
}

function turnLines(
  entry: TurnVerdict,
  turn: Turn | undefined,
  verdict: Verdict,
  style: FailureStyle,
): string[] {
  const { paint } = style;
  const heading = turn ? turnHeading(turn, style) : `Turn ${entry.turn}`;
  const lines = [`    ${heading}`];
  const text = turn ? textOf(turn) : '';
  if (text !== '') lines.push(`      ${paint.dim('>')} ${visibleLine(text, MAX_TURN)}`);
  const reasons = entry.rationale === '' ? missesIn(entry.turn, verdict) : [entry.rationale];
  pushAll(
    lines,
    reasons.flatMap((reason) => indent(reason, 6)),
  );
  if (entry.evidence) {
    const note = entry.evidence.verified ? '' : ' (not found in this turn)';
    lines.push(`      Quote: “${visibleLine(entry.evidence.text, MAX_QUOTE)}”${note}`);
  }
  return lines;
}

function indent(text: string, spaces: number): string[] {
  return visibleText(text, MAX_FAILURE_LENGTH)
    .trim()
    .split('\n')
    .map((line) => `${' '.repeat(spaces)}${line}`);
}
