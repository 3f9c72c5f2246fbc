import { ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import {
  Annotation,
  Command,
  getCurrentTaskInput,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent } from 'langchain';
import { instructions, MODEL, toolsOf } from '../shop.mjs';

// A handoff as in LangGraph's guide.
const transfer_to_refunds = tool(
  (_given, config) => {
    const { messages } = getCurrentTaskInput();
    const moved = new ToolMessage({
      content: 'Successfully transferred to refunds',
      name: 'transfer_to_refunds',
      tool_call_id: config.toolCall.id,
    });
    return new Command({
      goto: 'refunds',
      graph: Command.PARENT,
      update: { messages: [...messages, moved], active: 'refunds' },
    });
  },
  {
    name: 'transfer_to_refunds',
    description: 'Hand the customer to the refunds agent.',
    schema: { type: 'object', properties: {} },
  },
);

function agentOf(name, handoffs = []) {
  const tools = toolsOf(name).map(({ name, description, parameter, run }) =>
    tool((given) => JSON.stringify(run(given)), {
      name,
      description,
      schema: {
        type: 'object',
        properties: { [parameter]: { type: 'string' } },
        required: [parameter],
      },
    }),
  );
  return createAgent({
    model: new ChatOpenAI({
      model: MODEL,
      configuration: { baseURL: process.env.OPENAI_BASE_URL },
    }),
    tools: [...tools, ...handoffs],
    systemPrompt: instructions(name),
    name,
  });
}

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  active: Annotation(),
});
export const app = new StateGraph(State)
  .addNode('triage', agentOf('triage', [transfer_to_refunds]).graph, { ends: ['refunds'] })
  .addNode('refunds', agentOf('refunds').graph)
  .addConditionalEdges(START, ({ active }) => active ?? 'triage', ['triage', 'refunds'])
  .compile({ checkpointer: new MemorySaver() });
