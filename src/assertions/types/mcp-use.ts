import type { Tool } from '../../core/message.ts';
import type { CaseFacts, ConversationTraits } from '../contract.ts';
import { judgedType } from '../shared/kinds.ts';
import { CALL_SCALES } from '../shared/questions.ts';
import { toolUseQuestion } from './tool-use.ts';

const INSTRUCTIONS = `Question: does the assistant use what its MCP servers offer as it should?

The servers offer tools, resources and prompts, listed below with the server of each. A turn is applicable if it
uses one of them, or if it should have used one and did not. Give it:
- \`selection\`, 0 to 1: 1 if it used just what the situation needed, of the right server; 0.5 if it used the right
  one and another was missing or needless; 0 if it used only wrong ones, or none although one was needed;
- ${CALL_SCALES}
A turn that needs none of them and uses none is not applicable.`;

export const mcpUse = judgedType({
  type: 'mcp-use',
  summary: 'Are the tools, resources, and prompts of MCP servers used correctly?',
  like: 'DeepEval',
  docs: {
    asks: 'Needs `tools` with a `server`, or a `chat` target with `mcp_servers`. Works like `tool-use`, for everything that the MCP servers offer.',
    score: 'min(mean selection, mean arguments).',
    example:
      'the selections of three turns score 1, 1, and 0, and the arguments of two of them score 1 and 1: min(0.67, 1) = 0.67.',
    skipped: 'if nothing from a server was used or needed.',
    differences: `
      - A turn that neither uses nor needs a server doesn't count. DeepEval rates every exchange of more than two messages.
      - If nothing was used or needed, the verdict is skipped. DeepEval scores 0 if there is no such exchange.
    `,
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
  sees: () => ['tool_calls'],
  needs: (facts, known) => needsMcp('mcp-use', facts, known),
  question: (input) => toolUseQuestion(INSTRUCTIONS, mcpTools(input.facts), input, 'listed'),
});

/** The case's tools that come from MCP servers. */
export function mcpTools({ tools }: CaseFacts): Tool[] {
  return tools.filter(({ server }) => server !== undefined);
}

export function needsMcp(
  type: string,
  facts: CaseFacts,
  { offersTools }: ConversationTraits,
): string | undefined {
  if (mcpTools(facts).length > 0 || (offersTools && facts.tools.length === 0)) return undefined;
  return `${type} needs MCP tools: add \`tools\` with a \`server\` to the case or the file.`;
}
