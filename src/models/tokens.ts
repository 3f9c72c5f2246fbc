import { countTokens as count } from 'gpt-tokenizer/encoding/o200k_base';

/** Prevents text from being read as a command to the tokenizer, even if it contains `<|endoftext|>`. */
const PLAIN = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

/** Maximum number of characters per run. */
const MAX_RUN = 400;

/**
 * Number of tokens in OpenAI's o200k encoding; the numbers for other models differ by about 20%. The tables are large,
 * so import this module lazily.
 *
 * Runs of more than 400 characters without whitespace, or of whitespace alone, are split, and each piece may add one
 * token too many. The tokenizer's time grows with the square of a run's length, and a base64 image in a tool result
 * must not block a run for minutes.
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

/** Moves a cut so that it doesn't split a character: some, such as 🙂, are two code units. */
function alignToCharacter(text: string, cut: number): number {
  return /[\uDC00-\uDFFF]/.test(text.charAt(cut)) ? cut + 1 : cut;
}
