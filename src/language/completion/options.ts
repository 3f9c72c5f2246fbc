import type * as z from 'zod';
import { changedAt, type Path, uniqueBy } from '../../core/data/data.ts';
import { evalFileSchema } from '../../evalfile/schema.ts';
import {
  definition,
  documentationOf,
  isUnread,
  type KeyInfo,
  keyInfo,
  keysAt,
  schemasAt,
  unwrap,
} from '../../schema/schemaWalk.ts';

/** One of several mappings that can stand at a place, told from the others by one key's value. */
export interface Option {
  readonly key: string;
  readonly value: string;
  readonly documentation: string | undefined;
  readonly keys: readonly KeyInfo[];
}

/** What can stand at a place, whatever is written there now. */
export interface Offer {
  readonly options: readonly Option[];
  /** The keys that can stand there as long as nothing tells the options apart. */
  readonly keys: readonly KeyInfo[];
}

/** @param value stands at the path in place of what is there */
export function offerAt(
  root: unknown,
  path: Path,
  value: unknown,
  schema: z.ZodType = evalFileSchema,
): Offer {
  const changed = changedAt(root, path, () => value);
  const mappings = schemasAt(schema, changed, path).flatMap((one) => {
    const { shape } = definition(one);
    if (!shape) return [];
    const offered = Object.entries(shape).filter(([, field]) => !isUnread(field));
    return [{ keys: offered.map(([name, field]) => keyInfo(name, field)), ...tellingKey(shape) }];
  });
  const options = mappings.flatMap(({ key, value: tag, documentation, keys }) =>
    key !== undefined && tag !== undefined ? [{ key, value: tag, documentation, keys }] : [],
  );
  const keys = [...new Set(options.map(({ key }) => key))].flatMap((key) => {
    const own = options.filter((option) => option.key === key);
    const undecided = own.some((option) => option.value !== own[0]?.value);
    return undecided ? shared(own) : own.flatMap((option) => option.keys);
  });
  const free = mappings.filter(({ key }) => key === undefined).flatMap((one) => one.keys);
  return {
    // Where several are told by the same value, such as a role in all dialects, the plainest.
    options: uniqueBy(options, ({ key, value: tag }) => `${key} ${tag}`),
    keys: uniqueBy([...keys, ...free], ({ name }) => name),
  };
}

type Shape = NonNullable<ReturnType<typeof definition>['shape']>;

/** The key of a mapping that can hold one value only. */
function tellingKey(shape: Shape) {
  for (const [key, field] of Object.entries(shape)) {
    const { type, values } = definition(unwrap(field));
    const [value] = values ?? [];
    if (type !== 'literal' || typeof value !== 'string' || field._zod.optin !== undefined) continue;
    return { key, value, documentation: documentationOf(field) };
  }
  return {};
}

function shared(options: readonly Option[]): KeyInfo[] {
  const [first, ...others] = options;
  return (first?.keys ?? []).flatMap((info) => {
    const same = others.every(({ keys }) => keys.some(({ name }) => name === info.name));
    if (!same) return [];
    const documentation = 'The type, which decides which other keys are allowed.';
    return [info.name === first?.key ? { ...info, documentation } : info];
  });
}

/** Whether the schema knows the key that the path ends with. */
export function knows(root: unknown, path: Path): boolean {
  return keysAt(evalFileSchema, root, path.slice(0, -1)).some(({ name }) => name === path.at(-1));
}
