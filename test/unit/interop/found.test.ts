import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { imported, jsonLines } from '../../support/imports.ts';

const traces = (framework: string) =>
  readFile(new URL(`../../frameworks/${framework}/traces.jsonl`, import.meta.url), 'utf8');

describe('the summary of an imported file', () => {
  const FROM = {
    adk: 'GenAI semantic conventions 1.37 or later, from Google ADK (gcp.vertex.agent 2.13.0)',
    'ai-sdk': 'AI SDK telemetry, from AI SDK (ai)',
    'langgraph-js':
      'OpenInference, from LangChain or LangGraph (@arizeai/openinference-instrumentation-langchain 4.1.1)',
    'langgraph-python':
      'OpenInference, from LangChain or LangGraph (openinference.instrumentation.langchain 0.1.80)',
    'openai-agents-js': 'OpenInference, from @arizeai/openinference-instrumentation-openai 4.2.7',
    'openai-agents-python':
      'OpenInference, from OpenAI Agents SDK (openinference.instrumentation.openai_agents 2.6.0)',
    openllmetry:
      'GenAI semantic conventions 1.37 or later, from opentelemetry.instrumentation.openai.v1 0.62.4',
    'pydantic-ai':
      'GenAI semantic conventions 1.37 or later, from Pydantic AI (pydantic-ai 2.68.0)',
  };
  for (const [framework, from] of Object.entries(FROM)) {
    it(`names the convention and the instrumentation: ${framework}`, async () => {
      const { found } = await imported('traces.jsonl', await traces(framework));
      const [first] = found?.split('\n') ?? [];
      const plain = first?.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code));
      assert.equal(plain, `traces.jsonl: OpenTelemetry traces, ${from}`);
    });
  }

  it('counts conversations, turns, calls, agents, and skipped spans', async () => {
    const { found } = await imported('traces.jsonl', await traces('adk'));
    assert.equal(
      found?.split('\n').slice(2).join('\n'),
      `| Found | Number | Details |
| --- | --- | --- |
| conversations | 1 |  |
| turns | 6 |  |
| tool calls | 6 | find_order, check_stock, transfer_to_agent, refund |
| agents | 2 | triage, refunds |
| skipped spans | 7 | contain no messages |`,
    );
  });

  it('accounts for each span once', async () => {
    const text = await traces('ai-sdk');
    // Each line is exported twice.
    const { found } = await imported('traces.jsonl', `${text}\n${text}`);
    const rows = [...(found?.matchAll(/\| skipped spans \| (\d+) \| (.*) \|/g) ?? [])];
    assert.deepEqual(
      rows.map(([, count, why]) => [Number(count), why]),
      [
        [18, 'exported twice'],
        [2, 'do not continue the conversation'],
        [4, 'contain no messages'],
      ],
    );
  });

  it("names the messages' dialect and the model of a log, and shows hostile names as text", async () => {
    const call = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', function: { name: 'find\u202e|', arguments: '{}' } }],
    };
    const messages = [{ role: 'user', content: 'Hi' }, call];
    const { found } = await imported('log.jsonl', jsonLines({ model: 'gpt-5-mini', messages }));
    assert.match(found ?? '', /^log\.jsonl: chat logs, OpenAI chat messages, from gpt-5-mini\n/);
    assert.match(found ?? '', /\| tool calls \| 1 \| find\S*U\+202E/);
  });
});
