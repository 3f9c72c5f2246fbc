/** Ends a switch over all kinds of something: a kind that is left out does not compile. */
export function unreachable(value: never): never {
  throw new Error(`Internal error: there is no case for ${JSON.stringify(value)}.`);
}
