import * as z from 'zod';
import { modelProviders } from '../models/registry.ts';
import { meaningOf } from '../schema/mentions.ts';
import { documentationOf } from '../schema/schemaWalk.ts';
import { targetTypes } from '../targets/registry.ts';

/** At least two options, as zod's unions want them. */
export function options<Schema extends z.ZodType>(schemas: readonly Schema[]): [Schema, Schema] {
  return schemas as unknown as [Schema, Schema];
}

const modelMapping = z.discriminatedUnion(
  'provider',
  options(modelProviders.map(({ schema }) => schema)),
);

/** A model where it is used. */
export const modelSchema = z
  .union([z.string().min(1).meta({ refersTo: 'model' }), modelMapping])
  .meta({
    description: 'A model: its name in `models`, `provider:model`, or a mapping.',
    template: 'env',
  });

/** A model where it gets its name. */
export const namedModel = z
  .union([z.string().min(1).meta({ refersTo: 'shortModel' }), modelMapping])
  .meta({ description: 'A model: `provider:model`, or a mapping.', template: 'env' });

/** The keys that a registry declares, those that take a model with the schema of one. */
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

/** A target where it is used. */
export const targetSchema = z
  .union([z.string().min(1).meta({ refersTo: 'target' }), targetMapping])
  .meta({
    description: 'The system under test: its name in `targets`, or a mapping.',
    template: 'env',
  });

/** A target where it gets its name. A text is refused with a sentence of its own. */
export const namedTarget = z
  .union([z.string().min(1), targetMapping])
  .meta({ description: 'A system under test.', template: 'env' });
