import { assertionSchema, modelSchema } from '../../src/evalfile/schema.ts';
import { definition, unwrap } from '../../src/schema/schemaWalk.ts';

type Schema = Parameters<typeof unwrap>[0];

/** What every page would repeat is named instead. */
const NAMED: ReadonlyMap<unknown, string> = new Map([
  [partsOf(assertionSchema), 'assertion'],
  [partsOf(modelSchema), 'model'],
]);

export function isNamed(schema: Schema): boolean {
  return NAMED.has(partsOf(schema));
}

/** The same for each copy of a schema that only has another description. */
function partsOf(schema: Schema): unknown {
  return definition(unwrap(schema));
}

/** What may be written there, in words: `text`, `whole number from 1 on`, `list, each text`. */
export function takes(schema: Schema): string {
  const plain = unwrap(schema);
  const named = NAMED.get(partsOf(plain));
  if (named !== undefined) return named;
  const { type, options, element, valueType, items, entries, values } = definition(plain);
  switch (type) {
    case 'string':
      return 'text';
    case 'number':
      return number(plain);
    case 'boolean':
      return '`true` or `false`';
    case 'enum':
      return oneOf(Object.values(entries ?? {}));
    case 'literal':
      return oneOf(values ?? []);
    case 'union':
      return [...new Set((options ?? []).map(takes))].join('; or ');
    case 'array':
      return element ? `list, each ${takes(element)}` : 'list';
    case 'tuple':
      return `list of ${items?.length ?? 0}: ${(items ?? []).map(takes).join(', ')}`;
    case 'record':
      return !valueType || takes(valueType) === ANY
        ? 'mapping'
        : `mapping, each value ${takes(valueType)}`;
    case 'object':
      return 'mapping';
    default:
      return ANY;
  }
}

const ANY = 'any value';

function oneOf(values: readonly unknown[]): string {
  return values.map((value) => `\`${String(value)}\``).join(', ');
}

/** `number from 0 to 1`, `whole number from 1 on`, `number above 0`. */
function number(schema: Schema): string {
  const { format, checks = [] } = definition(schema);
  const bounds = checks.map(({ _zod }) => _zod.def as Bound);
  const low = bounds.find(({ check }) => check === 'greater_than');
  const high = bounds.find(({ check }) => check === 'less_than');
  const kind = format === 'safeint' ? 'whole number' : 'number';
  const from = low ? ` ${low.inclusive ? 'from' : 'above'} ${low.value}` : '';
  const to = high ? ` ${high.inclusive ? 'to' : 'below'} ${high.value}` : '';
  return `${kind}${from}${to || (low?.inclusive ? ' on' : '')}`;
}

interface Bound {
  readonly check: string;
  readonly value?: number;
  readonly inclusive?: boolean;
}
