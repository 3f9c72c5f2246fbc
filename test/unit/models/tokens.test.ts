import assert from 'node:assert/strict';
import test from 'node:test';
import { countTokens } from '../../../src/models/tokens.ts';
import { growth } from '../../support/work.ts';

/** Token counts of OpenAI's own tokenizer (o200k_base). */
const KNOWN: readonly (readonly [string, number])[] = [
  ['', 0],
  ['hello world', 2],
  ['Hello, world!', 4],
  ['2 + 2 = 4', 7],
  ['antidisestablishmentarianism', 6],
  ['お誕生日おめでとう', 8],
  ['Where is my order #98765?', 8],
];

for (const [text, tokens] of KNOWN) {
  test(`${JSON.stringify(text)} takes ${tokens} tokens`, () => {
    assert.equal(countTokens(text), tokens);
  });
}

for (const text of ['<|endoftext|>', '<|endofprompt|>', 'a <|im_start|> b']) {
  test(`${text} counts like any other text`, () => {
    assert.ok(countTokens(text) > 5, String(countTokens(text)));
  });
}

test('counts a long text with spaces as a whole', () => {
  // " word" is one token; splitting next to a space would make it two.
  assert.equal(countTokens(' word'.repeat(10_000)), 10_000);
});

test('splits a long run between characters', () => {
  // Eight of them are one token, so 400 characters are 50.
  assert.equal(countTokens('a'.repeat(4_000)), 500);
  const smiles = '🙂'.repeat(1_000);
  const each = countTokens('🙂');
  assert.ok(countTokens(smiles) <= each * 1_000, String(countTokens(smiles)));
  assert.equal(countTokens(`x${smiles}`), countTokens(smiles) + 1);
});

const RUNS: readonly (readonly [string, string, number])[] = [
  ['letters', 'abcdefghijklmnopqrstuvwxyz', 400_000],
  ['signs', '=-+*/', 400_000],
  ['Chinese characters', '漢字仮名文', 100_000],
  ['blanks', ' \t\n', 800_000],
];

for (const [name, characters, length] of RUNS) {
  test(`a run of ${length} ${name} takes about four times as long as a quarter of it`, async () => {
    const text = shuffled([...characters], length);
    const times = await growth((size) => countTokens(text.slice(0, size)), length / 4);
    // In quadratic time, this would be sixteen times as long, and take minutes.
    assert.ok(times < 9, `${times} times`);
  });
}

/** Always returns the same text, without repetitions that a tokenizer could cache. */
function shuffled(characters: readonly string[], length: number): string {
  let state = 7;
  const next = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return characters[(state >> 16) % characters.length] ?? '';
  };
  return Array.from({ length }, next).join('');
}
