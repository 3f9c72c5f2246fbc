import * as z from 'zod';
import type { PageProtocol } from './viewPage.ts';

/** What the extension and the view of trends say to each other. Parsed on both ends. */

const place = z.int().min(0);

export const METRICS = ['passRate', 'score', 'cost', 'latency'] as const;

const pointSchema = z.strictObject({
  /** Index in `runs`. */
  run: place,
  executions: place,
  cases: place,
  /** Of the cases; they have no part in pass rate and score. */
  errored: place,
  passRate: z.number().min(0).max(1).nullable(),
  score: z.number().min(0).max(1).nullable(),
  cost: z.number().min(0).nullable(),
  /** Milliseconds. */
  latency: z.number().min(0).nullable(),
});

export const trendsSchema = z.strictObject({
  /** The oldest first. */
  runs: z.array(
    z.strictObject({ title: z.string(), time: z.string(), commit: z.string().optional() }),
  ),
  /** All eval files together, where there are several, and each; the first is what one wants to see first. */
  suites: z.array(z.strictObject({ name: z.string(), points: z.array(pointSchema) })),
});

export const toTrendsSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('snapshot'), trends: trendsSchema }),
]);

export const fromTrendsSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready') }),
  /** The results of a run. */
  z.strictObject({ kind: z.literal('open'), run: place }),
]);

/** What the view keeps over a reload. */
export const trendsStateSchema = z.strictObject({
  /** The name of what is shown of `suites`. */
  suite: z.string().optional(),
});

export const trendsProtocol = {
  toPage: toTrendsSchema,
  fromPage: fromTrendsSchema,
  state: trendsStateSchema,
} satisfies PageProtocol;

export type Metric = (typeof METRICS)[number];
export type Trends = z.infer<typeof trendsSchema>;
export type TrendSuite = Trends['suites'][number];
export type ToTrends = z.infer<typeof toTrendsSchema>;
export type FromTrends = z.infer<typeof fromTrendsSchema>;
