import { createOpenAI } from '@ai-sdk/openai';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { generateText, jsonSchema, readUIMessageStream, stepCountIs, streamText, tool } from 'ai';
import { fileExporter, instructions, MODEL, toolsOf, USER_TEXTS, write } from '../shop.mjs';

const provider = new NodeTracerProvider({
  spanProcessors: [new SimpleSpanProcessor(fileExporter(JsonTraceSerializer))],
});
provider.register();

const model = createOpenAI().chat(MODEL);
const experimental_telemetry = { isEnabled: true, metadata: { sessionId: 'shop-1' } };

function toolSet(agent) {
  return Object.fromEntries(
    toolsOf(agent).map(({ name, description, parameter, run }) => [
      name,
      tool({
        description,
        inputSchema: textInput(parameter),
        execute: async (given) => run(given),
      }),
    ]),
  );
}

function textInput(name) {
  return jsonSchema({
    type: 'object',
    properties: { [name]: { type: 'string' } },
    required: [name],
    additionalProperties: false,
  });
}

const ask_refunds = tool({
  description: 'Have the refunds agent do something.',
  inputSchema: textInput('request'),
  execute: async ({ request }) => {
    const { text } = await generateText({
      model,
      system: instructions('refunds'),
      prompt: request,
      tools: toolSet('refunds'),
      stopWhen: stepCountIs(5),
      experimental_telemetry: { ...experimental_telemetry, functionId: 'refunds' },
    });
    return text;
  },
});

const messages = [];
const uiMessages = [];
for (const text of USER_TEXTS) {
  messages.push({ role: 'user', content: text });
  uiMessages.push({
    id: `user-${uiMessages.length}`,
    role: 'user',
    parts: [{ type: 'text', text }],
  });
  const result = streamText({
    model,
    system: instructions('triage'),
    messages,
    tools: { ...toolSet('triage'), ask_refunds },
    stopWhen: stepCountIs(5),
    experimental_telemetry: { ...experimental_telemetry, functionId: 'triage' },
  });
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
