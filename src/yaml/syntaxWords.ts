/** What is wrong with a text that is no YAML. Offsets in UTF-16 units. */
export interface SyntaxWords {
  readonly message: string;
  /** What is to be put in quotes, or to get a blank behind it, where that is known. */
  readonly mend?: {
    readonly kind: 'quote' | 'blank';
    readonly start: number;
    readonly end: number;
  };
  /** The line that is to be indented otherwise, where that is known. */
  readonly misplaced?: { readonly start: number; readonly end: number };
}

/** What to write, by what the parser says. */
const WORDS: readonly (readonly [RegExp, (found: RegExpExecArray) => string])[] = [
  [/^Missing closing .quote/, () => 'This text has no closing quote.'],
  [
    /^Flow (?:map|sequence) .* end with a (.)$/,
    ([, bracket]) => `This has no closing "${bracket}".`,
  ],
  [/^All .* items must start at the same column/, () => WRONG_INDENT],
  [/^Sequence item without - indicator/, () => WRONG_INDENT],
  [/^A block sequence may not be used as an implicit map key/, () => WRONG_INDENT],
  [/^Nested mappings are not allowed/, () => NEEDS_QUOTES],
  [/^Implicit keys need to be on a single line/, () => EXPECTED_ENTRY],
  [/^Implicit map keys need to be followed by map values/, () => EXPECTED_ENTRY],
  [
    /^Plain value cannot start with .*(.)$/,
    ([, sign]) => `Text that starts with "${sign}" needs quotes.`,
  ],
  [
    /^Invalid escape sequence (.*)$/,
    ([, written]) => `"${written}" is not an escape. Write "\\\\" for a backslash.`,
  ],
  [
    /^Unexpected scalar/,
    () => 'Text goes on after its closing quote. Use the other kind of quotes around it.',
  ],
  [/^Unexpected block-seq-ind/, () => 'Start the list on the next line, or write it as [a, b].'],
  [/^Unexpected flow-(?:map|seq)-end/, () => 'There is nothing to close with this bracket.'],
  [/^Block scalar header/, () => 'Start the text on the next line.'],
];

const WRONG_INDENT = 'This line is not indented like the lines around it.';
const EXPECTED_ENTRY = 'Expected `key: value`, with a space after the colon.';
const NEEDS_QUOTES = 'Text that contains ": " needs quotes.';

/** `-id: a`, `- id:a`, and a text with a colon behind a key. */
const GLUED_DASH = /^([ \t]*)-(?=[a-z_][\w-]*:)/;
const GLUED_COLON = /^([ \t]*(?:- +)*)([a-z_]\w*:)(?=["'\w[{])/;
const COLON_TEXT = /^([ \t]*(?:- +)*[a-z_]\w*: +)([^\s"'[{&*!|>#](?:.*?\S)?)(?: +#.*)?$/;

/** A value that begins with a variable, which YAML takes for a mapping. */
const VARIABLE_FIRST = /^([ \t]*(?:- +)*(?:[a-z_]\w*: +)?)(\{\{.*?\S)(?: +#.*)?$/;

/**
 * A syntax error in words of what to write.
 *
 * @param said by the parser
 * @param at where it found the error
 */
export function syntaxWords(said: string, text: string, at: number): SyntaxWords {
  const first = text.lastIndexOf('\n', at - 1) + 1;
  const [line = ''] = text.slice(first).split(/\r?\n/, 1);
  const [, indent, ...glued] = GLUED_DASH.exec(line) ?? GLUED_COLON.exec(line) ?? [];
  if (indent !== undefined) {
    const [sign = '-'] = glued;
    const start = first + indent.length;
    const mend = { kind: 'blank', start, end: start + sign.length } as const;
    return { message: `Put a space after "${sign}".`, mend };
  }
  const [, before, variable] = VARIABLE_FIRST.exec(line) ?? [];
  if (before !== undefined && variable !== undefined) {
    const start = first + before.length;
    const mend = { kind: 'quote', start, end: start + variable.length } as const;
    return { message: 'Text that starts with "{{" needs quotes.', mend };
  }
  for (const [pattern, words] of WORDS) {
    const found = pattern.exec(said);
    if (!found) continue;
    const message = words(found);
    if (message === WRONG_INDENT) return misplaced(first, line.length);
    if (message !== NEEDS_QUOTES) return { message };
    // The colon is on the next line, which YAML takes for more of this text.
    if (!/:(?:\s|$)/.test(line.slice(at - first))) return nextMisplaced(text, first + line.length);
    const [, head = '', value] = COLON_TEXT.exec(line) ?? [];
    if (value === undefined) return { message };
    const start = first + head.length;
    return { message, mend: { kind: 'quote', start, end: start + value.length } };
  }
  return { message: `This is not valid YAML: ${said}` };
}

function misplaced(start: number, length: number): SyntaxWords {
  return { message: WRONG_INDENT, misplaced: { start, end: start + length } };
}

/** @param end of the line before */
function nextMisplaced(text: string, end: number): SyntaxWords {
  const [blank = '', words = ''] = /^(?:\s*(?:#.*)?\n)*([ \t]*\S.*)?/.exec(text.slice(end)) ?? [];
  return misplaced(end + blank.length - words.length, words.length);
}
