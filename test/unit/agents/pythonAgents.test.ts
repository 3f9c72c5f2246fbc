import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { CaseLine } from '../../../src/core/record/runRecord.ts';
import { runFiles } from '../../support/runs.ts';

// `npm run test:frameworks` runs the adapters with the real packages. These tests cover replies that don't occur there.

const skip =
  spawnSync('python3', ['--version']).status === 0 ? false : 'SKIPPED: there is no python3 here';

const HELPER = readFileSync(resolve(import.meta.dirname, '../../../python/turnlight.py'), 'utf8');

/** A package like Strands Agents. Its agent keeps only its last messages, and counts cached tokens separately. */
const STRANDS = `
class Cycle:
    usage = {"inputTokens": 2, "cacheReadInputTokens": 5, "outputTokens": 3, "totalTokens": 10}
class Invocation:
    cycles = [Cycle, Cycle]
class Metrics:
    agent_invocations = [Invocation]
class Result:
    metrics = Metrics
    interrupts = None
class Registry:
    @staticmethod
    def get_all_tool_specs():
        return [{"name": "find", "description": "Finds.", "inputSchema": {"json": {"type": "object"}}}]
class Agent:
    name = "triage"
    system_prompt = "Be kind."
    tool_registry = Registry
    async def stream_async(self, text):
        self.messages.append({"role": "user", "content": [{"text": text}]})
        before = [message["role"] for message in self.messages]
        call = {"toolUseId": "c1", "name": "find", "input": {"id": 7}}
        result = {"toolUseId": "c1", "content": [{"text": "found"}, {"json": {"n": 1}}]}
        for role, content in (
            ("assistant", [{"text": "One."}, {"toolUse": call}]),
            ("user", [{"toolResult": result}]),
            ("assistant", [{"text": " ".join(before)}]),
        ):
            for block in content:
                if role == "assistant" and "text" in block:
                    yield {"data": block["text"]}
            message = {"role": role, "content": content}
            self.messages.append(message)
            yield {"message": message}
        self.messages = self.messages[-4:]
        if text == "Stop":
            Result.interrupts = ["approve"]
        yield {"result": Result}
`;

/** Modules like LlamaIndex's, with a single agent. */
const LLAMA = {
  'llama_index/__init__.py': '',
  'llama_index/core/__init__.py': '',
  'llama_index/core/llms.py': `
class ChatMessage:
    def __init__(self, role, content, additional_kwargs):
        self.text = f"{role} {content} {sorted(additional_kwargs)}"
`,
  'llama_index/core/workflow.py': `
from types import SimpleNamespace as Value

class Context:
    def __init__(self, workflow):
        self.turns = 0
class AgentStream(Value): ...
class AgentOutput(Value): ...
class ToolCallResult(Value): ...
class Metadata:
    name, description = "find", "Finds."
    def get_parameters_dict(self):
        return {"type": "object"}
class Run:
    def __init__(self, text, history, turns):
        self.said = f"{turns}: {text}; " + ", ".join(one.text for one in history or [])
    async def stream_events(self):
        call = Value(tool_id="c1", tool_name="find", tool_kwargs={"id": 7})
        usage = Value(prompt_tokens=7, completion_tokens=3, prompt_tokens_details={"cached_tokens": 5})
        yield AgentStream(delta="One.")
        yield AgentOutput(
            current_agent_name="triage", response=Value(content="One."), tool_calls=[call],
            raw={"usage": usage},
        )
        yield ToolCallResult(tool_id="c1", tool_output=Value(content="found"))
        yield AgentStream(delta=self.said)
        yield AgentOutput(
            current_agent_name="triage", response=Value(content=self.said), tool_calls=[], raw=None,
        )
    def __await__(self):
        yield from ()
class Agent:
    system_prompt = "Be kind."
    async def get_tools(self):
        return [Value(metadata=Metadata())]
    def run(self, text, chat_history, ctx):
        ctx.turns += 1
        return Run(text, chat_history, ctx.turns)
`,
};

const HISTORY = `[{user: Where is 7?}, {role: assistant, content: null, tool_calls: [{id: e1, function: {name: find, arguments: "{}"}}]}, {tool: shipped, tool_call_id: e1}, {assistant: Shipped.}]`;

async function talk(t: TestContext, module: string, files: Readonly<Record<string, string>>) {
  const agent = `from ${module} import Agent\nfrom turnlight import serve\n\nserve(Agent())\n`;
  const suite = `target: {type: command, command: [python3, agent.py]}
defaults: {assert: [{type: contains, value: x}]}
cases:
  - {id: a, turns: [Hi, Bye]}
  - {id: b, history: ${HISTORY}, turns: [Stop]}
`;
  const all = { ...files, 'turnlight.py': HELPER, 'agent.py': agent, 'suite.eval.yaml': suite };
  const { lines } = await runFiles(t, all);
  const [first, second] = ['a', 'b'].map((id) => lines.find((line) => line.id === id));
  return { first, second };
}

/** The assistant's texts, and its calls as `name(arguments): result`. */
function saidIn(line: CaseLine | undefined): string[] {
  return (line?.conversation.entries ?? []).flatMap((entry) =>
    entry.kind === 'turn' && entry.side === 'assistant' && !entry.history
      ? entry.items.map((item) => {
          if (item.kind === 'handoff') return `to ${item.to}`;
          if (item.kind !== 'tool-call') return item.text;
          return `${item.call.name}(${JSON.stringify(item.call.arguments)}): ${item.result}`;
        })
      : [],
  );
}

describe('the Python adapter', { skip }, () => {
  it('for Strands keeps messages that the agent drops, and reports an interrupt as an error', async (t) => {
    const { first, second } = await talk(t, 'strands', { 'strands/__init__.py': STRANDS });
    const call = 'find({"id":7}): found\n\n{"n": 1}';
    assert.deepEqual(saidIn(first), [
      ...['One.', call, 'user'],
      ...['One.', call, 'user assistant user assistant user'],
    ]);
    const { calls, input_tokens, cached_tokens, output_tokens } = first?.target_usage ?? {};
    assert.deepEqual([calls, input_tokens, cached_tokens, output_tokens], [4, 28, 20, 12]);
    assert.match(second?.reason ?? '', /The agent was interrupted/);
  });

  it('for LlamaIndex passes the history once, and counts usage that the model reports', async (t) => {
    const { first, second } = await talk(t, 'llama_index.core.workflow', LLAMA);
    const call = 'find({"id":7}): found';
    assert.deepEqual(saidIn(first), [...['One.', call, '1: Hi; '], ...['One.', call, '2: Bye; ']]);
    assert.match(
      saidIn(second).at(-1) ?? '',
      /^1: Stop; user Where is 7\? \[\], assistant {2}\['tool_calls'\], tool shipped \['tool_call_id'\], assistant Shipped\. \[\]$/,
    );
    assert.equal(first?.target_usage?.input_tokens, 14);
  });
});
