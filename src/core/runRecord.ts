import * as z from 'zod';
import { conversationSchema } from './conversation.ts';
import { toolSchema } from './message.ts';
import { rangeSchema } from './problem.ts';
import type { SuiteCase } from './suite.ts';
import { statusSchema, usageSchema, verdictSchema } from './verdict.ts';

/**
 * Of the records that are written. Readers take older ones, which lack some keys, and newer ones, of
 * which they leave out the keys that they do not know; hence no object here is a strict one.
 */
export const RECORD_VERSION = 2;

export const runLineSchema = z.object({
  kind: z.literal('run'),
  version: z.int().min(1),
  id: z.string(),
  /** ISO 8601, UTC. */
  started: z.string(),
  /** Suite files with the SHA-256 of the text that ran, hexadecimal. */
  files: z.array(z.object({ path: z.string(), hash: z.string() })),
  commit: z.string().optional(),
  options: z.record(z.string(), z.unknown()),
  /** Judge models as `provider:model`. */
  judges: z.array(z.string()),
});

/** The kinds of a case's `origin`. */
export const originKinds = ['turns', 'transcript'] as const satisfies SuiteCase['origin']['kind'][];

/** Why a conversation ended before all of it was said. */
export const stopReasons = ['stop-on-failure', 'target-error'] as const;

const factsSchema = z.object({
  role: z.string().optional(),
  topics: z.array(z.string()),
  tools: z.array(toolSchema.strip()),
  expectations: z.record(z.string(), z.unknown()),
  context: z.record(z.string(), z.unknown()),
});

export const caseLineSchema = z.object({
  kind: z.literal('case'),
  /** The suite's file; the case itself may stand in an included file. */
  suite: z.string(),
  suite_name: z.string(),
  id: z.string(),
  /** Which of the conversations that the case stands for, where it stands for several. */
  variant: z.string().optional(),
  /** From 1; always 1 without `repeat`. */
  repetition: z.int().min(1),
  repetitions: z.int().min(1),
  source: z.object({
    path: z.string(),
    range: rangeSchema,
    /** SHA-256 of the case's text: a verdict is stale where the text now has another. */
    hash: z.string(),
  }),
  description: z.string().optional(),
  tags: z.array(z.string()),
  /** Where the conversation comes from; like the next four absent in records of version 1. */
  origin: z.enum(originKinds).optional().catch(undefined),
  /** Why it ended where it did; absent where all of it was said. */
  stop_reason: z.enum(stopReasons).optional().catch(undefined),
  /** With the conversation, all that assertions look at. */
  facts: factsSchema.optional(),
  /** The system that replied; absent where nothing was asked. */
  target: z.object({ name: z.string(), type: z.string(), digest: z.string() }).optional(),
  /** SHA-256 of what the conversation was made from, hexadecimal: of the same, the same may come. */
  input_hash: z.string().optional(),
  status: statusSchema,
  /** Weighted mean of the scored verdicts, 0..1. */
  score: z.number().min(0).max(1).nullable(),
  threshold: z.number().min(0).max(1).optional(),
  /** Why the case errored or was skipped. */
  reason: z.string().optional(),
  conversation: conversationSchema,
  verdicts: z.array(verdictSchema),
  usage: usageSchema,
  /** Milliseconds. */
  duration: z.number().min(0),
  /** ISO 8601, UTC. */
  finished: z.string(),
});

export const endLineSchema = z.object({
  kind: z.literal('end'),
  finished: z.string(),
  cancelled: z.boolean(),
  /** What ended the run before all its cases were begun. */
  stopped: z.literal('max-cost').optional(),
  counts: z.record(statusSchema, z.int().min(0)),
});

/** A line of a record. Its paths start from the record's root there, and are absolute everywhere else. */
export const recordLineSchema = z.discriminatedUnion('kind', [
  runLineSchema,
  caseLineSchema,
  endLineSchema,
]);

export type RunLine = z.infer<typeof runLineSchema>;
export type CaseLine = z.infer<typeof caseLineSchema>;
export type OriginKind = (typeof originKinds)[number];
export type StopReason = (typeof stopReasons)[number];
export type EndLine = z.infer<typeof endLineSchema>;
export type RecordLine = z.infer<typeof recordLineSchema>;
