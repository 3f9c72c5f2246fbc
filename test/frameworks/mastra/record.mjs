import { Mastra } from '@mastra/core';
import { Observability } from '@mastra/observability';
import { OtelExporter } from '@mastra/otel-exporter';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { fileExporter, USER_TEXTS, write } from '../shop.mjs';
import { refunds, triage } from './agent.mjs';

const observability = new Observability({
  configs: {
    otel: {
      serviceName: 'shop',
      exporters: [
        new OtelExporter({
          // Not used, but needed.
          provider: { custom: { endpoint: 'http://127.0.0.1:4318' } },
          exporter: fileExporter(JsonTraceSerializer),
          signals: { logs: false },
        }),
      ],
    },
  },
});
new Mastra({ agents: { triage, refunds }, observability, logger: false });

const messages = [];
for (const content of USER_TEXTS) {
  messages.push({ role: 'user', content });
  const { response } = await triage.generate(messages, {
    tracingOptions: { metadata: { threadId: 'shop-1' } },
  });
  messages.push(...response.messages);
}
await observability.shutdown();
write('messages.json', messages);
