import * as z from 'zod';
import { visibleLine } from '../../core/text/visibleText.ts';
import type { MlflowClient } from './client.ts';
import { MlflowError } from './mlflowError.ts';

/** The parts of MLflow's REST API that we read. No schema is strict, because servers add keys. */
const texts = z.record(z.string(), z.string()).default({});

const assessmentSchema = z.object({
  assessment_name: z.string(),
  source: z.object({ source_type: z.string(), source_id: z.string().default('') }).optional(),
  create_time: z.string().optional(),
  feedback: z.object({ value: z.unknown().optional() }).optional(),
  expectation: z
    .object({
      value: z.unknown().optional(),
      serialized_value: z.object({ value: z.string() }).optional(),
    })
    .optional(),
  rationale: z.string().optional(),
  metadata: texts,
  /** False if a newer assessment replaced it. */
  valid: z.boolean().default(true),
});

export const traceInfoSchema = z.object({
  trace_id: z.string().min(1),
  /** ISO 8601. */
  request_time: z.string().default(''),
  trace_metadata: texts,
  tags: texts,
  assessments: z.array(assessmentSchema).default([]),
});

const tracePageSchema = z.object({
  traces: z.array(traceInfoSchema).default([]),
  next_page_token: z.string().optional(),
});

const spanSchema = z.object({
  span_id: z.string(),
  parent_span_id: z.string().nullish(),
  name: z.string().default(''),
  start_time_unix_nano: z.union([z.number(), z.string()]).default(0),
  /** A list as in OTLP, or a mapping whose values are JSON text. */
  attributes: z.unknown(),
});

export const traceDataSchema = z.object({ spans: z.array(spanSchema).default([]) });

const traceBatchSchema = z.object({
  traces: z
    .array(traceDataSchema.extend({ trace_info: z.object({ trace_id: z.string() }) }))
    .default([]),
});

const experimentSchema = z.object({ experiment_id: z.string(), name: z.string() });

const runSchema = z.object({ info: z.object({ run_id: z.string() }) });

export type Assessment = z.infer<typeof assessmentSchema>;
export type TraceInfo = z.infer<typeof traceInfoSchema>;
export type WireSpan = z.infer<typeof spanSchema>;
type Experiment = z.infer<typeof experimentSchema>;

/** MLflow's maximum page size. */
const PAGE = 500;

/** Maximum number of traces per request for spans. */
export const BATCH = 20;

/** MLflow's maximum number of items per request. */
const MAX_METRICS = 1_000;
const MAX_LINKS = 100;

/** Finds an experiment by name, or by id if no experiment has that name. @throws MlflowError */
export async function findExperiment(client: MlflowClient, wanted: string): Promise<Experiment> {
  const answer = z.object({ experiment: experimentSchema });
  const ask = async (path: string, key: string) => {
    const url = `/api/2.0/mlflow/experiments/${path}`;
    return client.get(url, answer, [[key, wanted]]).catch((error: unknown) => {
      if (error instanceof MlflowError && error.reason === 'not-found') return undefined;
      throw error;
    });
  };
  const isId = /^\d+$/.test(wanted);
  const found =
    (await ask('get-by-name', 'experiment_name')) ??
    (isId ? await ask('get', 'experiment_id') : undefined);
  if (found) return found.experiment;
  const { experiments } = await client.search(
    '/api/2.0/mlflow/experiments/search',
    { max_results: 20 },
    z.object({ experiments: z.array(experimentSchema).default([]) }),
  );
  const names = experiments.map(({ name }) => `"${visibleLine(name, 60)}"`).join(', ');
  throw new MlflowError(
    'not-found',
    `There is no experiment "${visibleLine(wanted, 100)}" at ${client.url}. ${names === '' ? "You don't have access to any experiments." : `Available: ${names}.`}`,
  );
}

/** All traces in an experiment without their spans, oldest first, page by page. */
export async function* searchTraces(
  client: MlflowClient,
  experimentId: string,
  session?: string,
): AsyncGenerator<readonly TraceInfo[]> {
  const experiment = { experiment_id: experimentId };
  const query = {
    locations: [{ type: 'MLFLOW_EXPERIMENT', mlflow_experiment: experiment }],
    max_results: PAGE,
    order_by: ['timestamp_ms ASC'],
    ...(session !== undefined && { filter: sessionFilter(session) }),
  };
  let token: string | undefined;
  do {
    const body = { ...query, ...(token !== undefined && { page_token: token }) };
    const page = await client.search('/api/3.0/mlflow/traces/search', body, tracePageSchema);
    yield page.traces;
    token = page.traces.length === 0 ? undefined : page.next_page_token || undefined;
  } while (token !== undefined);
}

/**
 * A filter for one session. MLflow's filters have no escapes, so there is no filter for a name with both kinds of
 * quotes.
 */
function sessionFilter(session: string): string | undefined {
  const quote = ["'", '"'].find((one) => !session.includes(one));
  return quote && `metadata.\`mlflow.trace.session\` = ${quote}${session}${quote}`;
}

const SPANS_LOCATION = 'mlflow.trace.spansLocation';

/** Spans by trace id. Servers store them in different places. */
export async function spansOf(
  client: MlflowClient,
  infos: readonly TraceInfo[],
): Promise<Map<string, readonly WireSpan[]>> {
  const found = new Map<string, readonly WireSpan[]>();
  const stored = infos.filter(({ tags }) => tags[SPANS_LOCATION] === 'TRACKING_STORE');
  if (stored.length > 0) {
    const { traces } = await client.get(
      '/api/3.0/mlflow/traces/batchGet',
      traceBatchSchema,
      stored.map(({ trace_id }) => ['trace_ids', trace_id]),
    );
    for (const { trace_info, spans } of traces) found.set(trace_info.trace_id, spans);
  }
  for (const { trace_id } of infos) {
    if (found.has(trace_id)) continue;
    const path = '/ajax-api/2.0/mlflow/get-trace-artifact';
    const { spans } = await client.get(path, traceDataSchema, [['request_id', trace_id]]);
    found.set(trace_id, spans);
  }
  return found;
}

export async function traceInfo(client: MlflowClient, id: string): Promise<TraceInfo> {
  const { trace } = await client.get(
    `/api/3.0/mlflow/traces/${encodeURIComponent(id)}`,
    z.object({ trace: z.object({ trace_info: traceInfoSchema }) }),
  );
  return trace.trace_info;
}

/** An assessment in MLflow's format. */
export interface NewAssessment {
  readonly assessment_name: string;
  readonly source: { readonly source_type: 'LLM_JUDGE' | 'CODE'; readonly source_id: string };
  readonly feedback: {
    readonly value?: string | number | boolean;
    readonly error?: { readonly error_code: string; readonly error_message: string };
  };
  readonly rationale: string;
  readonly metadata: Readonly<Record<string, string>>;
}

export async function createAssessment(
  client: MlflowClient,
  traceId: string,
  assessment: NewAssessment,
): Promise<void> {
  await client.post(`/api/3.0/mlflow/traces/${encodeURIComponent(traceId)}/assessments`, {
    assessment: { ...assessment, trace_id: traceId },
  });
}

interface Tag {
  readonly key: string;
  readonly value: string;
}

/** The id of the run that has a given tag; undefined if there is none. */
export async function findRun(
  client: MlflowClient,
  experimentId: string,
  { key, value }: Tag,
): Promise<string | undefined> {
  const { runs } = await client.search(
    '/api/2.0/mlflow/runs/search',
    { experiment_ids: [experimentId], filter: `tags.\`${key}\` = '${value}'`, max_results: 1 },
    z.object({ runs: z.array(runSchema).default([]) }),
  );
  return runs[0]?.info.run_id;
}

export async function createRun(
  client: MlflowClient,
  experimentId: string,
  name: string,
  started: number,
  tags: readonly Tag[],
): Promise<string> {
  const { run } = await client.post(
    '/api/2.0/mlflow/runs/create',
    { experiment_id: experimentId, run_name: name, start_time: started, tags },
    z.object({ run: runSchema }),
  );
  return run.info.run_id;
}

export async function linkTraces(
  client: MlflowClient,
  runId: string,
  ids: readonly string[],
): Promise<void> {
  for (let from = 0; from < ids.length; from += MAX_LINKS) {
    await client.post('/api/2.0/mlflow/traces/link-to-run', {
      run_id: runId,
      trace_ids: ids.slice(from, from + MAX_LINKS),
    });
  }
}

export async function logMetrics(
  client: MlflowClient,
  runId: string,
  metrics: Readonly<Record<string, number>>,
  timestamp: number,
): Promise<void> {
  const all = Object.entries(metrics).map(([key, value]) => ({ key, value, timestamp, step: 0 }));
  for (let from = 0; from < all.length; from += MAX_METRICS) {
    await client.post('/api/2.0/mlflow/runs/log-batch', {
      run_id: runId,
      metrics: all.slice(from, from + MAX_METRICS),
    });
  }
}

/** MLflow's run states that mean that a run has ended. */
export type RunStatus = 'FINISHED' | 'FAILED' | 'KILLED';

export async function endRun(
  client: MlflowClient,
  runId: string,
  status: RunStatus,
  ended: number,
): Promise<void> {
  await client.post('/api/2.0/mlflow/runs/update', {
    run_id: runId,
    status,
    end_time: ended,
  });
}
