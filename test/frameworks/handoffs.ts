import type { Handoff } from './script.ts';

/** The call by which the first agent has the second one act, in the words of each framework. */
export const handoffs: Readonly<Record<string, Handoff>> = {
  'openai-agents-python': {
    name: 'transfer_to_refunds',
    arguments: {},
    result: { assistant: 'refunds' },
  },
  adk: {
    name: 'transfer_to_agent',
    arguments: { agent_name: 'refunds' },
    result: { result: null },
  },
  'pydantic-ai': {
    name: 'ask_refunds',
    arguments: { request: 'Refund the lamp and the shade.' },
    delegates: true,
  },
  'langgraph-python': {
    name: 'transfer_to_refunds',
    arguments: {},
    result: 'Successfully transferred to refunds',
  },
  openllmetry: { name: 'transfer_to_refunds', arguments: {}, result: { assistant: 'refunds' } },
  'openai-agents-js': {
    name: 'transfer_to_refunds',
    arguments: {},
    result: { assistant: 'refunds' },
  },
  'langgraph-js': {
    name: 'transfer_to_refunds',
    arguments: {},
    result: 'Successfully transferred to refunds',
  },
  'ai-sdk': {
    name: 'ask_refunds',
    arguments: { request: 'Refund the lamp and the shade.' },
    delegates: true,
  },
};
