import { table } from './table.ts';

/** What agents of a framework can do as targets, as the columns of the table. */
const ABILITIES = {
  live: 'live target',
  streams: 'streaming',
  turns: 'three turns',
  parallel: 'parallel tools',
  handoff: 'handoff',
  names: 'agent names',
  described: 'system prompt, tools',
  usage: 'usage',
  history: 'history',
  toolError: 'error in a tool',
  traces: 'trace import',
} as const;

/** The abilities that some frameworks lack. The tests expect the others of all frameworks. */
type Varying = 'streams' | 'handoff' | 'names' | 'toolError';

const AS_A_TOOL = 'as a tool';
const CASE_ERROR = 'the case is an error';

export interface Framework {
  /** The folder in `test/frameworks`. */
  readonly name: string;
  readonly title: string;
  readonly page: string;
  readonly isPython: boolean;
  /** What the framework does instead, for each ability that it lacks. */
  readonly lacks: Readonly<Partial<Record<Varying, string>>>;
}

/** The tests in `test/frameworks` iterate over this list, and expect what the table shows. */
export const FRAMEWORKS: readonly Framework[] = [
  {
    name: 'ai-sdk',
    title: 'AI SDK',
    page: '[AI SDK](ai-sdk.md)',
    isPython: false,
    lacks: { handoff: AS_A_TOOL, names: '– (agents have no names)' },
  },
  {
    name: 'langgraph-js',
    title: 'LangGraph, LangChain (JavaScript)',
    page: '[LangGraph](langgraph.md)',
    isPython: false,
    lacks: {},
  },
  {
    name: 'langgraph-python',
    title: 'LangGraph, LangChain (Python)',
    page: '[LangGraph](langgraph.md)',
    isPython: true,
    lacks: { toolError: CASE_ERROR },
  },
  {
    name: 'openai-agents-js',
    title: 'OpenAI Agents SDK (JavaScript)',
    page: '[OpenAI Agents](openai-agents.md)',
    isPython: false,
    lacks: {},
  },
  {
    name: 'openai-agents-python',
    title: 'OpenAI Agents SDK (Python)',
    page: '[OpenAI Agents](openai-agents.md)',
    isPython: true,
    lacks: {},
  },
  {
    name: 'pydantic-ai',
    title: 'Pydantic AI',
    page: '[Pydantic AI](pydantic-ai.md)',
    isPython: true,
    lacks: { handoff: AS_A_TOOL, toolError: CASE_ERROR },
  },
  {
    name: 'adk',
    title: 'Google ADK',
    page: '[ADK](adk.md)',
    isPython: true,
    lacks: { toolError: CASE_ERROR },
  },
  {
    name: 'llama-index',
    title: 'LlamaIndex',
    page: '[LlamaIndex](llama-index.md)',
    isPython: true,
    lacks: {},
  },
  {
    name: 'mastra',
    title: 'Mastra',
    page: '[Mastra](mastra.md)',
    isPython: false,
    lacks: { handoff: AS_A_TOOL },
  },
  {
    name: 'strands',
    title: 'Strands Agents (Python)',
    page: '[Strands Agents](strands.md)',
    isPython: true,
    lacks: { handoff: AS_A_TOOL },
  },
];

export function frameworks(): string {
  const rows = FRAMEWORKS.map(({ title, page, lacks }) => [
    title,
    page,
    ...Object.keys(ABILITIES).map((ability) => lacks[ability as Varying] ?? 'yes'),
  ]);
  return table(['your agent is built with', 'page', ...Object.values(ABILITIES)], rows);
}
