import { setSession } from '@arizeai/openinference-core';
import { OpenAIInstrumentation } from '@arizeai/openinference-instrumentation-openai';
import { run, setTracingDisabled, user } from '@openai/agents';
import { context } from '@opentelemetry/api';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import OpenAI from 'openai';
import { fileExporter, USER_TEXTS, write } from '../shop.mjs';
import { triage } from './agent.mjs';

setTracingDisabled(true);
const provider = new NodeTracerProvider({
  spanProcessors: [new SimpleSpanProcessor(fileExporter(JsonTraceSerializer))],
});
provider.register();
const instrumentation = new OpenAIInstrumentation({ tracerProvider: provider });
instrumentation.manuallyInstrument(OpenAI);

let agent = triage;
let history = [];
for (const text of USER_TEXTS) {
  const session = setSession(context.active(), { sessionId: 'shop-1' });
  const result = await context.with(session, () => run(agent, [...history, user(text)]));
  agent = result.lastAgent;
  history = result.history;
}
await provider.forceFlush();
write('history.json', history);
