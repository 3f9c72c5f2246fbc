import * as z from 'zod';
import { isMapping, type Mapping, mappingOf } from '../../core/data/data.ts';
import { type Grading, type Scale, UNIT_SCALE } from '../../core/scoring.ts';
import type { Fault } from '../contract.ts';
import { readSchema } from './readSchema.ts';

/** Keys of an assertion or a judge prompt that define how the judge grades. */
export const gradingKeys = {
  scale: z
    .tuple([z.number(), z.number()])
    .refine(([low, high]) => low < high, 'Give the lowest score first and the highest second.')
    .meta({ description: 'Lowest and highest score the judge can give. Default: `[0, 1]`.' })
    .optional(),
  labels: z
    .record(z.string().min(1), z.number().min(0).max(1))
    .refine((labels) => Object.keys(labels).length > 1, 'Give at least two labels.')
    .meta({
      description:
        'Labels for the judge to choose from, each with a score from 0 to 1: `{ polite: 1, neutral: 0.5, impolite: 0 }`. Replaces `scale`.',
    })
    .optional(),
};

const gradingSchema = z.object(gradingKeys);

export function gradingFaults({ scale, labels }: Mapping): Fault[] {
  if (scale === undefined || labels === undefined) return [];
  const message = 'Set either `labels` or `scale`, not both: a label has its own score.';
  return [{ path: ['scale'], message }];
}

/** How the judge should grade; undefined if neither key is present and valid. */
export function writtenGrading(keys: Mapping): Grading | undefined {
  const { scale, labels } = gradingSchema.safeParse(keys).data ?? {};
  if (labels) return { kind: 'labels', labels };
  return scale && { kind: 'scale', scale };
}

/** The scale that thresholds use. */
export function scaleOfGrading(grading: Grading | undefined): Scale {
  return grading?.kind === 'scale' ? grading.scale : UNIT_SCALE;
}

/** The key of an assertion or a judge prompt that lists what the judge reports in addition to its grade. */
export const detailsKey = z.record(z.string(), z.unknown()).meta({
  description:
    'Additional data for the judge to return, as a JSON Schema of an object. All properties are required; the verdict stores them in `details`.',
});

const listed = z
  .array(z.object({ name: z.string(), value: z.string() }))
  .describe('Findings that the prompt asks for beyond the other fields; else empty.');

/** Problems with `details` as a schema for a judge's answer. */
export function detailsFaults({ details }: Mapping): Fault[] {
  if (!isMapping(details)) return [];
  if (details.type !== 'object') {
    const message = '`details` must describe an object: use `type: object` and `properties`.';
    return [{ path: ['details'], message }];
  }
  if (JSON.stringify(details).includes('"$ref":')) {
    const message = '`details` cannot use `$ref`. Write out the schema it refers to.';
    return [{ path: ['details'], message }];
  }
  return readSchema(details).faults.map(({ path, message }) => ({
    path: ['details', ...path],
    message,
  }));
}

/** The schema of an answer's details. By default, they are names and values. */
export function detailsSchemaOf(schema: Mapping | undefined): z.ZodType {
  if (!schema) return listed;
  const asked = mappingOf(strict(schema));
  const { wrongs } = readSchema(asked);
  return z
    .unknown()
    .superRefine((given, context) => {
      for (const message of wrongs?.(given) ?? []) context.addIssue({ code: 'custom', message });
    })
    .meta(asked);
}

/** The details in a valid answer. */
export function readDetails(given: unknown): Mapping {
  const list = listed.safeParse(given);
  if (!list.success) return mappingOf(given);
  return Object.fromEntries(list.data.map(({ name, value }) => [name, value]));
}

/** Adapts a schema to endpoints that require strict schemas: no additional properties, and all properties required. */
function strict(schema: unknown): unknown {
  if (!isMapping(schema)) return schema;
  const { $schema: _, ...keys } = schema;
  const { properties, anyOf, items } = keys;
  return {
    ...keys,
    ...(items !== undefined && { items: strict(items) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map(strict) }),
    ...(isMapping(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, one]) => [name, strict(one)]),
      ),
      required: Object.keys(properties),
      additionalProperties: false,
    }),
  };
}
