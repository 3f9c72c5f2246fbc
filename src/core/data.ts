/** Plain data, as YAML and JSON are read into. */
export type Mapping = Readonly<Record<string, unknown>>;

/** Keys and places in lists, from the outside in. */
export type Path = readonly (string | number)[];

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The mapping itself; an empty one in the place of anything else. */
export function mappingOf(value: unknown): Mapping {
  return isMapping(value) ? value : {};
}

/** The value at a path; undefined where there is none. What every object inherits does not count. */
export function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, step)
        ? Reflect.get(value, step)
        : undefined,
    root,
  );
}

/** A copy with the value at a path changed; mappings on the way there are made where they are missing. */
export function changedAt(root: unknown, path: Path, change: (value: unknown) => unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return change(root);
  const inner = changedAt(valueAt(root, [step]), rest, change);
  if (Array.isArray(root)) return root.map((item, index) => (index === step ? inner : item));
  return { ...mappingOf(root), [step]: inner };
}
