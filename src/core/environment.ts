const REFERENCE = /\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g;

export interface Substituted {
  readonly value: unknown;
  /** Whether anything was put in. */
  readonly filled: boolean;
  /** Variables that are not set; their references are left as they stand. */
  readonly unset: readonly string[];
}

/** Puts environment variables in the place of `${env:NAME}`, at every depth. */
export function substituteEnv(
  value: unknown,
  env: (name: string) => string | undefined,
): Substituted {
  const unset = new Set<string>();
  let filled = false;
  const walk = (inner: unknown): unknown => {
    if (typeof inner === 'string') {
      return inner.replace(REFERENCE, (reference, name: string) => {
        const found = env(name);
        if (found === undefined) unset.add(name);
        else filled = true;
        return found ?? reference;
      });
    }
    if (Array.isArray(inner)) return inner.map(walk);
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, one]) => [key, walk(one)]));
  };
  return { value: walk(value), filled, unset: [...unset] };
}

export function mentionsEnv(text: string): boolean {
  return text.search(REFERENCE) >= 0;
}

/** The variable that a model or target still waits for when it is to run; undefined where none. */
export function unsetVariable(params: unknown): string | undefined {
  return substituteEnv(params, () => undefined).unset[0];
}

/** Where a text names variables of the environment, in UTF-16 units. */
export function envReferences(
  text: string,
): { readonly offset: number; readonly length: number }[] {
  return [...text.matchAll(REFERENCE)].map(({ index, 0: { length } }) => ({
    offset: index,
    length,
  }));
}
