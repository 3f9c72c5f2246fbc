import { Agent, run, setTracingDisabled, tool, user } from '@openai/agents';
import { instructions, MODEL, toolsOf, USER_TEXTS, write } from './shop.mjs';

setTracingDisabled(true);

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
  const result = await run(agent, [...history, user(text)]);
  agent = result.lastAgent;
  history = result.history;
}
write('history.json', history);
