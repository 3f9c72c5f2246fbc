/** All keys that a JSON Schema allows, at any depth. */
export function keysOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, inner]) => [
    ...(key === 'properties' ? Object.keys(Object(inner)) : []),
    ...keysOf(inner),
  ]);
}
