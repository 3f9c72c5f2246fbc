import { countTokens as count } from 'gpt-tokenizer/encoding/o200k_base';

/** Nothing in a text is a command to the tokenizer, `<|endoftext|>` included. */
const PLAIN = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

/** Characters. */
const MAX_RUN = 400;

/**
 * How many tokens a text takes in OpenAI's o200k encoding; other models count within some 20 % of
 * it. The tables are large: import this module where it is needed, not before.
 *
 * Runs of more than 400 characters without a blank, or of blanks alone, are cut into pieces, each of
 * which may count a token too many: the tokenizer's time grows with the square of a run, and a base64
 * image in a tool's result must not hold up a run for minutes.
 */
export function countTokens(text: string): number {
  let tokens = 0;
  let from = 0;
  for (const { 0: run, index } of text.matchAll(/\S+|\s+/g)) {
    const end = index + run.length;
    for (let cut = index; cut + MAX_RUN < end; ) {
      cut = alignToCharacter(text, cut + MAX_RUN);
      tokens += count(text.slice(from, cut), PLAIN);
      from = cut;
    }
  }
  return tokens + count(text.slice(from), PLAIN);
}

/** Some characters, 🙂 among them, are two of JavaScript's, which mean nothing apart. */
function alignToCharacter(text: string, cut: number): number {
  return /[\uDC00-\uDFFF]/.test(text.charAt(cut)) ? cut + 1 : cut;
}
