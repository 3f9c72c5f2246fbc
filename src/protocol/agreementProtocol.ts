import * as z from 'zod';
import { statusSchema } from '../core/verdict.ts';
import type { FromPage, PageProtocol, ToPage } from './viewPage.ts';

const count = z.int().min(0);

const share = z.number().nullable();

/** How well the judge would agree with people at other thresholds. */
const thresholdsSchema = z.strictObject({
  head: z.array(z.string()),
  /** Rows sorted by threshold. Each has the table cells, as named in `head`, and the numbers for the chart. */
  rows: z.array(
    z.strictObject({ cells: z.array(z.string()), precision: share, recall: share, kappa: share }),
  ),
  /** Index of the row with the best agreement. */
  best: count,
  /** A sentence about the best threshold. */
  words: z.string(),
});

const rowSchema = z.strictObject({
  /** Table cells, as named in `head`. */
  cells: z.array(z.string()),
  /** Counts for each combination of answers; the judge's answer comes first. */
  confusion: z.strictObject({ failFail: count, failPass: count, passFail: count, passPass: count }),
  /** Indexes into `disagreements`. */
  disagreements: z.array(count),
  /** Absent for turns, and if the judge always gives the same score. */
  thresholds: thresholdsSchema.optional(),
});

const disagreementSchema = z.strictObject({
  /** `refund, turn 4, Kind` */
  about: z.string(),
  judge: z.string(),
  status: statusSchema,
  said: z.array(
    z.strictObject({ person: z.string(), words: z.string(), comment: z.string().optional() }),
  ),
  /** Present if the question has changed since it was labeled. */
  mark: z.string().optional(),
});

const agreementSchema = z.strictObject({
  phase: z.enum(['reading', 'done']),
  labels: count,
  head: z.array(z.string()),
  meaning: z.string(),
  rows: z.array(rowSchema),
  /** Notes on labels that aren't counted. */
  notes: z.array(z.string()),
  problems: z.array(z.string()),
  disagreements: z.array(disagreementSchema),
  /** Number of disagreements beyond those listed. */
  more: count,
});

/** Messages between the extension and the agreement view. */
export const agreementProtocol = {
  toPage: z.strictObject({ kind: z.literal('snapshot'), agreement: agreementSchema }),
  fromPage: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('ready') }),
    /** Opens the conversation of a disagreement, at its turn. */
    z.strictObject({ kind: z.literal('open'), disagreement: count }),
  ]),
  state: z.strictObject({}),
} satisfies PageProtocol;

export type AgreementSnapshot = z.infer<typeof agreementSchema>;
export type ThresholdTable = z.infer<typeof thresholdsSchema>;
export type ToAgreement = ToPage<typeof agreementProtocol>;
export type FromAgreement = FromPage<typeof agreementProtocol>;
