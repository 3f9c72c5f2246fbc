import { basename } from 'node:path';
import { parseJson, pushAll } from '../../core/data/data.ts';
import { LIMITS } from '../../core/limits.ts';
import { summaries } from '../../core/presentation/assertionSummary.ts';
import { countCases } from '../../core/record/repetitions.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import type { Verdict } from '../../core/verdict.ts';
import { readRegular } from '../../disk/regularFile.ts';
import {
  createAssessment,
  createRun,
  endRun,
  findRun,
  linkTraces,
  logMetrics,
  type NewAssessment,
  type RunStatus,
  traceInfo,
} from './api.ts';
import type { MlflowClient } from './client.ts';
import { type Link, linkFile, linkSchema, sessionOf } from './folder.ts';
import { SESSION } from './session.ts';

/** MLflow's own names for tags, which its pages use. */
const SOURCE_RUN = 'mlflow.assessment.sourceRunId';
const RUN_TYPE = { key: 'mlflow.runType', value: 'genai_evaluate' };

const OWN_RUN = 'turnlight.run';
const OWN_KEY = 'turnlight.verdict';

/** Characters that MLflow doesn't allow in metric names. */
const NOT_IN_METRICS = /[^A-Za-z0-9_\-. /:]+/g;

/** Limits of MLflow's database columns. */
const MAX_RATIONALE = 16_000;
const MAX_NAME = 200;

/** A recorded run. */
/** Without the conversation: MLflow has it, and all cases are in memory at once. */
export type JudgedCase = Omit<CaseLine, 'conversation' | 'facts'>;

export interface JudgedRun {
  readonly id: string;
  /** ISO 8601. */
  readonly started: string;
  readonly evalFile: string;
  /** The cases, reduced to those in the link. */
  readonly cases: readonly JudgedCase[];
  readonly status: RunStatus;
}

export async function readLink(evalFile: string): Promise<Link | undefined> {
  const text = await readRegular(linkFile(evalFile), LIMITS.mlflowAnswer).catch(() => '');
  return linkSchema.safeParse(parseJson(String(text))).data;
}

/**
 * Writes verdicts to the first traces of their sessions, along with an evaluation run and its metrics. Skips verdicts
 * that an earlier push of the same run wrote, and counts them as `known`.
 *
 * @throws MlflowError
 */
export async function push(client: MlflowClient, run: JudgedRun, link: Link) {
  const { experiment_id: experiment } = link.experiment;
  const own = { key: OWN_RUN, value: run.id };
  const file = basename(run.evalFile);
  const tags = [RUN_TYPE, own, { key: 'turnlight.file', value: file }];
  const started = Date.parse(run.started);
  const runId =
    (await findRun(client, experiment, own)) ??
    (await createRun(client, experiment, `turnlight ${file}`, started, tags));
  let assessments = 0;
  let known = 0;
  const linked: string[] = [];
  const sessions = new Set<string>();
  for (const line of run.cases) {
    const found = sessionOf(link, line);
    const [first] = found?.traces ?? [];
    if (!found || first === undefined) continue;
    pushAll(linked, found.traces);
    sessions.add(found.session);
    const there = await pushedKeys(client, first, run.id);
    for (const verdict of line.verdicts) {
      if (verdict.status === 'skipped') continue;
      const key = keyOf(line, verdict);
      if (there.has(key)) known += 1;
      else {
        const metadata = { [SESSION]: found.session, [SOURCE_RUN]: runId, [OWN_RUN]: run.id };
        const more = { [OWN_KEY]: key, 'turnlight.case': line.id };
        await createAssessment(client, first, assessmentOf(verdict, { ...metadata, ...more }));
        assessments += 1;
      }
    }
  }
  await linkTraces(client, runId, [...new Set(linked)]);
  const ended = run.cases.reduce((last, { finished }) => Math.max(last, Date.parse(finished)), 0);
  const metrics = metricsOf(run.cases);
  await logMetrics(client, runId, metrics, ended);
  await endRun(client, runId, run.status, ended);
  const written = { sessions: sessions.size, assessments, metrics: Object.keys(metrics).length };
  return { runId, known, ...written };
}

/** The keys of a run's verdicts that are already on a trace. */
async function pushedKeys(client: MlflowClient, trace: string, run: string): Promise<Set<string>> {
  const { assessments } = await traceInfo(client, trace);
  const own = assessments.filter(({ metadata }) => metadata[OWN_RUN] === run);
  return new Set(own.map(({ metadata }) => metadata[OWN_KEY] ?? ''));
}

function keyOf({ repetition }: JudgedCase, { assertion }: Verdict): string {
  return `${assertion.key ?? assertion.index} ${repetition}`;
}

function assessmentOf(verdict: Verdict, metadata: Readonly<Record<string, string>>): NewAssessment {
  const { assertion, label, value, score, threshold, rationale, misses, judge, status } = verdict;
  const feedback =
    verdict.status === 'error'
      ? { error: { error_code: verdict.reason, error_message: rationale.slice(0, 1_000) } }
      : { value: label ?? value ?? score ?? status };
  const words = [rationale, ...misses.filter((miss) => !rationale.includes(miss))].join('\n');
  return {
    assessment_name: assertion.name.slice(0, MAX_NAME),
    source: judge
      ? { source_type: 'LLM_JUDGE', source_id: judge.model }
      : { source_type: 'CODE', source_id: `turnlight ${assertion.type}` },
    feedback,
    rationale: words.slice(0, MAX_RATIONALE),
    metadata: {
      ...metadata,
      'turnlight.status': status,
      'turnlight.threshold': String(threshold),
      ...(score !== null && { 'turnlight.score': String(score) }),
    },
  };
}

/** Each assertion's mean, pass rate, labels, and errors, and the counts of all cases. */
function metricsOf(cases: readonly JudgedCase[]): Record<string, number> {
  const metrics: Record<string, number> = {};
  const put = (name: string, value: number | null | undefined) => {
    if (value === null || value === undefined) return;
    metrics[name.replace(NOT_IN_METRICS, '_').slice(0, MAX_NAME)] = value;
  };
  for (const { name, mean, passed, failed, skipped, errored, values } of summaries(cases)) {
    put(`${name}/mean`, mean);
    if (passed + failed > 0) put(`${name}/pass_rate`, passed / (passed + failed));
    for (const [value, count] of Object.entries(values)) put(`${name}/count/${value}`, count);
    put(`${name}/errors`, sum(Object.values(errored)));
    put(`${name}/skipped`, skipped);
  }
  const { pass, fail, error, skipped } = countCases(cases);
  if (pass + fail > 0) put('cases/pass_rate', pass / (pass + fail));
  put('cases/passed', pass);
  put('cases/failed', fail);
  put('cases/errors', error);
  put('cases/skipped', skipped);
  return metrics;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
