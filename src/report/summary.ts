import { costText, counted, durationText } from '../core/presentation/amounts.ts';
import { outcomeText, samplesText } from '../core/presentation/outcome.ts';
import { scoreText } from '../core/presentation/score.ts';
import { STATUS_ICONS, STATUS_WORDS } from '../core/presentation/status.ts';
import { visibleLine } from '../core/presentation/visibleText.ts';
import type { CaseLine } from '../core/runRecord.ts';
import { statusSchema, type Verdict } from '../core/verdict.ts';
import type { Paint } from './paint.ts';
import { type CaseOutcome, type RunLog, titleOf } from './reporter.ts';

/** Counts, labels, cost: the last lines of a report. */
export function summaryLines(log: RunLog, paint: Paint, milliseconds: number): string[] {
  const { cases, outcomes } = log;
  return [
    ...labelLines(cases),
    ...outcomes.flatMap((outcome) => repetitionLine(outcome, paint)),
    ...unstableLines(cases),
    ...(log.end?.stopped === 'max-cost'
      ? ['Stopped: the run could have cost more than it may.']
      : []),
    `Cases: ${countText(outcomes, paint)}${unfinishedText(log)}`,
    `Asked: ${usageText(log)}`,
    `Time: ${durationText(milliseconds)}`,
  ];
}

/** `✗ refund: 1 of 3 repetitions passed, all must; scores spread over 0.50` */
function repetitionLine(outcome: CaseOutcome, paint: Paint): string[] {
  const { lines, status, needed, spread } = outcome;
  const [first] = lines;
  if (first.repetitions === 1) return [];
  const passed = lines.filter((line) => line.status === 'pass').length;
  const must = needed >= 1 ? 'all must' : `${Math.round(needed * 100)} % must`;
  const scores = spread === null ? '' : `; scores spread over ${scoreText(spread)}`;
  const icon = paint.status(status, STATUS_ICONS[status]);
  return [
    `${icon} ${visibleLine(first.id)}: ${passed} of ${lines.length} repetitions passed, ${must}${scores}`,
  ];
}

function countText(outcomes: readonly CaseOutcome[], paint: Paint): string {
  return statusSchema.options
    .map((status) => {
      const count = outcomes.filter((outcome) => outcome.status === status).length;
      const text = `${count} ${STATUS_WORDS[status]}`;
      return count > 0 ? paint.status(status, text) : text;
    })
    .join(', ');
}

function unfinishedText(log: RunLog): string {
  const missing = log.planned - log.cases.length;
  return missing > 0 ? `, ${missing} not finished` : '';
}

/** A verdict that is not the same each time is no firm ground. */
function unstableLines(cases: readonly CaseLine[]): string[] {
  return cases.flatMap((line) =>
    line.verdicts
      .filter(({ judge }) => judge?.unstable)
      .map(
        (verdict) =>
          `Unstable: ${titleOf(line)}, ${visibleLine(verdict.assertion.name, 60)}: ${samplesText(verdict)}`,
      ),
  );
}

/** `Frustration: none 2, unresolved 1`: how often each label was given, a mean would hide it. */
function labelLines(cases: readonly CaseLine[]): string[] {
  const counts = new Map<string, Map<string, number>>();
  for (const verdict of cases.flatMap((line) => line.verdicts)) {
    const { name } = verdict.assertion;
    const ofName = counts.get(name) ?? new Map<string, number>();
    counts.set(name, ofName);
    const label = labelOf(verdict);
    ofName.set(label, (ofName.get(label) ?? 0) + 1);
  }
  return [...counts].map(([name, ofName]) => {
    const parts = [...ofName].map(([label, count]) => `${visibleLine(label, 30)} ${count}`);
    return `${visibleLine(name, 60)}: ${parts.join(', ')}`;
  });
}

/** Bare scores are many: they are counted as passed or failed. */
function labelOf(verdict: Verdict): string {
  if (verdict.status === 'error') return `${STATUS_WORDS.error} (${outcomeText(verdict)})`;
  const said = verdict.label ?? verdict.value;
  const bare = said === undefined || said === verdict.score;
  return bare ? STATUS_WORDS[verdict.status] : outcomeText(verdict);
}

function usageText(log: RunLog): string {
  const { calls, input_tokens, cached_tokens, output_tokens, cost } = log.usage;
  const cached = cached_tokens > 0 ? ` (${cached_tokens} cached)` : '';
  const price = cost === null ? '' : `, cost ${costText(cost)}`;
  return `${counted(calls, 'request')}, ${input_tokens} tokens in${cached}, ${output_tokens} out${price}`;
}
