import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { triage } from './agent.mjs';

const provider = new NodeTracerProvider({
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
provider.register();

const messages = [];

/** Replies with text alone. */
export async function traced(conversation) {
  messages.push({ role: 'user', content: conversation.at(-1).content });
  const result = await triage.generate({ messages });
  messages.push(...result.response.messages);
  return result.text;
}
