import { assertionTypes } from '../../src/assertions/registry.ts';
import { COLON, captures, KEY, type Rule, variable } from './rules.ts';

export const SCOPE = 'source.yaml.conversation-eval';

/** The scope of Markdown inside an eval file. */
const MARKDOWN = 'meta.embedded.block.markdown';

/** Keys whose texts are Markdown: texts that models read or write. */
export const MARKDOWN_KEYS = [
  'assistant',
  'criteria',
  'developer',
  'instructions',
  'question',
  'role',
  'system',
] as const;

const ROLES = 'user|assistant|system|developer|tool';
const ROLE = 'keyword.control.role.conversation-eval';
const DASH = 'punctuation.definition.block.sequence.item.yaml';
const BLOCK_TEXT = 'string.unquoted.block.yaml';
const HEADER = 'keyword.control.flow.block-scalar.yaml';
const ASSERTION = 'support.function.assertion.conversation-eval';

const ANY_KEY = `"[^"]*"|'[^']*'|[^\\s#"'\\[\\]{},&*!|>%@\`-][^#]*?`;

/** Matches the end of a value: a comment or the end of the line. */
const LINE_END = '(?=\\s*(?:$|\\s#))';

/** Matches a variable's name; the same pattern as in src/core/text/template.ts. */
const NAME = '[A-Za-z_][\\w-]*(?:\\.[\\w-]+)*';

/** Sorted by length in descending order, since `contains` is a prefix of `contains-all`. */
const TYPES = assertionTypes
  .map(({ type }) => type)
  .sort((a, b) => b.length - a.length)
  .join('|');

const DASHES: readonly Rule[] = [{ match: '-', name: DASH }];

/**
 * The grammar of eval files: YAML line by line, with the keys of the format. It doesn't include another YAML grammar,
 * so it is the same in every version of the editor.
 */
export function evalGrammar(): Readonly<Record<string, unknown>> {
  return {
    name: 'Conversation Eval',
    scopeName: SCOPE,
    patterns: [
      include('comment'),
      { match: '^(?:---|\\.\\.\\.)(?=\\s|$)', name: 'entity.other.document.yaml' },
      include('block-text'),
      include('entry'),
      { match: '^\\s*((?:-\\s+)*-)(?=\\s|$)', captures: captures(DASHES) },
      include('value'),
    ],
    // Markdown's own rules don't match variables.
    injections: { [`L:${MARKDOWN}`]: { patterns: [include('variable')] } },
    repository: {
      comment: {
        match: '(?:^|(?<=\\s))(#).*$',
        name: 'comment.line.number-sign.yaml',
        captures: captures('punctuation.definition.comment.yaml'),
      },
      variable: variable(NAME),
      environment: {
        name: 'meta.environment.conversation-eval',
        match: '(\\$\\{)(env)(:)([A-Za-z_]\\w*)(\\})',
        captures: captures(
          'punctuation.definition.template.begin.conversation-eval',
          'keyword.other.environment.conversation-eval',
          'punctuation.separator.conversation-eval',
          'variable.other.environment.conversation-eval',
          'punctuation.definition.template.end.conversation-eval',
        ),
      },
      'in-text': { patterns: [include('variable'), include('environment')] },
      'block-text': { patterns: blockTexts() },
      entry: { patterns: entries() },
      value: { patterns: values() },
      flow: { patterns: flow() },
    },
  };
}

function include(name: string): Rule {
  return { include: `#${name}` };
}

/** Texts after `|` or `>`: all lines that are indented deeper than their key. */
function blockTexts(): Rule[] {
  const isRole = (key: string) => ROLES.split('|').includes(key);
  const markdown = { contentName: MARKDOWN, patterns: [{ include: 'text.html.markdown' }] };
  const text = { contentName: BLOCK_TEXT, patterns: [include('in-text')] };
  const under = [
    { key: MARKDOWN_KEYS.filter(isRole).join('|'), scope: ROLE, content: markdown },
    { key: MARKDOWN_KEYS.filter((key) => !isRole(key)).join('|'), scope: KEY, content: markdown },
    { key: ROLES, scope: ROLE, content: text },
    { key: ANY_KEY, scope: KEY, content: text },
  ];
  return [
    ...under.flatMap(({ key, scope, content }) =>
      [0, 1, 2].map((dashes) => blockText(dashes, `(${key})(:)\\s+`, [scope, COLON], content)),
    ),
    ...[1, 2].map((dashes) => blockText(dashes, '', [], text)),
  ];
}

/**
 * A text whose key follows the given number of dashes. Its lines are indented at least one space more than the key.
 * `while` consumes the indentation, so Markdown doesn't treat it as code.
 */
function blockText(
  dashes: number,
  key: string,
  keyScopes: readonly string[],
  content: Pick<Rule, 'contentName' | 'patterns'>,
): Rule {
  // Without a key, the text is indented deeper than the last dash.
  const behind = key === '' ? dashes - 1 : dashes;
  const indents = Array.from({ length: behind }, (_, index) => ` \\${2 * index + 3}`).join('');
  const dash = Array.from({ length: dashes }, () => [DASH, undefined]).flat();
  return {
    ...content,
    begin: `^(\\s*)${'(-)(\\s+)'.repeat(dashes)}${key}([|>][-+1-9]*)${LINE_END}`,
    beginCaptures: captures(undefined, ...dash, ...keyScopes, HEADER),
    while: `^(?:\\1${indents}\\s+(?=\\S)|\\s*$)`,
  };
}

/** Keys at the start of a line. */
function entries(): Rule[] {
  const head = '^\\s*((?:-\\s+)*)';
  return [
    {
      match: `${head}(type)(:)\\s+(["']?)(${TYPES})\\4${LINE_END}`,
      captures: captures(DASHES, KEY, COLON, undefined, ASSERTION),
    },
    {
      match: `${head}(role)(:)\\s+(["']?)(${ROLES})\\4${LINE_END}`,
      captures: captures(DASHES, KEY, COLON, undefined, ROLE),
    },
    { match: `${head}(${ROLES})(:)(?=\\s|$)`, captures: captures(DASHES, ROLE, COLON) },
    {
      match: `${head}(${ANY_KEY})\\s*(:)(?=\\s|$)`,
      captures: captures(DASHES, KEY, COLON),
    },
  ];
}

function values(): Rule[] {
  return [
    {
      name: 'string.quoted.double.yaml',
      begin: '"',
      end: '"',
      patterns: [{ match: '\\\\.', name: 'constant.character.escape.yaml' }, include('in-text')],
    },
    {
      name: 'string.quoted.single.yaml',
      begin: "'",
      end: "'(?!')",
      patterns: [{ match: "''", name: 'constant.character.escape.yaml' }, include('in-text')],
    },
    {
      name: 'meta.flow-mapping.yaml',
      begin: '\\{',
      end: '\\}',
      beginCaptures: { 0: { name: 'punctuation.definition.mapping.begin.yaml' } },
      endCaptures: { 0: { name: 'punctuation.definition.mapping.end.yaml' } },
      patterns: [include('flow')],
    },
    {
      name: 'meta.flow-sequence.yaml',
      begin: '\\[',
      end: '\\]',
      beginCaptures: { 0: { name: 'punctuation.definition.sequence.begin.yaml' } },
      endCaptures: { 0: { name: 'punctuation.definition.sequence.end.yaml' } },
      patterns: [include('flow')],
    },
    { match: '(&)([^\\s,\\[\\]{}]+)', name: 'entity.name.type.anchor.yaml' },
    { match: '(\\*)([^\\s,\\[\\]{}]+)', name: 'variable.other.alias.yaml' },
    { match: '![^\\s,\\[\\]{}]*', name: 'storage.type.tag-handle.yaml' },
    { match: '[|>][-+1-9]*(?=\\s|$)', name: HEADER },
    ...constants(LINE_END),
    plainText('(?=\\s+#)|\\s*$'),
  ];
}

function flow(): Rule[] {
  const end = '(?=\\s*(?:$|[,\\]}]|\\s#))';
  return [
    include('comment'),
    { match: ',', name: 'punctuation.separator.sequence.yaml' },
    {
      match: `(?<=[{,\\s])(type)(:)\\s+(["']?)(${TYPES})\\3${end}`,
      captures: captures(KEY, COLON, undefined, ASSERTION),
    },
    {
      match: `(?<=[{,\\s])(role)(:)\\s+(["']?)(${ROLES})\\3${end}`,
      captures: captures(KEY, COLON, undefined, ROLE),
    },
    { match: `(?<=[{,\\s])(${ROLES})(:)(?=[\\s,\\]}]|$)`, captures: captures(ROLE, COLON) },
    {
      match:
        '("[^"]*"|\'[^\']*\'|[^\\s#"\'\\[\\]{},:&*!|>%@`-][^#\\[\\]{},:]*?)\\s*(:)(?=[\\s,\\]}]|$)',
      captures: captures(KEY, COLON),
    },
    ...constants(end),
    ...values().filter(({ name }) => !name?.startsWith('string.unquoted')),
    plainText(`${end}|$`),
  ];
}

function constants(end: string): Rule[] {
  return [
    { match: `(?:true|false|True|False|TRUE|FALSE|null|~)${end}`, name: 'constant.language.yaml' },
    {
      match: `[-+]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][-+]?\\d+)?${end}`,
      name: 'constant.numeric.yaml',
    },
  ];
}

function plainText(end: string): Rule {
  return {
    name: 'string.unquoted.plain.yaml',
    begin: '(?=[^\\s#,\\[\\]{}&*!|>\'"%@`])',
    end,
    patterns: [include('in-text')],
  };
}
