import { conversationSchema } from '../../src/core/conversation.ts';
import { toolsSchema } from '../../src/core/message.ts';
import { rangeSchema } from '../../src/core/problem.ts';
import { usageSchema, verdictSchema } from '../../src/core/verdict.ts';
import { assertionSchema } from '../../src/evalfile/assertion/assertionSchema.ts';
import { caseSchema, messageSchema } from '../../src/evalfile/schema.ts';
import {
  modelSchema,
  namedModel,
  namedTarget,
  targetSchema,
} from '../../src/evalfile/targetSchema.ts';
import { definition, unwrap } from '../../src/schema/schemaWalk.ts';

type Schema = Parameters<typeof unwrap>[0];

const inReference = (text: string, page: string) => `[${text}](../reference/${page})`;

const MODEL = inReference('model', 'models.md');
const TARGET = inReference('target', 'targets.md');

/** Names of schemas that would otherwise be repeated on every page. */
const NAMED: ReadonlyMap<unknown, string> = new Map([
  [partsOf(assertionSchema), inReference('assertion', 'assertions.md')],
  [partsOf(caseSchema), inReference('case', 'eval-file.md#case')],
  [partsOf(modelSchema), MODEL],
  [partsOf(namedModel), MODEL],
  [partsOf(targetSchema), TARGET],
  [partsOf(namedTarget), TARGET],
  [partsOf(toolsSchema.element), inReference('tool', 'eval-file.md#tool')],
  [partsOf(messageSchema), inReference('message', 'messages.md')],
  [partsOf(conversationSchema), inReference('conversation', 'records.md#conversation')],
  [partsOf(verdictSchema), inReference('verdict', 'records.md#verdict')],
  [partsOf(usageSchema), inReference('usage', 'records.md#usage')],
  [partsOf(rangeSchema), inReference('range', 'records.md#range')],
]);

export function isNamed(schema: Schema): boolean {
  return NAMED.has(partsOf(schema));
}

/** The schema's definition, which is shared by all copies that differ only in their description. */
function partsOf(schema: Schema): unknown {
  return definition(unwrap(schema));
}

/** Describes the values that a key accepts: `text`, `whole number of at least 1`, `list, each text`. */
export function takes(schema: Schema): string {
  const { type, innerType } = definition(schema);
  if (type === 'nullable' && innerType) return `${takes(innerType)}; or \`null\``;
  return innerType ? takes(innerType) : takesPlainly(schema);
}

function takesPlainly(schema: Schema): string {
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
      return element ? `list of: ${takes(element)}` : 'list';
    case 'tuple':
      return `list of ${items?.length ?? 0}: ${(items ?? []).map(takes).join(', ')}`;
    case 'record':
      return !valueType || takes(valueType) === ANY
        ? 'mapping'
        : `mapping, each value ${takes(valueType)}`;
    case 'object':
      return 'mapping';
    case 'null':
      return '`null`';
    default:
      return ANY;
  }
}

const ANY = 'any value';

function oneOf(values: readonly unknown[]): string {
  return values.map((value) => `\`${String(value)}\``).join(', ');
}

/** For example, `number from 0 to 1`, `whole number of at least 1`, `number above 0`. */
function number(schema: Schema): string {
  const { format, checks = [] } = definition(schema);
  const bounds = checks.map(({ _zod }) => _zod.def as Bound);
  const low = bounds.find(({ check }) => check === 'greater_than');
  const high = bounds.find(({ check }) => check === 'less_than');
  const kind = format === 'safeint' ? 'whole number' : 'number';
  const least = high ? 'from' : 'of at least';
  const from = low ? ` ${low.inclusive ? least : 'above'} ${low.value}` : '';
  const to = high ? ` ${high.inclusive ? 'to' : 'below'} ${high.value}` : '';
  return `${kind}${from}${to}`;
}

interface Bound {
  readonly check: string;
  readonly value?: number;
  readonly inclusive?: boolean;
}
