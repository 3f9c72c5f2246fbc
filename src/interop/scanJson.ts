interface ScannedJson {
  /** The lines on which the items of the outermost list begin, from 1. */
  readonly lines: readonly number[];
  /**
   * Of a text that breaks off: where to cut it, and what closes it then. The cut is behind the last
   * whole item of the outermost list that has one: half a conversation is none.
   */
  readonly cut?: { readonly at: number; readonly closers: string };
}

const CLOSERS: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** Looks at the brackets of a JSON text alone, in one pass. */
export function scanJson(text: string): ScannedJson {
  const lines: number[] = [];
  const open: string[] = [];
  const cuts = new Map<number, number>();
  let line = 1;
  let inText = false;
  let awaitsItem = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if (inText) {
      if (character === '\\') at += 1;
      else if (character === '"') inText = false;
      continue;
    }
    if (character === '\n') line += 1;
    if (character.trim() === '') continue;
    if (awaitsItem && character !== ']') lines.push(line);
    awaitsItem = false;
    if (character === '"') inText = true;
    else if (character === '[' || character === '{') {
      open.push(character);
      awaitsItem = open.length === 1 && character === '[';
    } else if (character === ']' || character === '}') {
      if (CLOSERS[open.at(-1) ?? ''] !== character) break;
      cuts.delete(open.length);
      open.pop();
      if (open.at(-1) === '[') cuts.set(open.length, at + 1);
    } else if (character === ',' && open.at(-1) === '[') {
      cuts.set(open.length, at);
      awaitsItem = open.length === 1;
    }
  }
  const depth = Math.min(...cuts.keys());
  const at = cuts.get(depth);
  if (at === undefined || open.length === 0) return { lines };
  const around = open.slice(0, depth).reverse();
  return { lines, cut: { at, closers: around.map((one) => CLOSERS[one]).join('') } };
}
