import * as z from 'zod';

/** What MLflow's REST API answers, as far as it is read here. No object is strict: servers add keys. */
const texts = z.record(z.string(), z.string()).default({});

export const assessmentSchema = z.object({
  assessment_id: z.string().default(''),
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
  /** False for one that another has replaced. */
  valid: z.boolean().default(true),
});

export const traceInfoSchema = z.object({
  trace_id: z.string().min(1),
  /** ISO 8601. */
  request_time: z.string().default(''),
  trace_metadata: texts,
  tags: texts,
  assessments: z.array(assessmentSchema).default([]),
  request_preview: z.string().optional(),
  response_preview: z.string().optional(),
});

export const tracePageSchema = z.object({
  traces: z.array(traceInfoSchema).default([]),
  next_page_token: z.string().optional(),
});

const spanSchema = z.object({
  span_id: z.string(),
  parent_span_id: z.string().nullish(),
  name: z.string().default(''),
  start_time_unix_nano: z.union([z.number(), z.string()]).default(0),
  /** A list of OTLP's, or a mapping whose values are JSON. */
  attributes: z.unknown(),
});

export const traceDataSchema = z.object({ spans: z.array(spanSchema).default([]) });

export const traceBatchSchema = z.object({
  traces: z
    .array(
      z.object({
        trace_info: z.object({ trace_id: z.string() }),
        spans: z.array(spanSchema).default([]),
      }),
    )
    .default([]),
});

const experimentSchema = z.object({ experiment_id: z.string(), name: z.string() });

export const foundExperimentSchema = z.object({ experiment: experimentSchema });

export const experimentsSchema = z.object({ experiments: z.array(experimentSchema).default([]) });

const runSchema = z.object({ info: z.object({ run_id: z.string() }) });

export const createdRunSchema = z.object({ run: runSchema });

export const runsSchema = z.object({ runs: z.array(runSchema).default([]) });

export const traceInfoAnswerSchema = z.object({
  trace: z.object({ trace_info: traceInfoSchema }),
});

export const failureSchema = z.object({
  error_code: z.string().default(''),
  message: z.string().default(''),
});

export type Assessment = z.infer<typeof assessmentSchema>;
export type TraceInfo = z.infer<typeof traceInfoSchema>;
export type WireSpan = z.infer<typeof spanSchema>;
export type Experiment = z.infer<typeof experimentSchema>;
