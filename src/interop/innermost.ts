interface Nested {
  readonly id: string;
  /** The id of the span around it; empty or undefined where there is none. */
  readonly parent: string | undefined;
}

/**
 * Those of the chosen spans that hold no other of them: a framework's spans repeat those of its requests.
 *
 * @param spans all of them, which say what stands around what
 */
export function innermost<Span extends Nested>(
  spans: readonly Nested[],
  chosen: readonly Span[],
): Span[] {
  const parents = new Map(spans.map(({ id, parent }) => [id, parent]));
  const around = new Set<string>();
  for (const { parent } of chosen) {
    const seen = new Set<string>();
    for (let at = parent; at && !seen.has(at); at = parents.get(at)) {
      seen.add(at);
      around.add(at);
    }
  }
  return chosen.filter(({ id }) => !around.has(id));
}
