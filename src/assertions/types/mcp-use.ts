import * as z from 'zod';
import type { JudgedType } from '../contract.ts';
import { toolUseQuestion } from '../shared/callQuality.ts';
import { mcpTools, needsMcp } from '../shared/mcpTools.ts';

const INSTRUCTIONS = `Question: does the assistant use what its MCP servers offer as it should?

The servers offer tools, resources and prompts, listed below with the server of each. A turn is applicable when it
uses one of them, or when it should have used one and did not. Give it:
- \`selection\`, 0 to 1: 1 when it used just what the situation needed, of the right server; 0 when it used only wrong
  ones, or none where one was needed;
- \`arguments\`, 0 to 1: 1 when every argument is right, by what the user had said and what earlier results hold; 0
  when they are invented or wrong; null when it calls nothing.
A turn that needs none of them and uses none is not applicable.`;

export const mcpUse: JudgedType = {
  kind: 'judged',
  type: 'mcp-use',
  summary: 'Are the tools, resources and prompts of MCP servers used as they should be?',
  like: 'DeepEval',
  docs: {
    asks: 'Needs `tools` with a `server`. As tool-use, over what the MCP servers offer.',
    score: 'min(mean selection, mean arguments).',
    example: 'three turns with selections 1, 1 and 0 and arguments 1 and 1: min(0.67, 1) = 0.67.',
    skipped: 'where nothing of a server was used and nothing was needed.',
    yaml: `
      tools:
        - name: search_docs
          server: handbook
          kind: tool
      defaults:
        assert:
          - type: mcp-use
    `,
  },
  params: z.strictObject({}),
  defaultThreshold: 0.5,
  side: 'assistant',
  needs: (facts) => needsMcp('mcp-use', facts),
  question: (input) =>
    toolUseQuestion('mcp_use', INSTRUCTIONS, mcpTools(input.facts), input, 'listed'),
};
