import { setSession } from '@arizeai/openinference-core';
import { OpenAIInstrumentation } from '@arizeai/openinference-instrumentation-openai';
import { Agent, run, setTracingDisabled, tool, user } from '@openai/agents';
import { context } from '@opentelemetry/api';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import OpenAI from 'openai';
import { fileExporter, instructions, MODEL, toolsOf, USER_TEXTS, write } from '../shop.mjs';

setTracingDisabled(true);
const provider = new NodeTracerProvider({
  spanProcessors: [new SimpleSpanProcessor(fileExporter(JsonTraceSerializer))],
});
provider.register();
const instrumentation = new OpenAIInstrumentation({ tracerProvider: provider });
instrumentation.manuallyInstrument(OpenAI);

function agentOf(name, handoffs) {
  const tools = toolsOf(name).map(({ name, description, parameter, run }) =>
    tool({
      name,
      description,
      parameters: {
        type: 'object',
        properties: { [parameter]: { type: 'string' } },
        required: [parameter],
        additionalProperties: false,
      },
      execute: async (given) => JSON.stringify(run(given)),
    }),
  );
  return new Agent({ name, instructions: instructions(name), model: MODEL, tools, handoffs });
}

let agent = agentOf('triage', [agentOf('refunds', [])]);
let history = [];
for (const text of USER_TEXTS) {
  const session = setSession(context.active(), { sessionId: 'shop-1' });
  const result = await context.with(session, () => run(agent, [...history, user(text)]));
  agent = result.lastAgent;
  history = result.history;
}
await provider.forceFlush();
write('history.json', history);
