interface Letter {
  readonly node: Text;
  readonly offset: number;
}

/** Marks quotes in an element's text, also across elements; white space is folded. */
export function highlight(root: HTMLElement, quotes: readonly string[]): void {
  const { text, letters } = fold(root);
  const marked = new Set<number>();
  for (const quote of quotes) {
    for (const form of [foldText(quote), foldText(quote.replace(/[*_`#>]/g, ''))]) {
      const start = form === '' ? -1 : text.indexOf(form);
      if (start < 0) continue;
      for (let index = start; index < start + form.length; index += 1) marked.add(index);
      break;
    }
  }
  for (const { node, from, to } of pieces(letters, marked).reverse()) {
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, to);
    range.surroundContents(document.createElement('mark'));
  }
}

function foldText(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** All text of an element with its white space folded, and where each letter of it stands. */
function fold(root: HTMLElement): { readonly text: string; readonly letters: readonly Letter[] } {
  const letters: Letter[] = [];
  let text = '';
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!(node instanceof Text)) continue;
    for (const [offset, character] of [...node.data].reduce<[number, string][]>(place, [])) {
      const space = /\s/.test(character);
      if (space && (text === '' || text.endsWith(' '))) continue;
      text += space ? ' ' : character;
      for (let unit = 0; unit < character.length; unit += 1) {
        letters.push({ node, offset: offset + unit });
      }
    }
  }
  return { text, letters };
}

function place(placed: [number, string][], character: string): [number, string][] {
  const last = placed.at(-1);
  placed.push([last ? last[0] + last[1].length : 0, character]);
  return placed;
}

/** Runs of marked letters, each within one text node, in order. */
function pieces(letters: readonly Letter[], marked: ReadonlySet<number>) {
  const runs: { node: Text; from: number; to: number }[] = [];
  for (const [index, { node, offset }] of letters.entries()) {
    if (!marked.has(index)) continue;
    const last = runs.at(-1);
    if (last?.node === node && marked.has(index - 1)) last.to = offset + 1;
    else runs.push({ node, from: offset, to: offset + 1 });
  }
  return runs;
}
