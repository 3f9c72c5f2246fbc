import { HOSTILE_TEXTS } from './hostileTexts.ts';

/** A file that a stranger put into the workspace. */
export interface HostileDocument {
  /** What the file attempts. */
  readonly name: string;
  readonly file: string;
  readonly content: string | Uint8Array;
}

/** Just below the maximum size of an eval file. */
const FULL = 1_900_000;

function filled(piece: string, size = FULL): string {
  return piece.repeat(Math.floor(size / piece.length));
}

/** An eval file with the given part of an assertion. */
function asserting(assertion: string): string {
  return `cases:\n  - id: a\n    transcript: [{user: Hi}, {assistant: Hello}]\n    assert: [${assertion}]\n`;
}

function numbered(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join('');
}

/** Each level contains the level below nine times, so nine levels are 387 million texts. */
function laughs(levels: number): string {
  return numbered(levels, (level) =>
    level === 0 ? 'l0: &l0 ha\n' : `l${level}: &l${level} [${filled(`*l${level - 1},`, 36)}]\n`,
  );
}

const QUIET = '  - {id: a, transcript: [{user: Hi}, {assistant: Hello}], assert: [It greets.]}\n';

const NODES = `${filled('{type: array, items: {$ref: "#/$defs/n"}},', 86)}`;

const EVAL_FILES: Readonly<Record<string, () => string>> = {
  'explicit keys in a row': () => filled('? ', 2_400),
  'explicit keys without end': () => filled('? ', 200_000),
  'brackets within brackets': () => filled('[', 20_000),
  'braces within braces': () => `cases: ${filled('{a: ', 20_000)}`,
  'lists within lists': () => filled('- ', 100_000),
  'nothing but closing brackets': () => filled(']\n'),
  'nothing but commas': () => filled(','),
  'nothing but colons': () => filled(': ', 400_000),
  'nothing but quotes': () => filled('"', 400_000),
  'a quote that never closes': () => `cases: "${filled('x ')}`,
  'a line without end': () => `description: ${filled('x')}\ncases:\n${QUIET}`,
  'a block without end': () => `description: |\n${filled('  x\n')}`,
  'a comment without end': () => `# ${filled('x')}\ncases:\n${QUIET}`,
  'more than is read': () => filled(`# ${'x'.repeat(77)}\n`, 3_000_000),
  'one id for all cases': () => `cases:\n${filled('  - {id: a}\n', 360_000)}`,
  'a hundred thousand messages': () =>
    `cases:\n  - id: a\n    transcript:\n${filled('      - user: Hi\n', 1_700_000)}    assert: [x]\n`,
  'ten thousand unknown keys': () => numbered(10_000, (index) => `key${index}: 1\n`),
  'names that are nearly alike': () =>
    `judge: ${filled('a', 900_000)}\nmodels: {${filled('a', 900_000)}b: openai:gpt-5}\ncases:\n${QUIET}`,
  'a thousand names for one': () =>
    `models:\n${numbered(1_000, (index) => `  model${index}: openai:m\n`)}judge: modell\ncases:\n${QUIET}`,
  'repetitions without end': () => `repeat: 1000000000\ncases:\n${QUIET}`,
  'turns without end': () => asserting('{type: contains, value: x, at: 1-999999999}'),
  'a billion laughs': () => `${laughs(9)}cases: *l8\n`,
  'an alias of itself': () => 'cases: &a [*a, *a]\n',
  'a merge of itself': () => 'cases: &a\n  <<: *a\n  b: 1\n',
  'ten thousand aliases': () => `x: &a [1]\ncases: [${filled('*a,', 30_000)}]\n`,
  'a tag of a program': () => 'cases: !!js/function "process.exit(1)"\n',
  'a tag of a class': () => 'cases: !!python/object/apply:os.system ["touch pwned"]\n',
  'a tag of binary data': () => `cases: !!binary ${filled('QUJD', 40_000)}\n`,
  'a directive of the future': () => `%YAML 9.9\n%TAG ! tag:x,2000:\n---\ncases: !x []\n`,
  'documents without end': () => filled('--- x\n', 60_000),
  'names of prototypes': () =>
    `models: {__proto__: openai:m, constructor: openai:m}\ncases:\n  - {id: __proto__, tags: [toString], context: {__proto__: {a: 1}, hasOwnProperty: 1}}\n`,
  'a pattern that explodes': () => asserting('{type: regex, pattern: "((a{1,900}){1,900})+$"}'),
  'a pattern of brackets': () => asserting(`{type: regex, pattern: "${filled('(', 20_000)}"}`),
  'a schema that returns to itself': () =>
    asserting(`{type: json-schema, schema: {$ref: "#/$defs/n", $defs: {n: {anyOf: [${NODES}]}}}}`),
  'a schema of a thousand patterns': () =>
    asserting(
      `{type: json-schema, schema: {allOf: [${filled('{pattern: "a{1,900}b"},', 24_000)}]}}`,
    ),
  'groups within groups': () =>
    asserting(`${filled('{type: all-of, assert: [', 24_000)}x${filled(']}', 2_000)}`),
  'a graph that returns to itself': () =>
    asserting(
      `{type: decision-graph, nodes: {${numbered(2_000, (index) => `n${index}: {question: x, yes: n${(index + 1) % 2_000}, no: n0},`)}}}`,
    ),
  'variables that never close': () => `target: {type: chat, system: "${filled('{{', 400_000)}"}\n`,
  'environment variables without end': () =>
    `judge: {provider: openai, model: m, base_url: "${filled(`\${env:A}`, 400_000)}"}\n`,
  'paths that lead outside': () =>
    `target: {type: module, path: ../../../../etc/passwd}\ncases:\n  - {id: a, transcript: /dev/zero, assert: [{type: script, path: "..\\\\..\\\\x.mjs"}]}\n`,
  'globs without end': () => `include: ["${filled('**/', 300)}*.yaml"]\n`,
  'a cycle of files': () => 'include: [./*.eval.yaml]\n',
  'tabs and carriage returns': () => filled('\tcases:\r\r\n\t- \t\r', 40_000),
  'hidden characters as names': () =>
    `cases:\n${Object.values(HOSTILE_TEXTS)
      .map((text) => `  - id: ${JSON.stringify(text)}\n    description: ${text}\n`)
      .join('')}`,
  'a key without end': () => `${filled('k', 900_000)}: 1\n`,
  nothing: () => '',
};

/** Bytes that aren't valid UTF-8 text. */
const BYTES: Readonly<Record<string, () => Uint8Array>> = {
  'random bytes': () => Uint8Array.from({ length: 60_000 }, (_, at) => (at * at * 31 + at) % 256),
  'zero bytes': () => new Uint8Array(400_000),
  'UTF-16 with a mark': () => Buffer.from(`\ufeffcases:\n${QUIET}`, 'utf16le'),
  'half a character': () => Buffer.concat([Buffer.from('cases: "'), Uint8Array.of(0xf0, 0x9f)]),
  'surrogates as bytes': () => Buffer.from([0xed, 0xa0, 0x80, 0xed, 0xbf, 0xbf]),
};

const MESSAGES: Readonly<Record<string, () => string>> = {
  'messages of brackets': () => filled('[', 400_000),
  'messages of many lines': () => filled('{"role":"user","content":"x"}\n', 600_000),
  'messages of broken lines': () => filled('{"role":\n', 400_000),
  'one message without end': () => `{"role":"user","content":"${filled('x')}"}\n`,
};

const PROMPTS: Readonly<Record<string, () => string>> = {
  'a prompt of open variables': () => filled('{{', 400_000),
  'a prompt of unknown variables': () => numbered(5_000, (index) => `{{name${index}}} `),
  'a prompt with a hostile head': () => `---\n${filled('? ', 2_400)}\n---\n{{conversation}}\n`,
};

/** Files for one workspace. Each of them could harm the whole workspace. */
export function hostileDocuments(): HostileDocument[] {
  return [
    ...named(EVAL_FILES, '.eval.yaml'),
    ...named(BYTES, '.eval.yaml'),
    ...named(MESSAGES, '.messages.jsonl'),
    ...named(PROMPTS, '.prompt.md'),
  ];
}

function named(
  made: Readonly<Record<string, () => string | Uint8Array>>,
  extension: string,
): HostileDocument[] {
  return Object.entries(made).map(([name, content]) => ({
    name,
    file: `${name.replaceAll(/\W+/g, '-')}${extension}`,
    content: content(),
  }));
}
