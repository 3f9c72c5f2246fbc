import { LangChainInstrumentation } from '@arizeai/openinference-instrumentation-langchain';
import * as CallbackManager from '@langchain/core/callbacks/manager';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { fileExporter, USER_TEXTS, write } from '../shop.mjs';
import { app } from './agent.mjs';

const provider = new NodeTracerProvider({
  // Every span contains the graph's state, so long attributes are cut; the messages have their own attributes.
  spanLimits: { attributeValueLengthLimit: 600 },
  spanProcessors: [new SimpleSpanProcessor(fileExporter(JsonTraceSerializer))],
});
provider.register();
const instrumentation = new LangChainInstrumentation({ tracerProvider: provider });
instrumentation.manuallyInstrument(CallbackManager);

let state;
for (const content of USER_TEXTS) {
  state = await app.invoke(
    { messages: [{ role: 'user', content }] },
    { configurable: { thread_id: 'shop-1' } },
  );
}
await provider.forceFlush();
write('messages.json', state.messages);
write(
  'stored-messages.json',
  state.messages.map((one) => one.toDict()),
);
