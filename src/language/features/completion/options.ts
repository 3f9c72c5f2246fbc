import type * as z from 'zod';
import { changedAt, type Path } from '../../../core/data.ts';
import { evalFileSchema } from '../../../evalfile/schema.ts';
import {
  definition,
  documentationOf,
  isUnread,
  type KeyInfo,
  keyInfo,
  schemasAt,
  unwrap,
} from '../../../schema/schemaWalk.ts';

/** One of several mappings that can stand at a place, told from the others by one key's value. */
export interface Option {
  /** `type`, `provider`, `role`. */
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

/** @param value stands at the path in the place of what is there */
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
  const options = mappings.flatMap(({ key, value: told, documentation, keys }) =>
    key !== undefined && told !== undefined ? [{ key, value: told, documentation, keys }] : [],
  );
  const keys = [...new Set(options.map(({ key }) => key))].flatMap((key) => {
    const own = options.filter((option) => option.key === key);
    const undecided = own.some((option) => option.value !== own[0]?.value);
    return undecided ? shared(own) : own.flatMap((option) => option.keys);
  });
  const free = mappings.filter(({ key }) => key === undefined).flatMap((one) => one.keys);
  return { options: plainest(options), keys: unique([...keys, ...free]) };
}

/** Where several options are told by the same value, such as a role in all dialects, the first. */
function plainest(options: readonly Option[]): Option[] {
  return options.filter(
    ({ key, value }, index) =>
      options.findIndex((one) => one.key === key && one.value === value) === index,
  );
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
    const documentation = 'Which kind it is: tells which other keys can stand here.';
    return [info.name === first?.key ? { ...info, documentation } : info];
  });
}

function unique(keys: readonly KeyInfo[]): KeyInfo[] {
  const known = new Map<string, KeyInfo>();
  for (const info of keys) if (!known.has(info.name)) known.set(info.name, info);
  return [...known.values()];
}
