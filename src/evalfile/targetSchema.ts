import * as z from 'zod';
import { modelProviders } from '../models/registry.ts';
import { meaningOf } from '../schema/mentions.ts';
import { documentationOf } from '../schema/schemaWalk.ts';
import { targetTypes } from '../targets/registry.ts';
import { text } from './optionalKey.ts';

/** Casts to the tuple type that zod's unions require. */
export function options<Schema extends z.ZodType>(schemas: readonly Schema[]): [Schema, Schema] {
  return schemas as unknown as [Schema, Schema];
}

const modelMapping = z.discriminatedUnion(
  'provider',
  options(modelProviders.map(({ schema }) => schema)),
);

/** A reference to a model, or its mapping. */
export const modelSchema = z.union([text().meta({ refersTo: 'model' }), modelMapping]).meta({
  description: 'A model: its name in `models`, `provider:model`, or a mapping.',
  template: 'env',
});

/** A declaration under `models`. */
export const namedModel = z
  .union([text().meta({ refersTo: 'shortModel' }), modelMapping])
  .meta({ description: 'A model: `provider:model`, or a mapping.', template: 'env' });

/** Uses the model schema for each key that takes a model. */
export function withModels<Shape extends Readonly<Record<string, z.ZodType>>>(shape: Shape): Shape {
  const fields = Object.entries(shape).map(([key, field]) => {
    const { refersTo } = meaningOf(field);
    if (refersTo !== 'model') return [key, field];
    const description = documentationOf(field);
    const model = description ? modelSchema.meta({ description }) : modelSchema;
    return [key, field instanceof z.ZodOptional ? model.optional() : model];
  });
  return Object.fromEntries(fields) as Shape;
}

const targetMapping = z.discriminatedUnion(
  'type',
  options(targetTypes.map(({ schema }) => schema.extend(withModels(schema.shape)))),
);

/** A reference to a target, or its mapping. */
export const targetSchema = z.union([text().meta({ refersTo: 'target' }), targetMapping]).meta({
  description: 'The system under test: its name in `targets`, or a mapping.',
  template: 'env',
});

/** A declaration under `targets`. The schema accepts text, which is reported later with a better message. */
export const namedTarget = z
  .union([text(), targetMapping])
  .meta({ description: 'A system under test.', template: 'env' });
