/** Ends an exhaustive switch: a missing kind does not compile. */
export function unreachable(value: never): never {
  throw new Error(`Internal error: there is no case for ${JSON.stringify(value)}.`);
}
