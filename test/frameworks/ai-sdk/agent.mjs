import { createOpenAI } from '@ai-sdk/openai';
import { jsonSchema, stepCountIs, ToolLoopAgent, tool } from 'ai';
import { instructions, MODEL, toolsOf } from '../shop.mjs';

function agentOf(name, tools = {}) {
  return new ToolLoopAgent({
    model: createOpenAI().chat(MODEL),
    instructions: instructions(name),
    tools: { ...toolSet(name), ...tools },
    stopWhen: stepCountIs(5),
    experimental_telemetry: {
      isEnabled: true,
      metadata: { sessionId: 'shop-1' },
      functionId: name,
    },
  });
}

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

const refunds = agentOf('refunds');
const ask_refunds = tool({
  description: 'Have the refunds agent do something.',
  inputSchema: textInput('request'),
  execute: async ({ request }) => (await refunds.generate({ prompt: request })).text,
});

export const triage = agentOf('triage', { ask_refunds });
