import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { globSync } from 'tinyglobby';
import { CHECKOUT } from './host/install.ts';
import { HARD_TEXTS } from './language/evalDocument.ts';

/** Text fragments with a meaning in YAML, in templates, or in an editor. */
const TOKENS: readonly string[] = [
  '|',
  '>-',
  '{{',
  '}}',
  '{{name}}',
  '- ',
  ': ',
  '"',
  "'",
  '[',
  ']',
  '{',
  '}',
  ', ',
  ' #',
  '\t',
  '  ',
  '\n',
  '\r\n',
  '\n\n',
  '&a ',
  '*a',
  '!!str ',
  '!x ',
  '? ',
  '<<: *a',
  '---\n',
  '...\n',
  '%YAML 1.3\n',
  '$',
  '{env:X}',
  '\\',
  '\\u12',
  '\0',
  '\uFEFF',
  '\u2028',
  '\u202E',
  '😀',
  '👩‍👩‍👧',
  'שלום',
  'مرحبا',
  '\uD83D',
  'cases:\n',
  'assert:',
  'type: ',
  'transcript:',
  'turns:',
  'at: 1-',
  'judge: ',
  'id: ',
  'null',
  '1e999',
  '-0',
];

/** A way to damage a text. Numbers from 0 to 1 are relative positions in it. */
type Damage =
  | { readonly kind: 'cut'; readonly at: number }
  | { readonly kind: 'remove'; readonly at: number; readonly length: number }
  | { readonly kind: 'insert'; readonly at: number; readonly token: string }
  | { readonly kind: 'repeat' | 'drop' | 'indent' | 'outdent'; readonly at: number }
  | { readonly kind: 'weave'; readonly at: number; readonly other: number; readonly lines: number }
  | { readonly kind: 'crlf' | 'bom' | 'flow' };

/** A relative position in any text, from 0 to 1. Random doubles would nearly always be extremely small. */
export const place: fc.Arbitrary<number> = fc
  .noBias(fc.integer({ min: 0, max: 9_999 }))
  .map((parts) => parts / 9_999);

const damage: fc.Arbitrary<Damage> = fc.oneof(
  fc.record({ kind: fc.constant('cut' as const), at: place }),
  fc.record({ kind: fc.constant('remove' as const), at: place, length: fc.nat(40) }),
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('insert' as const),
      at: place,
      token: fc.constantFrom(...TOKENS),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('repeat', 'drop', 'indent', 'outdent'),
      at: place,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('weave' as const),
      at: place,
      other: fc.nat(),
      lines: fc.integer({ min: 1, max: 12 }),
    }),
  },
  fc.record({ kind: fc.constantFrom('crlf', 'bom', 'flow') }),
);

/** Example and fixture files. They are too long to use them whole for thousands of texts. */
const WHOLE = globSync(['examples/**/*.eval.yaml', 'test/fixtures/**/*.eval.yaml'], {
  cwd: CHECKOUT,
  absolute: true,
}).sort();

/** Excerpts of a file: everything before the cases, with one or two cases. */
function excerpts(text: string): string[] {
  const [head = '', ...cases] = text.split(/^(?= {2}- id:)/m);
  return cases.map((one, index) => head + one + (index % 3 === 0 ? (cases[index + 1] ?? '') : ''));
}

const SOUND: readonly string[] = WHOLE.flatMap((path) => excerpts(readFileSync(path, 'utf8')));

const BASES: readonly string[] = [...SOUND, ...HARD_TEXTS];

const PROMPTS: readonly string[] = globSync(['examples/**/*.md', '!**/README.md'], {
  cwd: CHECKOUT,
  absolute: true,
})
  .sort()
  .map((path) => readFileSync(path, 'utf8'));

/** Eval files, most of them mutated, truncated, and interleaved. */
export const evalTexts: fc.Arbitrary<string> = damaged(BASES);

/** Eval files with few cases and no problems. */
export const soundTexts: fc.Arbitrary<string> = fc.constantFrom(...SOUND);

/** Message files in each supported format. */
const MESSAGES: Readonly<Record<string, string>> = {
  'a.messages.yaml': `- system: Be kind.
- user: "Hi {{name}} 😀"
- role: assistant
  content:
    - { type: text, text: Hello }
  tool_calls:
    - id: call_1
      type: function
      function: { name: look, arguments: '{"at": 1}' }
- tool: found
- assistant: |
    It is there.
`,
  'a.messages.json': `[
  {"role": "user", "content": "Hi"},
  {"role": "assistant", "content": [{"type": "text", "text": "שלום"}], "tool_calls": null},
  {"type": "function_call", "call_id": "1", "name": "look", "arguments": "{}"}
]
`,
  'a.messages.jsonl': `{"role": "user", "content": "Hi 😀"}
{"role": "assistant", "content": "Hello", "retrieval_context": ["a"]}

{"user": "Bye"}
`,
};

/** Damaged message files, with their names. */
export const messageFiles: fc.Arbitrary<{ readonly name: string; readonly text: string }> = fc
  .constantFrom(...Object.keys(MESSAGES))
  .chain((name) => damaged([MESSAGES[name] ?? '', ...HARD_TEXTS]).map((text) => ({ name, text })));

/** Damaged judge prompts. */
export const promptTexts: fc.Arbitrary<string> = damaged(PROMPTS);

function damaged(bases: readonly string[]): fc.Arbitrary<string> {
  return fc.tuple(fc.nat(bases.length - 1), fc.array(damage, { maxLength: 5 })).map(([base, all]) =>
    // Editors don't treat a single carriage return as a line break.
    all
      .reduce((text, one) => damagedBy(text, one, bases), bases[base] ?? '')
      .replace(/\r(?!\n)/g, ''),
  );
}

function damagedBy(text: string, one: Damage, bases: readonly string[]): string {
  switch (one.kind) {
    case 'cut':
      return text.slice(0, offset(text, one.at));
    case 'remove':
      return text.slice(0, offset(text, one.at)) + text.slice(offset(text, one.at) + one.length);
    case 'insert':
      return text.slice(0, offset(text, one.at)) + one.token + text.slice(offset(text, one.at));
    case 'crlf':
      return text.replace(/\r?\n/g, '\r\n');
    case 'bom':
      return `\uFEFF${text}`;
    case 'flow':
      return `{ ${text} }`;
    default:
      return linesDamagedBy(text.split('\n'), one, bases).join('\n');
  }
}

function linesDamagedBy(
  lines: readonly string[],
  one: Extract<Damage, { at: number }>,
  bases: readonly string[],
): readonly string[] {
  const index = Math.floor(one.at * (lines.length - 1));
  const line = lines[index] ?? '';
  switch (one.kind) {
    case 'repeat':
      return lines.toSpliced(index, 0, line);
    case 'drop':
      return lines.toSpliced(index, 1);
    case 'indent':
      return lines.with(index, `  ${line}`);
    case 'outdent':
      return lines.with(index, line.replace(/^ {1,2}/, ''));
    case 'weave': {
      const other = (bases[one.other % bases.length] ?? '').split('\n');
      const from = one.other % other.length;
      return lines.toSpliced(index, 0, ...other.slice(from, from + one.lines));
    }
    default:
      return lines;
  }
}

function offset(text: string, at: number): number {
  return Math.floor(at * text.length);
}
