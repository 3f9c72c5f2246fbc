import type * as z from 'zod';
import { isMapping, mappingOf, type Path, valueAt } from '../../../core/data.ts';
import { definition, keysAt, schemasAt, unwrap, valuesAt } from '../../../schema/schemaWalk.ts';

/** Values to begin from, where the schema alone would leave a riddle. */
const KNOWN: Readonly<Record<string, unknown>> = {
  cases: [
    {
      id: 'case-1',
      transcript: [{ user: 'Hello' }, { assistant: 'Hello' }],
      assert: ['The assistant greets the user.'],
    },
  ],
  answer: 'yes',
  assert: ['The assistant answers the question.'],
  assistant: 'Hello',
  command: ['node', './agent.mjs'],
  content: 'Hello',
  criteria: 'The assistant is helpful.',
  criterion: 'The assistant answers the question.',
  expectations: { outcome: 'The question is answered.' },
  function: { name: 'look_up' },
  guidelines: ['Be polite.'],
  instructions: 'Does the assistant answer the question? {{conversation}}',
  language: 'en',
  max: 1000,
  model: 'gpt-5-mini',
  name: 'look_up',
  path: './file.mjs',
  pattern: 'text',
  provider: 'openai',
  role: 'A friendly support agent',
  tools: [{ name: 'look_up' }],
  topics: ['orders'],
  transcript: [{ user: 'Hello' }, { assistant: 'Hello' }],
  user: 'Hello',
  value: 'text',
  values: ['text'],
};

const MODEL = 'openai:gpt-5-mini';

/** What a name stands for, and what to write where none is there yet. */
const NAMED: Readonly<Record<string, { readonly list: string; readonly otherwise: unknown }>> = {
  judge: { list: 'models', otherwise: MODEL },
  target: { list: 'targets', otherwise: { type: 'chat', model: MODEL } },
};

/** Deeper than this no mapping of ours is required. */
const MAX_DEPTH = 4;

/** A value that can stand under a key that is missing. */
export function placeholder(
  schema: z.ZodType,
  root: unknown,
  path: Path,
  ids: readonly string[],
): unknown {
  const key = String(path.at(-1));
  if (key === 'id' && path[0] === 'cases' && path.length === 3) return freeId(ids);
  const owner = path.slice(0, -1);
  const type = valueAt(root, [...owner, 'type']);
  if (key === 'type' && !('type' in mappingOf(valueAt(root, owner)))) {
    // Of an assertion any will do; of what else has kinds the one that its keys are for.
    const kinds = valuesAt(schema, root, path).map(({ value }) => value);
    return kinds.includes('contains') ? 'contains' : (kinds[0] ?? 'contains');
  }
  // A chat target's is a model by itself, one under `models` the model's name.
  if (key === 'model' && type === 'chat') return MODEL;
  const named = NAMED[key];
  if (named) {
    const [name] = Object.keys(mappingOf(valueAt(root, [named.list])));
    return name ?? named.otherwise;
  }
  const schemas = schemasAt(schema, root, owner).flatMap((one) => {
    const field = definition(one).shape?.[key];
    return field ? kindsOf(field) : [];
  });
  return firstFitting(key, schemas);
}

/** What a field may hold, a union's options one by one. */
function kindsOf(schema: z.core.$ZodType): z.core.$ZodType[] {
  const plain = unwrap(schema);
  return definition(plain).options?.flatMap(kindsOf) ?? [plain];
}

/** The known value where it is of the kind that is wanted, else one made of the schema. */
function firstFitting(key: string, schemas: readonly z.core.$ZodType[]): unknown {
  const known = KNOWN[key];
  if (known !== undefined && schemas.some((one) => takes(one, known))) return known;
  const [first] = schemas;
  return first ? made(first, key, 0) : (known ?? 'text');
}

function takes(schema: z.core.$ZodType, value: unknown): boolean {
  const { type } = definition(schema);
  if (Array.isArray(value)) return type === 'array' || type === 'tuple';
  if (isMapping(value)) return type === 'object' || type === 'record';
  return typeof value === 'number'
    ? type === 'number'
    : !['array', 'object', 'record', 'number'].includes(type);
}

function made(schema: z.core.$ZodType, key: string, depth: number): unknown {
  const { type, values, entries, shape, element, options, items } = definition(unwrap(schema));
  if (values?.[0] !== undefined) return values[0];
  const [entry] = Object.values(entries ?? {});
  if (entry !== undefined) return entry;
  if (options?.[0]) return made(options[0], key, depth);
  if (items) {
    // Of two numbers the second is the greater one, as in a scale.
    return items.map((item, index) =>
      definition(unwrap(item)).type === 'number' ? index : made(item, key, depth + 1),
    );
  }
  if (element) return [made(element, key, depth + 1)];
  if (type === 'number' || type === 'int') return 1;
  if (type === 'boolean') return true;
  if (type === 'record') return {};
  if (shape && depth < MAX_DEPTH) {
    const required = keysAt(schema as z.ZodType, {}, []).filter((one) => one.required);
    return Object.fromEntries(
      required.map((one) => [one.name, made(one.schema, one.name, depth + 1)]),
    );
  }
  const known = KNOWN[key];
  return typeof known === 'string' || typeof known === 'number' ? known : 'text';
}

function freeId(ids: readonly string[]): string {
  let number = 1;
  while (ids.includes(`case-${number}`)) number += 1;
  return `case-${number}`;
}
