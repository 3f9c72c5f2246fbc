import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { readUIMessageStream } from 'ai';
import { fileExporter, USER_TEXTS, write } from '../shop.mjs';
import { triage } from './agent.mjs';

const provider = new NodeTracerProvider({
  spanProcessors: [new SimpleSpanProcessor(fileExporter(JsonTraceSerializer))],
});
provider.register();

const messages = [];
const uiMessages = [];
for (const text of USER_TEXTS) {
  messages.push({ role: 'user', content: text });
  uiMessages.push({
    id: `user-${uiMessages.length}`,
    role: 'user',
    parts: [{ type: 'text', text }],
  });
  const result = await triage.stream({ messages });
  let reply;
  for await (const message of readUIMessageStream({ stream: result.toUIMessageStream() })) {
    reply = message;
  }
  uiMessages.push({ ...reply, id: `assistant-${uiMessages.length}` });
  messages.push(...(await result.response).messages);
}
await provider.forceFlush();
write('model-messages.json', messages);
write('ui-messages.json', uiMessages);
