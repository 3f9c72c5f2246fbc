import { createOpenAI } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { instructions, MODEL, toolsOf } from '../shop.mjs';

function agentOf(name, tools = {}) {
  return new Agent({
    id: name,
    name,
    model: createOpenAI().chat(MODEL),
    instructions: instructions(name),
    tools: { ...toolSet(name), ...tools },
  });
}

function toolSet(agent) {
  return Object.fromEntries(
    toolsOf(agent).map(({ name, description, parameter, run }) => [
      name,
      createTool({
        id: name,
        description,
        inputSchema: z.object({ [parameter]: z.string() }),
        execute: async (given) => run(given),
      }),
    ]),
  );
}

export const refunds = agentOf('refunds');
const ask_refunds = createTool({
  id: 'ask_refunds',
  description: 'Have the refunds agent do something.',
  inputSchema: z.object({ request: z.string() }),
  execute: async ({ request }, { tracingContext }) =>
    (await refunds.generate(request, { tracingContext })).text,
});

export const triage = agentOf('triage', { ask_refunds });
