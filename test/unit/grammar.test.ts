import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { globSync } from 'tinyglobby';
import { evalGrammar, MARKDOWN_KEYS, SCOPE } from '../../scripts/grammar/evalGrammar.ts';
import { promptGrammar } from '../../scripts/grammar/promptGrammar.ts';
import { assertionTypes } from '../../src/assertions/registry.ts';
import { PROMPT_VARIABLES } from '../../src/assertions/shared/promptVariables.ts';
import { evalJsonSchema } from '../../src/evalfile/schema.ts';
import { loadGrammar, tokensOf } from '../support/grammar.ts';

const PROMPT_SCOPE = 'markdown.prompt.conversation-eval';

const grammar = await loadGrammar(SCOPE, { [SCOPE]: evalGrammar() });
const markdown = await loadGrammar('text.html.markdown', { [PROMPT_SCOPE]: promptGrammar() }, [
  PROMPT_SCOPE,
]);

/** The scopes of the first token that starts with the given text, optionally on the given line. */
function scopesOf(text: string, piece: string, line?: number): string {
  const found = tokensOf(grammar, text).find(
    (token) => token.text.trim().startsWith(piece) && (line === undefined || token.line === line),
  );
  assert.ok(found, `a token begins with ${piece}`);
  return found.scopes;
}

const has = (text: string, piece: string, scope: string, line?: number) => {
  const scopes = scopesOf(text, piece, line);
  assert.ok(
    scopes.split(' ').some((one) => one.startsWith(scope)),
    `${piece}: ${scopes}`,
  );
};
const hasNot = (text: string, piece: string, scope: string, line?: number) =>
  assert.ok(!scopesOf(text, piece, line).includes(scope));

describe('the grammar of eval files', () => {
  it('knows keys, dashes, colons, texts and comments', () => {
    const text =
      'cases: # all\n  - id: a.b-c\n    description: "x" # why\n    threshold: 0.5\n    only: true\n';
    has(text, 'cases', 'entity.name.tag');
    has(text, ':', 'punctuation.separator.key-value');
    has(text, '#', 'punctuation.definition.comment');
    has(text, 'all', 'comment.line');
    has(text, '-', 'punctuation.definition.block.sequence.item');
    has(text, 'a.b-c', 'string.unquoted.plain');
    has(text, 'x', 'string.quoted.double');
    has(text, 'why', 'comment.line');
    has(text, '0.5', 'constant.numeric');
    has(text, 'true', 'constant.language');
  });

  it('takes no part of a text for a key, a comment or a value', () => {
    const text = '- It is a#b, true or not: 5 of 6\n- He said user - so\n- "user: #5"\n';
    has(text, 'He said user - so', 'string.unquoted');
    has(text, 'user: #5', 'string.quoted');
  });

  it('knows roles as keys and as values, in lines and in braces', () => {
    const text =
      '- user: Hi\n- {assistant: Hello}\n- role: tool\n- {"role": x, role: system}\n- system:\nother: user\n';
    has(text, 'user', 'keyword.control.role', 1);
    has(text, 'assistant', 'keyword.control.role');
    has(text, 'tool', 'keyword.control.role');
    has(text, 'system', 'keyword.control.role', 4);
    has(text, 'system', 'keyword.control.role', 5);
    has(text, 'user', 'string.unquoted', 6);
    has(text, 'Hello', 'string.unquoted');
  });

  it('knows every type of assertion, however it is written', () => {
    for (const { type } of assertionTypes) {
      has(`- type: ${type} # x\n`, type, 'support.function.assertion');
      has(`  type: "${type}"\n`, type, 'support.function.assertion');
      has(`- {type: ${type}, at: last}\n`, type, 'support.function.assertion');
    }
    has('- type: contains-none\n', 'contains-none', 'string.unquoted');
    has('- type: function\n', 'function', 'string.unquoted');
  });

  it('knows variables in texts of every kind', () => {
    for (const text of [
      'a: x {{ name }} y\n',
      'a: "{{name}}"\n',
      "a: '{{name}}'\n",
      'a: |\n  x {{name}}\n',
      '- |\n  {{name}}\n',
      '- ["{{name}}", y]\n',
      'system: |\n  # {{name}}\n  **x** {{name}}\n',
    ]) {
      has(text, 'name', 'variable.parameter.template');
    }
    has('a: x {{context.NAME}}\n', 'context.NAME', 'variable.parameter');
    hasNot('a: x {{no name}}\n', 'x {{no name}}', 'variable.parameter');
  });

  it('knows variables of the environment', () => {
    for (const text of [
      'url: https://${'.concat('env:HOST}/x\n'),
      'url: "${'.concat('env:HOST}"\n'),
    ]) {
      has(text, 'HOST', 'variable.other.environment');
    }
  });

  it('sees Markdown in texts for models, from their first line to their last', () => {
    const text = `cases:
  - assert:
      - type: llm-judge
        instructions: | # comment
          # Heading
          This is **bold**
          and {{conversation}}.

              indented
        threshold: 0.5
      - instructions: >-
          # Heading
        threshold: 1
    turns: [Hi]
`;
    has(text, 'instructions', 'entity.name.tag', 4);
    has(text, '# Heading', 'markup.heading', 5);
    has(text, '# Heading', 'meta.embedded.block.markdown', 5);
    has(text, '**bold**', 'markup.bold', 6);
    has(text, 'conversation', 'variable.parameter', 7);
    hasNot(text, 'indented', 'markup.raw', 9);
    has(text, 'threshold', 'entity.name.tag', 10);
    has(text, '# Heading', 'markup.heading', 12);
    has(text, 'threshold', 'entity.name.tag', 13);
    hasNot(text, 'threshold', 'markdown', 13);
    has(text, 'turns', 'entity.name.tag', 14);
  });

  it('ends a text where its key ends, also behind dashes', () => {
    const text = `- user: |
    type: contains
  expected: x
- - assistant: |
      # Heading
    user: y
- |
  text: x
- >2-
  text: y
key: x
`;
    has(text, 'type: contains', 'string.unquoted.block', 2);
    has(text, 'expected', 'entity.name.tag', 3);
    has(text, '# Heading', 'markup.heading', 5);
    has(text, 'user', 'keyword.control.role', 6);
    has(text, 'text: x', 'string.unquoted.block', 8);
    has(text, 'text: y', 'string.unquoted.block', 10);
    has(text, 'key', 'entity.name.tag', 11);
  });

  it('goes on over lines in quotes and braces', () => {
    const text = 'a: "one\n  two" # c\nb: {c: [1,\n  true], # d\n  e: x}\nf: g\n';
    has(text, 'two', 'string.quoted.double');
    has(text, 'c', 'comment.line', 2);
    has(text, 'true', 'constant.language');
    has(text, 'd', 'comment.line', 4);
    has(text, 'e', 'entity.name.tag');
    has(text, 'f', 'entity.name.tag');
  });

  it('has Markdown only under keys of the format', () => {
    const schema = JSON.stringify(evalJsonSchema());
    for (const key of MARKDOWN_KEYS) assert.ok(schema.includes(`"${key}":`), key);
  });

  it('leaves nothing of an example without a scope but blanks', () => {
    for (const file of globSync('examples/**/*.eval.yaml')) {
      const bare = tokensOf(grammar, readFileSync(file, 'utf8')).filter(
        ({ text, scopes }) => scopes === '' && text.trim() !== '',
      );
      assert.deepEqual(bare, [], file);
    }
  });
});

describe('the grammar of judge prompts', () => {
  const scopes = (text: string, piece: string) =>
    tokensOf(markdown, text).find((token) => token.text === piece)?.scopes ?? '';

  it('knows the variables of prompts, also inside paragraphs', () => {
    for (const name of [...Object.keys(PROMPT_VARIABLES), 'context.NAME', 'context.a.b-c']) {
      assert.match(scopes(`Read **this** {{ ${name} }}.\n`, name), /variable\.parameter\.template/);
    }
  });

  it('leaves other braces in Markdown alone', () => {
    for (const name of ['name', 'conversations', 'context']) {
      assert.doesNotMatch(scopes(`A {{${name}}}.`, name), /variable/);
    }
  });
});
