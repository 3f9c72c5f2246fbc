import { posix } from 'node:path';
import * as z from 'zod';
import { JsonShape, shallowJson } from '../core/data/data.ts';
import { tryParse } from '../core/data/listOf.ts';
import { LIMITS } from '../core/limits.ts';
import { type CaseLine, caseLineSchema } from '../core/record/runRecord.ts';
import { MAX_REPETITIONS } from '../core/suite.ts';
import type { EndpointLimitsState } from '../models/endpoint/rateLimiter.ts';
import { isEvalFile } from '../node/paths.ts';

// Messages between a run and its workers are untrusted until this code has parsed them.

const DAY = 86_400_000;

const digest = z.string().regex(/^[0-9a-f]{64}$/);

/** A path relative to the workspace folder, with `/`. It can't lead outside the folder. */
const path = z.string().min(1).max(4_096).refine(staysInside);

const evalFile = path.refine(isEvalFile);

const name = z.string().max(10_000);

/** What a run requires of its workers. */
const manifestSchema = z.strictObject({
  /** The version of Turnlight. */
  version: z.string().max(100),
  timeout: z.int().min(1).max(DAY),
  maxCost: z.number().positive().optional(),
  /** Whether workers may use their own caches. */
  cache: z.boolean(),
  suites: z
    .array(
      z.strictObject({
        path: evalFile,
        files: z.array(z.strictObject({ path, digest })).max(LIMITS.variants + LIMITS.includes),
        models: z.array(name).max(1_000),
      }),
    )
    .max(LIMITS.recordCases)
    .refine((suites) => new Set(suites.map(({ path }) => path)).size === suites.length),
});

const jobSchema = z.strictObject({
  suite: evalFile,
  id: name,
  variant: name.optional(),
  repetition: z.int().min(1).max(MAX_REPETITIONS),
});

const workerStatusSchema = z.strictObject({
  name: z.string().max(300),
  /** `reads` means that the worker is still checking its files. */
  state: z.enum(['reads', 'serves', 'refuses']),
  why: z.string().max(5_000).optional(),
  /** A heartbeat, which changes while the worker is running. */
  beat: z.int().min(0),
});

const amount = z.number().min(0);

const allowanceSchema = z.strictObject({
  spent: amount,
  known: z
    .strictObject({
      limit: amount.optional(),
      remaining: amount,
      reset: amount,
      at: amount,
      mark: z.strictObject({ order: amount, spent: amount }),
    })
    .optional(),
  refills: z.boolean(),
  window: amount,
});

const limitsSchema = z.strictObject({
  order: amount,
  pausedUntil: amount,
  requests: allowanceSchema,
  tokens: allowanceSchema,
});

export type Manifest = z.infer<typeof manifestSchema>;
export type SharedSuite = Manifest['suites'][number];
export type CaseJob = z.infer<typeof jobSchema>;
export type WorkerStatus = z.infer<typeof workerStatusSchema>;

export const MAX_MANIFEST_BYTES = LIMITS.transcript;

export const MAX_WORKER_BYTES = 20_000;

const MAX_LIMITS_BYTES = 2_000;

export function isRunId(text: string): boolean {
  return /^[0-9a-f]{16}$/.test(text);
}

export function readManifest(text: string): Manifest | undefined {
  return tryParse(manifestSchema, parseBounded(text, MAX_MANIFEST_BYTES));
}

export function readJob(data: unknown): CaseJob | undefined {
  return tryParse(jobSchema, data);
}

export function readWorkerStatus(text: string): WorkerStatus | undefined {
  return tryParse(workerStatusSchema, parseBounded(text, MAX_WORKER_BYTES));
}

export function readLimits(text: string): EndpointLimitsState | undefined {
  return tryParse(limitsSchema, parseBounded(text, MAX_LIMITS_BYTES));
}

/** A case's line, with paths as in a record. */
export function readLine(text: unknown): CaseLine | undefined {
  if (typeof text !== 'string') return undefined;
  return tryParse(caseLineSchema, parseBounded(text, LIMITS.recordLine));
}

/** Parses JSON within the limits of size and depth. */
function parseBounded(text: string, bytes: number): unknown {
  if (text.length > bytes) return undefined;
  const shape = new JsonShape().add(Buffer.from(text));
  if (shape.isTooDeep || shape.values > LIMITS.values) return undefined;
  return shallowJson(text);
}

export function staysInside(path: string): boolean {
  return (
    posix.normalize(path) === path &&
    !path.startsWith('/') &&
    !/^\.\.(?:\/|$)/.test(path) &&
    !/[\\\0]|^[A-Za-z]:/.test(path)
  );
}
