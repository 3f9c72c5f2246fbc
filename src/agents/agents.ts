/** The npm export `turnlight/agents`: targets made from framework agents (`types/agents.d.ts`). */
export { aiSdk } from './aiSdk.ts';
export { langgraph } from './langgraph.ts';
export { mastra } from './mastra.ts';
export { openaiAgents } from './openaiAgents.ts';
