import { extname } from 'node:path';
import type * as z from 'zod';
import { firstFree, isMapping, mappingOf, type Path, valueAt } from '../../core/data/data.ts';
import { isFileKind, type SymbolKind } from '../../core/meaning.ts';
import { toolsSchema, unwrapTools } from '../../core/message.ts';
import type { NewFileKind } from '../../core/problem.ts';
import { DEFAULT_MODEL } from '../../evalfile/judgeChoices.ts';
import { mentionsIn, rolesAt } from '../../schema/mentions.ts';
import { definition, keysAt, schemasAt, unwrap, valuesAt } from '../../schema/schemaWalk.ts';

const TRANSCRIPT = [{ user: 'Hello' }, { assistant: 'Hello' }];

/** Example values for keys whose schema would yield a meaningless value. */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  cases: [{ id: 'case-1', transcript: TRANSCRIPT, assert: ['The assistant greets the user.'] }],
  answer: 'yes',
  assert: ['The assistant answers the question.'],
  assistant: 'Hello',
  command: ['node', './agent.mjs'],
  content: 'Hello',
  criteria: 'The assistant is helpful.',
  criterion: 'The assistant answers the question.',
  expectations: { outcome: 'The question is answered.' },
  function: { name: 'look_up' },
  guidelines: ['Be polite.'],
  instructions: 'Does the assistant answer the question? {{conversation}}',
  language: 'en',
  max: 1000,
  model: 'gpt-5-mini',
  name: 'look_up',
  path: './file.mjs',
  pattern: 'text',
  provider: 'openai',
  role: 'A friendly support agent',
  tool_module: './tools.mjs',
  tools: [{ name: 'look_up' }],
  topics: ['orders'],
  transcript: TRANSCRIPT,
  user: 'Hello',
  value: 'text',
  values: ['text'],
};

/** Names to use if a file doesn't declare any symbol of that kind. */
const DEFAULT_REFERENCES: Readonly<Partial<Record<SymbolKind, unknown>>> = {
  model: DEFAULT_MODEL,
  shortModel: DEFAULT_MODEL,
  target: { type: 'chat', model: DEFAULT_MODEL },
};

/** Maximum depth; no required mapping in the format is nested more deeply. */
const MAX_DEPTH = 4;

export function placeholder(
  schema: z.ZodType,
  root: unknown,
  path: Path,
  ids: readonly string[],
): unknown {
  const key = String(path.at(-1));
  const owner = path.slice(0, -1);
  if (key === 'type' && !('type' in mappingOf(valueAt(root, owner)))) {
    // For assertions, any type is fine. Otherwise, the other keys determine the type.
    const kinds = valuesAt(schema, root, path).map(({ value }) => value);
    return kinds.includes('contains') ? 'contains' : (kinds[0] ?? 'contains');
  }
  if (key === 'tool_results') {
    const tools = valueAt(root, [...owner, 'tools']) ?? mappingOf(root).tools;
    const read = unwrapTools(toolsSchema.safeParse(tools).data ?? []);
    return Object.fromEntries(read.map(({ name }) => [name, 'text']));
  }
  for (const { kind, role } of rolesAt(schema, root, path)) {
    if (kind === 'case' && role === 'declaration') {
      const taken = new Set(ids);
      return firstFree(
        (number) => `case-${number}`,
        (id) => taken.has(id),
      );
    }
    if (kind === undefined || isFileKind(kind) || role === 'declaration') continue;
    const name = declared(schema, root, kind) ?? DEFAULT_REFERENCES[kind];
    if (name !== undefined) return name;
  }
  const schemas = schemasAt(schema, root, owner).flatMap((one) => {
    const field = definition(one).shape?.[key];
    return field ? optionsOf(field) : [];
  });
  return valueFor(key, schemas);
}

function declared(schema: z.ZodType, root: unknown, kind: SymbolKind): string | undefined {
  const { names } = mentionsIn(schema, root);
  return names.find((one) => one.kind === kind && one.role === 'declaration')?.text;
}

function optionsOf(schema: z.core.$ZodType): z.core.$ZodType[] {
  const plain = unwrap(schema);
  return definition(plain).options?.flatMap(optionsOf) ?? [plain];
}

function valueFor(key: string, schemas: readonly z.core.$ZodType[]): unknown {
  const known = EXAMPLES[key];
  if (known !== undefined && schemas.some((one) => accepts(one, known))) return known;
  const [first] = schemas;
  return first ? generate(first, key, 0) : (known ?? 'text');
}

function accepts(schema: z.core.$ZodType, value: unknown): boolean {
  const { type } = definition(schema);
  if (Array.isArray(value)) return type === 'array' || type === 'tuple';
  if (isMapping(value)) return type === 'object' || type === 'record';
  return typeof value === 'number'
    ? type === 'number'
    : !['array', 'object', 'record', 'number'].includes(type);
}

function generate(schema: z.core.$ZodType, key: string, depth: number): unknown {
  const { type, values, entries, shape, element, options, items } = definition(unwrap(schema));
  if (values?.[0] !== undefined) return values[0];
  const [entry] = Object.values(entries ?? {});
  if (entry !== undefined) return entry;
  if (options?.[0]) return generate(options[0], key, depth);
  if (items) {
    // Ascending numbers, as in a scale.
    return items.map((item, index) =>
      definition(unwrap(item)).type === 'number' ? index : generate(item, key, depth + 1),
    );
  }
  if (element) return [generate(element, key, depth + 1)];
  if (type === 'number' || type === 'int') return 1;
  if (type === 'boolean') return true;
  if (type === 'record') return {};
  if (shape && depth < MAX_DEPTH) {
    const required = keysAt(schema as z.ZodType, {}, []).filter((one) => one.required);
    return Object.fromEntries(
      required.map((one) => [one.name, generate(one.schema, one.name, depth + 1)]),
    );
  }
  const known = EXAMPLES[key];
  return typeof known === 'string' || typeof known === 'number' ? known : 'text';
}

const PROMPT = `---
description: What the judge looks at.
---

Does each reply in the conversation answer what the user asked?

{{conversation}}
`;

const SCRIPT = `export default ({ conversation }) =>
  conversation.turns.every(({ side, text }) => side !== 'assistant' || text !== '');
`;

const TYPED_SCRIPT = `import type { Script } from 'turnlight';

const check: Script = ({ conversation }) =>
  conversation.turns.every(({ side, text }) => side !== 'assistant' || text !== '');

export default check;
`;

const MODULE = `export default async (messages, { context, signal }) =>
  \`You said: \${messages.at(-1).content}\`;
`;

const TYPED_MODULE = `interface ChatMessage {
  readonly role: string;
  readonly content: string;
}

export default async (messages: readonly ChatMessage[]): Promise<string> =>
  \`You said: \${messages.at(-1)?.content}\`;
`;

const CASES = `cases:
  - id: first
    transcript:
      - user: Hello
      - assistant: Hello, how can I help you?
    assert:
      - The assistant greets the user.
`;

/** Returns the text of a new, valid file. */
export function newFileText(kind: NewFileKind, path: string): string {
  switch (kind) {
    case 'prompt':
      return PROMPT;
    case 'script':
      return extname(path) === '.ts' ? TYPED_SCRIPT : SCRIPT;
    case 'module':
      return extname(path) === '.ts' ? TYPED_MODULE : MODULE;
    case 'cases':
      return CASES;
    case 'transcript':
      return transcript(extname(path));
  }
}

function transcript(extension: string): string {
  const messages = [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hello, how can I help you?' },
  ];
  if (extension === '.json') return `${JSON.stringify(messages, undefined, 2)}\n`;
  if (extension === '.jsonl') return messages.map((one) => `${JSON.stringify(one)}\n`).join('');
  return messages.map(({ role, content }) => `- ${role}: ${content}\n`).join('');
}
