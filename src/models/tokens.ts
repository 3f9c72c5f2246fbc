import { countTokens as count } from 'gpt-tokenizer/encoding/o200k_base';

/** Nothing in a text is a command to the tokenizer, `<|endoftext|>` included. */
const PLAIN = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

/**
 * How many tokens a text takes in OpenAI's o200k encoding; other models count within some 20 % of
 * it. The tables are large: import this module where it is needed, not before.
 */
export function countTokens(text: string): number {
  return count(text, PLAIN);
}
