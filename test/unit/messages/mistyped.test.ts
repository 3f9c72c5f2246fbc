import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadTranscript } from '../../../src/evalfile/transcript.ts';
import { parseYaml } from '../../../src/yaml/yamlDocument.ts';

/** Conversations with every key that people write by hand. */
const SOUND: Readonly<Record<string, string>> = {
  'OpenAI chat': `- {role: system, content: Be kind.}
- {role: user, content: [{type: text, text: Hi}]}
- role: assistant
  content: null
  tool_calls: [{id: a, type: function, function: {name: f, arguments: {x: 1}}}]
- {role: tool, tool_call_id: a, content: done}
- {role: assistant, content: Done., retrieval_context: [x]}
`,
  shorthand: `- system: Be kind.
- user: Hi
- assistant: Let me look.
  tool_calls: [{id: a, function: {name: f}}]
- {tool: done, tool_call_id: a}
- {assistant: Done., retrieval_context: [x]}
`,
  'OpenAI Responses': `- {type: message, role: user, content: [{type: input_text, text: Hi}]}
- {type: function_call, call_id: a, name: f, arguments: "{}"}
- {type: function_call_output, call_id: a, output: done}
- {type: mcp_call, id: m, name: g, server_label: s, arguments: "{}", output: x}
- {role: assistant, content: [{type: output_text, text: Done.}]}
`,
  Azure: `- {role: user, content: [{type: text, text: Hi}]}
- role: assistant
  content:
    - {type: tool_call, tool_call_id: a, name: f, arguments: {x: 1}}
    - {type: tool_call, tool_call: {id: b, function: {name: g, arguments: {}}}}
- {role: tool, tool_call_id: a, content: [{type: tool_result, tool_result: x}]}
- {role: tool, content: [{type: tool_result, tool_call_id: b, tool_result: x}]}
- {role: assistant, content: [{type: output_text, text: Done.}]}
`,
  Anthropic: `- {role: user, content: Hi}
- role: assistant
  content: [{type: text, text: Look.}, {type: tool_use, id: a, name: f, input: {}}]
- {role: user, content: [{type: tool_result, tool_use_id: a, content: x, is_error: false}]}
- {role: assistant, content: Done.}
`,
  DeepEval: `- {role: user, content: Hi}
- role: assistant
  content: Done.
  retrieval_context: [x]
  tools_called: [{name: f, input_parameters: {x: 1}, output: y}]
`,
  'AI SDK UIMessage': `- {id: m1, role: user, parts: [{type: text, text: Hi}]}
- role: assistant
  parts:
    - {type: dynamic-tool, toolName: f, toolCallId: a, state: output-available, input: {}, output: y}
    - {type: text, text: Done.}
`,
  'OpenAI Agents SDK': `- {role: user, content: Hi}
- {type: function_call, callId: a, name: f, arguments: '{}', status: completed}
- {type: function_call_result, callId: a, name: f, status: completed, output: {type: text, text: y}}
- {role: assistant, content: Done.}
`,
  'AI SDK ModelMessage': `- {role: user, content: Hi}
- role: assistant
  content: [{type: text, text: Look.}, {type: tool-call, toolCallId: a, toolName: f, input: {}}]
- role: tool
  content: [{type: tool-result, toolCallId: a, toolName: f, output: {type: text, value: y}}]
- {role: assistant, content: Done.}
`,
  LangChain: `- {type: system, content: Be kind.}
- {type: human, content: Hi}
- {type: ai, content: "", tool_calls: [{id: a, name: f, args: {x: 1}}]}
- {type: tool, tool_call_id: a, content: y, status: success}
- {type: ai, content: Done.}
`,
  'OpenTelemetry GenAI': `- {role: user, parts: [{type: text, content: Hi}]}
- {role: assistant, parts: [{type: tool_call, id: a, name: f, arguments: {x: 1}}]}
- {role: tool, parts: [{type: tool_call_response, id: a, response: y}]}
- {role: assistant, parts: [{type: text, content: Done.}]}
`,
};

const SLIPS: readonly ((key: string) => string)[] = [
  (key) => key.slice(0, key.length >> 1) + key.slice((key.length >> 1) + 1),
  (key) => key.slice(0, (key.length >> 1) + 1) + key.slice(key.length >> 1),
  (key) => `${key.slice(0, key.length >> 1)}q${key.slice((key.length >> 1) + 1)}`,
];

/** Matches names in the format: keys, and values of `role` and `type`. */
const NAMES = /(?<=[\s{])(?!x:)([a-zA-Z_]+)(?=:)|(?<=(?:type|role): )([a-z_-]+)/g;

describe('a name in a message mistyped by one letter', () => {
  for (const [dialect, text] of Object.entries(SOUND)) {
    it(`is reported once, at its position, with the fix: ${dialect}`, () => {
      assert.deepEqual(loadTranscript(text, '/a.yaml').problems, []);
      const wrong: string[] = [];
      for (const { 0: name, index } of text.matchAll(NAMES)) {
        for (const slip of SLIPS) {
          const mistyped = slip(name);
          const changed = text.slice(0, index) + mistyped + text.slice(index + name.length);
          const { problems } = loadTranscript(changed, '/a.yaml');
          const place = parseYaml(changed, '/a.yaml').rangeOfOffsets(
            index,
            index + mistyped.length,
          );
          const [problem] = problems;
          const mends =
            problems.length === 1 && problem?.replacement === name && same(problem.range, place);
          if (mends) continue;
          const told = problems.map(
            ({ code, replacement, message }) => `${code} ${replacement} ${message}`,
          );
          wrong.push(
            `${mistyped} in ${text.slice(0, index).split('\n').at(-1)}: ${told.join(' | ')}`,
          );
        }
      }
      assert.deepEqual(wrong, []);
    });
  }
});

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
