import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  SEMANTIC_TOKENS,
  semanticTokens,
} from '../../../../src/language/features/semanticTokens.ts';
import { documentOf, HARD_TEXTS } from '../../../support/language/evalDocument.ts';
import { textIn } from '../../../support/ranges.ts';

/** Tokens as `line text: type modifier`, decoded like in an editor. */
async function tokens(text: string): Promise<string[]> {
  const { data } = semanticTokens(await documentOf(text));
  const { tokenTypes, tokenModifiers } = SEMANTIC_TOKENS;
  const found: string[] = [];
  let [line, character] = [0, 0];
  for (let at = 0; at < data.length; at += 5) {
    const [down = 0, right = 0, length = 0, type = 0, modifiers = 0] = data.slice(at, at + 5);
    line += down;
    character = down === 0 ? character + right : right;
    const end = { line, character: character + length };
    const token = textIn(text, { start: { line, character }, end });
    const said = tokenModifiers.filter((_, bit) => modifiers & (1 << bit));
    found.push(`${line + 1} ${token}: ${[tokenTypes[type], ...said].join(' ')}`);
  }
  return found;
}

describe('semanticTokens', () => {
  it('marks roles, in shorthand and in full', async () => {
    const text = `cases:
  - transcript:
      - system: Be kind.
      - {user: Hi}
      - role: assistant
        content: user
      - "tool": x
    turns:
      - user: Hi
        expected: user
`;
    assert.deepEqual(await tokens(text), [
      '3 system: keyword system',
      '4 user: keyword user',
      '5 assistant: keyword assistant',
      '7 tool: keyword tool',
      '9 user: keyword user',
    ]);
  });

  it('marks known assertion types, including nested ones', async () => {
    const text = `defaults:
  assert: [{type: contains, value: x}]
cases:
  - assert:
      - type: "all-of"
        assert:
          - type: regex
      - type: contians
      - type: decision-graph
        nodes:
          end:
            type: assertion
            assert: {type: safety}
targets:
  bot: {type: command}
`;
    assert.deepEqual(await tokens(text), [
      '2 contains: function',
      '5 all-of: function',
      '7 regex: function',
      '9 decision-graph: function',
      '13 safety: function',
      '15 bot: variable declaration',
    ]);
  });

  it('marks ids of cases and no other ids', async () => {
    const text = `cases:
  - id: one
    context: {id: two, cases: [{id: three}]}
`;
    assert.deepEqual(await tokens(text), ['2 one: class declaration']);
  });

  it('marks declarations and uses of models and targets', async () => {
    const text = `models:
  big: openai:gpt
targets:
  bot: {type: chat, model: big}
judge: "big"
target: other
cases:
  - target: bot
    description: bot
    assert: [{type: safety, judge: big}]
`;
    assert.deepEqual(await tokens(text), [
      '2 big: variable declaration',
      '4 bot: variable declaration',
      '4 big: variable',
      '5 big: variable',
      '8 bot: variable',
      '10 safety: function',
      '10 big: variable',
    ]);
  });

  it('marks variables in texts of any style', async () => {
    const text = `cases:
  - turns:
      - I am {{name}}
        of {{ place }}
      - "😀 {{name}}"
      - 'It is {{ context.NAME }}'
      - >-
        שלום {{name}} {{no name}}
`;
    assert.deepEqual(await tokens(text), [
      '3 {{name}}: parameter',
      '4 {{ place }}: parameter',
      '5 {{name}}: parameter',
      '6 {{ context.NAME }}: parameter',
      '8 {{name}}: parameter',
    ]);
  });

  it('marks environment variables in models and targets', async () => {
    const text = `models:
  big: {provider: openai, base_url: "\${env:HOST}/v1/\${env:PATH}"}
cases:
  - description: \${env:HOST}
`;
    assert.deepEqual(await tokens(text), [
      '2 big: variable declaration',
      `2 \${env:HOST}: macro`,
      `2 \${env:PATH}: macro`,
    ]);
  });

  for (const text of HARD_TEXTS) {
    it(`returns no range outside of ${JSON.stringify(text)}`, async () => {
      await tokens(text);
    });
  }
});
