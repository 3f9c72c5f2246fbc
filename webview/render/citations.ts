import { type Child, h, link } from '../h.ts';

export interface CitedTurns {
  /** The turns that there are. */
  readonly numbers: ReadonlySet<number>;
  readonly onFollow: (turn: number) => void;
}

/** What cites turns. */
export interface Citing {
  /** By which the view knows its parts again in the next snapshot. */
  readonly key: string;
  /** The words by which it is known. */
  readonly title: string;
}

/** More are folded: a list of 983 would hide all that stands under it. */
const MOST = 10;

/** Lines that cite turns, such as `Turn 6: forgot the order`, the turns as links. */
export function renderCitations(
  lines: readonly string[],
  { key, title }: Citing,
  turns: CitedTurns,
): HTMLElement[] {
  const items = lines.map((line, index) =>
    h('li', {}, ...withLinks(line, { key: `${key}.${index}`, title }, turns)),
  );
  const rest = items.splice(MOST);
  const first = h('ul', {}, ...items);
  return rest.length === 0 ? [first] : [first, folded(rest.length, key, h('ul', {}, ...rest))];
}

/** `turn 6`, `Turns 2, 4 and 7` */
const CITED = /\bturns? \d+(?:(?:, | and )\d+)*/gi;

/** A text with the turns that it cites as links. */
export function withLinks(text: string, { key, title }: Citing, turns: CitedTurns): Child[] {
  const linked = (words: string, digits: string) => turnLink(words, Number(digits), title, turns);
  const parts: Child[] = [];
  let end = 0;
  for (const { 0: cited, index } of text.matchAll(CITED)) {
    parts.push(text.slice(end, index));
    end = index + cited.length;
    // `Turns 2`, `, 4`, ` and 7`
    const each = [...cited.matchAll(/(\D+)(\d+)/g)];
    const links = each.map(([whole, before = '', digits = '']) =>
      each.length === 1 ? [linked(whole, digits)] : [before, linked(digits, digits)],
    );
    const rest = links.splice(MOST);
    parts.push(...links.flat());
    if (rest.length === 0) continue;
    const [, ...others] = rest.flat();
    parts.push(' ', folded(rest.length, `${key} at ${index}`, ' (', ...others, ')'));
  }
  return [...parts, text.slice(end)];
}

function turnLink(words: string, number: number, title: string, turns: CitedTurns): Child {
  if (!turns.numbers.has(number)) return words;
  return link(words, `Turn ${number}, ${title}`, () => turns.onFollow(number));
}

function folded(count: number, key: string, ...rest: readonly Child[]): HTMLElement {
  const attributes = { class: 'more', 'data-key': `more ${key}` };
  return h('details', attributes, h('summary', {}, `and ${count} more`), ...rest);
}
