import * as z from 'zod';
import { statusSchema } from '../core/verdict.ts';
import type { PageProtocol } from './viewPage.ts';

/** What the extension and the view of agreement say to each other. Parsed on both ends. */

const count = z.int().min(0);

const share = z.number().nullable();

/** How the judge would agree at other thresholds. */
const thresholdsSchema = z.strictObject({
  head: z.array(z.string()),
  /** Rising; as the head names them, and as they are drawn. */
  rows: z.array(
    z.strictObject({ cells: z.array(z.string()), precision: share, recall: share, kappa: share }),
  ),
  /** Which of them agrees best. */
  best: count,
  /** Which one agrees best, and what that is worth. */
  words: z.string(),
});

const rowSchema = z.strictObject({
  /** As the head names them: judge, assertion, what is compared, and the numbers. */
  cells: z.array(z.string()),
  /** What of judge and people said what, judge first. */
  confusion: z.strictObject({
    failFail: count,
    failPass: count,
    passFail: count,
    passPass: count,
  }),
  /** The disagreements that it counts, by their places in the list. */
  disagreements: z.array(count),
  /** Absent where the judge gives but one score, and of turns. */
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
  /** That the question has changed since. */
  mark: z.string().optional(),
});

export const agreementSchema = z.strictObject({
  phase: z.enum(['reading', 'done']),
  /** How many labels there are. */
  labels: count,
  head: z.array(z.string()),
  /** What the numbers mean. */
  meaning: z.string(),
  rows: z.array(rowSchema),
  /** What is not counted, and what could not be read. */
  notes: z.array(z.string()),
  problems: z.array(z.string()),
  disagreements: z.array(disagreementSchema),
  /** Disagreements that are not listed. */
  more: count,
});

export const toAgreementSchema = z.strictObject({
  kind: z.literal('snapshot'),
  agreement: agreementSchema,
});

export const fromAgreementSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready') }),
  /** The conversation of a disagreement, at its turn. */
  z.strictObject({ kind: z.literal('open'), disagreement: count }),
]);

export const agreementProtocol = {
  toPage: toAgreementSchema,
  fromPage: fromAgreementSchema,
  state: z.strictObject({}),
} satisfies PageProtocol;

export type ShownAgreement = z.infer<typeof agreementSchema>;
export type ShownThresholds = z.infer<typeof thresholdsSchema>;
export type ToAgreement = z.infer<typeof toAgreementSchema>;
export type FromAgreement = z.infer<typeof fromAgreementSchema>;
