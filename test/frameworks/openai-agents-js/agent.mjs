import { Agent, tool } from '@openai/agents';
import { instructions, MODEL, toolsOf } from '../shop.mjs';

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

export const triage = agentOf('triage', [agentOf('refunds', [])]);
