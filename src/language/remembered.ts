/** What is made of a thing, made once: editors ask again for what depends on the text alone. */
export function remembered<Thing extends object, Made>(
  make: (thing: Thing) => Made,
): (thing: Thing) => Made {
  const known = new WeakMap<Thing, Made>();
  return (thing) => {
    const found = known.get(thing) ?? make(thing);
    known.set(thing, found);
    return found;
  };
}
