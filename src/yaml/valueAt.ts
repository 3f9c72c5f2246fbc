import type { Path } from './yamlDocument.ts';

/** What stands at a path into plain data; undefined where nothing does. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      Object.hasOwn(Object(inner), key) ? Reflect.get(Object(inner), key) : undefined,
    value,
  );
}
