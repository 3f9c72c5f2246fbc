import type { CaseLine } from '../core/record/runRecord.ts';
import type { Verdict } from '../core/verdict.ts';
import type { ReportWriter, RunLog } from './reporter.ts';
import { streamJson } from './streamJson.ts';

/** Integers are `bigint`, because a score of 1 is not an integer. */
type Value = string | number | bigint | undefined;

/**
 * One log record per verdict, in an OTLP JSON request to `POST` to a collector's `/v1/logs`.
 * https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-events/
 */
export const writeOtlp: ReportWriter = function* (log) {
  const resource = { 'service.name': 'turnlight', 'turnlight.run.id': log.run?.id };
  const scopeLogs = [{ scope: { name: 'turnlight' }, logRecords: logRecords(log) }];
  yield* streamJson({
    resourceLogs: [{ resource: { attributes: attributes(resource) }, scopeLogs }],
  });
  yield '\n';
};

function* logRecords(log: RunLog): Generator<object> {
  for (const line of log.lines()) {
    const named = { ...line, suite: log.recordedSuite(line.suite) };
    for (const verdict of line.verdicts) yield logRecord(named, verdictValues(verdict));
    // Otherwise, a case with no verdicts, or with only skipped ones, would be missing.
    if (line.status === 'error') yield logRecord(named, errorValues(line));
  }
}

function logRecord(line: CaseLine, values: Readonly<Record<string, Value>>): object {
  const time = `${BigInt(Date.parse(line.finished)) * 1_000_000n}`;
  return {
    timeUnixNano: time,
    observedTimeUnixNano: time,
    severityNumber: 9,
    severityText: 'INFO',
    eventName: 'gen_ai.evaluation.result',
    attributes: attributes({
      ...values,
      'turnlight.suite': line.suite,
      'turnlight.case.id': line.id,
      'turnlight.case.variant': line.variant,
      'turnlight.case.repetition': BigInt(line.repetition),
      'turnlight.case.status': line.status,
      'turnlight.case.stop_reason': line.stop_reason,
    }),
  };
}

function verdictValues(verdict: Verdict): Readonly<Record<string, Value>> {
  const { assertion, status, score, label, rationale, reason, judge } = verdict;
  return {
    'gen_ai.evaluation.name': assertion.name,
    'gen_ai.evaluation.score.value': score ?? undefined,
    'gen_ai.evaluation.score.label': label ?? status,
    'gen_ai.evaluation.explanation': rationale,
    'error.type': status === 'error' ? reason : undefined,
    'turnlight.evaluation.status': status,
    'turnlight.evaluation.threshold': verdict.threshold,
    'turnlight.evaluation.type': assertion.type,
    'turnlight.evaluation.judge': judge?.model,
    'turnlight.evaluation.failed_turns': failedTurns(verdict),
  };
}

/** Attributes for a case whose conversation or verdicts failed. */
function errorValues({ id, reason = '', stop_reason }: CaseLine): Readonly<Record<string, Value>> {
  return {
    'gen_ai.evaluation.name': id,
    'gen_ai.evaluation.score.label': 'error',
    'gen_ai.evaluation.explanation': reason,
    'error.type': stop_reason ?? 'error',
    'turnlight.evaluation.status': 'error',
  };
}

/** `2, 6` */
function failedTurns({ turns }: Verdict): string | undefined {
  const failed = turns.filter(({ status }) => status === 'fail').map(({ turn }) => turn);
  return failed.length === 0 ? undefined : failed.join(', ');
}

function attributes(values: Readonly<Record<string, Value>>): object[] {
  return Object.entries(values).flatMap(([key, value]): object[] => {
    if (value === undefined) return [];
    return [{ key, value: attributeValue(value) }];
  });
}

function attributeValue(value: string | number | bigint): object {
  if (typeof value === 'string') return { stringValue: value };
  return typeof value === 'bigint' ? { intValue: String(value) } : { doubleValue: value };
}
