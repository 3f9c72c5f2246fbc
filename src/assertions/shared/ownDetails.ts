import * as z from 'zod';
import { isMapping, type Mapping, mappingOf } from '../../core/data/data.ts';
import type { Fault } from '../contract.ts';
import { readSchema } from './readSchema.ts';

/** The key of an assertion or a judge prompt that says what the judge notes beside its grade. */
export const detailsKey = z.record(z.string(), z.unknown()).meta({
  description:
    'What else the judge reports, as a JSON Schema of an object. All properties are required; the verdict keeps them in `details`.',
});

const listed = z
  .array(z.object({ name: z.string(), value: z.string() }))
  .describe('Findings that the prompt asks for beyond the other fields; else empty.');

/** What is wrong with `details` as a schema that a judge's answer can be held to. */
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

/** What of an answer is the details: names and values unless a schema says otherwise. */
export function detailsSchemaOf(schema: Mapping | undefined): z.ZodType {
  if (!schema) return listed;
  const asked = strict(schema);
  const { wrongs } = readSchema(asked);
  return z
    .unknown()
    .superRefine((given, context) => {
      for (const message of wrongs?.(given) ?? []) context.addIssue({ code: 'custom', message });
    })
    .meta(asked);
}

/** Of an answer that fits. */
export function readDetails(given: unknown): Mapping {
  const list = listed.safeParse(given);
  if (!list.success) return mappingOf(given);
  return Object.fromEntries(list.data.map(({ name, value }) => [name, value]));
}

/** As endpoints with strict schemas take it: every object closed, all of its properties required. */
function strict({ $schema: _, ...schema }: Mapping): Mapping {
  const { properties } = schema;
  const inner = Object.entries(schema).map(([key, value]) => [key, strictWithin(key, value)]);
  if (!isMapping(properties)) return Object.fromEntries(inner);
  return {
    ...Object.fromEntries(inner),
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

function strictWithin(key: string, value: unknown): unknown {
  if (key === 'properties' && isMapping(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, isMapping(one) ? strict(one) : one]),
    );
  }
  if (key === 'anyOf' && Array.isArray(value)) {
    return value.map((one) => (isMapping(one) ? strict(one) : one));
  }
  return key === 'items' && isMapping(value) ? strict(value) : value;
}
