import * as z from 'zod';
import type { Mapping } from '../../core/data/data.ts';
import { type Grading, type Scale, UNIT } from '../../core/scoring.ts';
import type { Fault } from '../contract.ts';

export const scaleSchema = z
  .tuple([z.number(), z.number()])
  .refine(([low, high]) => low < high, 'Give the lowest score first and the highest second.')
  .meta({ description: 'Lowest and highest score the judge can give. Default: `[0, 1]`.' });

export const labelsSchema = z
  .record(z.string().min(1), z.number().min(0).max(1))
  .refine((labels) => Object.keys(labels).length > 1, 'Give at least two labels.')
  .meta({
    description:
      'Labels for the judge to choose from, each with a score from 0 to 1: `{ polite: 1, neutral: 0.5, impolite: 0 }`. Replaces `scale`.',
  });

/** The keys of an assertion or a judge prompt that say how the judge grades. */
export const gradingKeys = { scale: scaleSchema.optional(), labels: labelsSchema.optional() };

const gradingSchema = z.object(gradingKeys);

/** What is wrong with `scale` and `labels` together. */
export function gradingFaults({ scale, labels }: Mapping): Fault[] {
  if (scale === undefined || labels === undefined) return [];
  const message = 'Set either `labels` or `scale`, not both: a label has its own score.';
  return [{ path: ['scale'], message }];
}

/** How the judge is to grade; undefined if neither key is there, or sound. */
export function writtenGrading(keys: Mapping): Grading | undefined {
  const { scale, labels } = gradingSchema.safeParse(keys).data ?? {};
  if (labels) return { kind: 'labels', labels };
  return scale && { kind: 'scale', scale };
}

/** The scale that a threshold is read on. */
export function scaleOfGrading(grading: Grading | undefined): Scale {
  return grading?.kind === 'scale' ? grading.scale : UNIT;
}
