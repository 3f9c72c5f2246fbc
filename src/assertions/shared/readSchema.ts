import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { RE2JS } from 're2js';
import {
  isMapping,
  type Mapping,
  memoize,
  type Path,
  pointerSteps,
  uniqueBy,
} from '../../core/data/data.ts';
import { errorText, WorkLimitError } from '../../core/errors.ts';
import { closest } from '../../core/text/closest.ts';
import type { Fault } from '../contract.ts';
import { faultOfPattern } from '../types/regex.ts';
import { withTimeLimit } from './timeLimit.ts';

interface ReadSchema {
  readonly faults: readonly Fault[];
  /**
   * Returns the errors in a value, one phrase per location; present if the schema has no faults.
   *
   * @throws Error if the schema can't be evaluated, or takes too long
   */
  readonly wrongs?: (value: unknown) => string[];
}

type Dialect = typeof Ajv | typeof Ajv2020;

const DIALECTS: readonly [RegExp, Dialect][] = [
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, Ajv2020],
  [/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/, Ajv],
];

/** Runs a schema's patterns in linear time, without JavaScript's RegExp. */
const linearTime = Object.assign(
  (pattern: string) => {
    const wrong = patternFault(pattern);
    if (wrong !== undefined) throw new Error(`${JSON.stringify(pattern)}: ${wrong}`);
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return {
      test: (text: string) => compiled.matcher(text).find(),
      // Ajv uses this as the compiled pattern's key.
      toString: () => pattern,
    };
  },
  { code: 'linearTime' },
);

const OPTIONS: Options = {
  strict: false,
  allErrors: true,
  // Otherwise, every object would satisfy `required: [constructor]`.
  ownProperties: true,
  logger: false,
  formats: {
    ...fullFormats,
    regex: (text: string) => patternFault(text) === undefined,
    // The only format whose built-in pattern can take more than linear time.
    url: (text: string) => /^(?:https?|ftp):\/\/\S+$/i.test(text) && URL.canParse(text),
  },
  code: { regExp: linearTime },
};

/** Maximum milliseconds to compile a schema. A `$ref` can make compilation or validation endless. */
const SCHEMA_LIMIT = 250;

/** Maximum milliseconds to validate a value. A long value takes about 10 ms. */
const VALUE_LIMIT = 100;

/** Recently compiled schemas, because a file is checked again on every keystroke. */
const recentSchemas = new Map<string, ReadSchema>();
const MAX_RECENT = 64;

/** Compiles a JSON Schema as draft 2020-12, or as draft 7 if `$schema` says so. */
export function readSchema(schema: Mapping): ReadSchema {
  const key = JSON.stringify(schema);
  const known = recentSchemas.get(key);
  if (known) return known;
  const read = readInTime(JSON.parse(key));
  if (recentSchemas.size >= MAX_RECENT) recentSchemas.clear();
  recentSchemas.set(key, read);
  return read;
}

function readInTime({
  $schema = 'https://json-schema.org/draft/2020-12/schema',
  ...schema
}: Mapping): ReadSchema {
  const dialect = DIALECTS.find(([name]) => typeof $schema === 'string' && name.test($schema));
  if (!dialect) {
    const message = 'Unsupported `$schema`. Use draft 2020-12 or draft 7.';
    return { faults: [{ path: ['$schema'], message }] };
  }
  const [, Dialect] = dialect;
  const checker = checkerOf(Dialect);
  try {
    // Each attempt needs a new instance, without the state of an aborted one.
    const ajv = () => new Dialect({ ...OPTIONS, validateSchema: false });
    return withTimeLimit(SCHEMA_LIMIT, () => compiled(checker, ajv(), schema));
  } catch (error) {
    if (!(error instanceof WorkLimitError)) throw error;
    return fault('The schema takes too long to read. Make it shorter or simpler.');
  }
}

/** Checks schemas in a dialect. The dialect's own schema is long, so it is compiled only once. */
const checkerOf = memoize((Dialect: Dialect): Ajv | Ajv2020 => {
  const checker = new Dialect(OPTIONS);
  checker.validateSchema({});
  return checker;
});

function compiled(checker: Ajv | Ajv2020, ajv: Ajv | Ajv2020, schema: Mapping): ReadSchema {
  try {
    if (checker.validateSchema(schema) !== true) {
      return { faults: schemaFaults(schema, checker.errors ?? []) };
    }
    const misspelt = misspeltKeyword(schema);
    if (misspelt) return { faults: [misspelt] };
    const validate = ajv.compile(schema);
    if ('$async' in validate) return fault('`$async` schemas are not supported.');
    return { faults: [], wrongs: (value) => validateInTime(validate, value) };
  } catch (error) {
    return fault(`The schema cannot be used: ${errorText(error)}`);
  }
}

/** Keywords in both drafts whose value contains schemas: one, a list, or a mapping. */
const SCHEMA_KEYWORDS = ['items', 'contains', 'not', 'if', 'then', 'else', 'additionalProperties'];
const LIST_KEYWORDS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAPPING_KEYWORDS = 'properties patternProperties $defs definitions dependentSchemas'.split(
  ' ',
);
const OTHERS =
  'type enum const minLength maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems minContains maxContains required minProperties maxProperties propertyNames unevaluatedItems unevaluatedProperties dependentRequired title description default examples $id $ref $comment $anchor $dynamicRef $dynamicAnchor'.split(
    ' ',
  );
const KEYWORDS = [...SCHEMA_KEYWORDS, ...LIST_KEYWORDS, ...MAPPING_KEYWORDS, ...OTHERS];

/** Finds a misspelled keyword, which a validator would ignore. */
function misspeltKeyword(schema: unknown, path: Path = []): Fault | undefined {
  if (!isMapping(schema)) return undefined;
  for (const [key, value] of Object.entries(schema)) {
    const meant = KEYWORDS.includes(key) ? undefined : closest(key, KEYWORDS);
    if (meant !== undefined) {
      const message = `Unknown JSON Schema keyword "${key}". Did you mean "${meant}"?`;
      return { path: [...path, key], message };
    }
    for (const [steps, one] of innerSchemas(key, value)) {
      const found = misspeltKeyword(one, [...path, ...steps]);
      if (found) return found;
    }
  }
  return undefined;
}

function* innerSchemas(keyword: string, value: unknown): Generator<[Path, unknown]> {
  if (SCHEMA_KEYWORDS.includes(keyword)) yield [[keyword], value];
  if (LIST_KEYWORDS.includes(keyword) && Array.isArray(value)) {
    for (const [index, one] of value.entries()) yield [[keyword, index], one];
  }
  if (MAPPING_KEYWORDS.includes(keyword)) {
    for (const [name, one] of Object.entries(Object(value))) yield [[keyword, name], one];
  }
}

function fault(message: string): ReadSchema {
  return { faults: [{ path: [], message }] };
}

/** The first fault at each location. */
function schemaFaults(schema: Mapping, errors: readonly ErrorObject[]): Fault[] {
  return uniqueBy(errors, ({ instancePath }) => instancePath).map((error) => ({
    path: pathOf(schema, error.instancePath),
    message: `This is not a valid JSON Schema: it ${phrase(error)}.`,
  }));
}

/** The path that a JSON Pointer describes, with list indexes as numbers. */
function pathOf(schema: Mapping, pointer: string): (string | number)[] {
  let value: unknown = schema;
  return pointerSteps(pointer).map((name) => {
    const key = Array.isArray(value) ? Number(name) : name;
    value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
    return key;
  });
}

function patternFault(pattern: string): string | undefined {
  return faultOfPattern(RE2JS.translateRegExp(pattern));
}

function validateInTime(validate: ValidateFunction, value: unknown): string[] {
  try {
    return withTimeLimit(VALUE_LIMIT, () => errorsIn(validate, value));
  } catch (error) {
    if (error instanceof RangeError) {
      throw new Error(
        'The JSON Schema contains an endless `$ref` loop. A recursive `$ref` must be inside `properties` or `items`.',
      );
    }
    if (!(error instanceof WorkLimitError)) throw error;
    throw new Error('Validating the JSON against the schema takes too long.', { cause: error });
  }
}

function errorsIn(validate: ValidateFunction, value: unknown): string[] {
  if (validate(value) === true) return [];
  const wrongs = (validate.errors ?? []).map(
    (error) => `${error.instancePath === '' ? 'the value' : error.instancePath} ${phrase(error)}`,
  );
  return [...new Set(wrongs)];
}

/** An error as a phrase, such as `must be string`, including the value or name that Ajv's message leaves out. */
function phrase({ message = 'is not valid', params }: ErrorObject): string {
  const { additionalProperty, unevaluatedProperty, allowedValues, allowedValue } = params;
  const left = additionalProperty ?? unevaluatedProperty ?? allowedValues ?? allowedValue;
  return left === undefined ? message : `${message}: ${JSON.stringify(left)}`;
}
