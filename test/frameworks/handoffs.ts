import type { Handoff } from './script.ts';

/** The call with which the first agent makes the second one act, as each framework writes it. */
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
  strands: {
    name: 'ask_refunds',
    arguments: { request: 'Refund the lamp and the shade.' },
    delegates: true,
  },
  'llama-index': {
    name: 'handoff',
    arguments: { to_agent: 'refunds', reason: 'The customer wants a refund.' },
    result:
      'Agent refunds is now handling the request due to the following reason: The customer wants a refund..\nPlease continue with the current request.',
  },
  mastra: {
    name: 'ask_refunds',
    arguments: { request: 'Refund the lamp and the shade.' },
    delegates: true,
  },
};
