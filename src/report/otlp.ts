import { visibleJson } from '../core/presentation/visibleText.ts';
import type { CaseLine } from '../core/runRecord.ts';
import type { Verdict } from '../core/verdict.ts';
import type { Report } from './reporter.ts';

type Value = string | number | undefined;

/**
 * One OTLP JSON request with a log record for each verdict: the event `gen_ai.evaluation.result` of
 * OpenTelemetry's conventions for generative AI. `POST` it to `/v1/logs` of a collector.
 * https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-events/
 */
export const writeOtlp: Report = ({ run, cases }) => {
  const resource = { 'service.name': 'turnlight', 'turnlight.run.id': run?.id };
  const logRecords = cases.flatMap((line) =>
    line.verdicts.map((verdict) => logRecord(line, verdict)),
  );
  const scopeLogs = [{ scope: { name: 'turnlight' }, logRecords }];
  const request = {
    resourceLogs: [{ resource: { attributes: attributes(resource) }, scopeLogs }],
  };
  return `${visibleJson(request)}\n`;
};

function logRecord(line: CaseLine, verdict: Verdict): object {
  const { assertion, status, score, label, rationale, reason, judge } = verdict;
  const time = `${BigInt(Date.parse(line.finished)) * 1_000_000n}`;
  return {
    timeUnixNano: time,
    observedTimeUnixNano: time,
    severityNumber: 9,
    severityText: 'INFO',
    eventName: 'gen_ai.evaluation.result',
    attributes: attributes({
      'gen_ai.evaluation.name': assertion.name,
      'gen_ai.evaluation.score.value': score ?? undefined,
      'gen_ai.evaluation.score.label': label ?? status,
      'gen_ai.evaluation.explanation': rationale,
      'error.type': status === 'error' ? reason : undefined,
      'gen_ai.request.model': judge?.model,
      'turnlight.case.id': line.id,
      'turnlight.case.variant': line.variant,
      'turnlight.case.repetition': line.repetition,
      'turnlight.evaluation.status': status,
      'turnlight.evaluation.threshold': verdict.threshold,
      'turnlight.evaluation.type': assertion.type,
      'turnlight.evaluation.failed_turns': failedTurns(verdict),
    }),
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
    const typed = typeof value === 'string' ? { stringValue: value } : { doubleValue: value };
    return [{ key, value: typed }];
  });
}
