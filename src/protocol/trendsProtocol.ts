import * as z from 'zod';
import type { FromPage, PageProtocol, ToPage } from './viewPage.ts';

const count = z.int().min(0);

export const METRICS = ['passRate', 'score', 'cost', 'latency'] as const;

const pointSchema = z.strictObject({
  /** Index into `runs`. */
  run: count,
  /** Number of conversations, counting all repetitions; skipped cases have none. */
  conversations: count,
  cases: count,
  /** Number of cases that errored; the pass rate and the score don't include them. */
  errored: count,
  passRate: z.number().min(0).max(1).nullable(),
  score: z.number().min(0).max(1).nullable(),
  cost: z.number().min(0).nullable(),
  /** Milliseconds. */
  latency: z.number().min(0).nullable(),
});

const trendsSchema = z.strictObject({
  /** Runs from oldest to newest. */
  runs: z.array(
    z.strictObject({ title: z.string(), time: z.string(), commit: z.string().optional() }),
  ),
  /**
   * One entry for each eval file and, if there are several, one for all of them together. The first entry is selected
   * by default.
   */
  suites: z.array(z.strictObject({ name: z.string(), points: z.array(pointSchema) })),
});

/** Messages between the extension and the trends view. */
export const trendsProtocol = {
  toPage: z.strictObject({ kind: z.literal('snapshot'), trends: trendsSchema }),
  fromPage: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('ready') }),
    z.strictObject({ kind: z.literal('open'), run: count }),
  ]),
  /** `suite` is the name of the selected suite. */
  state: z.strictObject({ suite: z.string().optional() }),
} satisfies PageProtocol;

export type Metric = (typeof METRICS)[number];
export type Trends = z.infer<typeof trendsSchema>;
export type TrendSuite = Trends['suites'][number];
export type ToTrends = ToPage<typeof trendsProtocol>;
export type FromTrends = FromPage<typeof trendsProtocol>;
