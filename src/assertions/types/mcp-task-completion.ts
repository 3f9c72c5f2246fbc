import { fence } from '../../core/text/visibleText.ts';
import { judgedType } from '../shared/kinds.ts';
import { DELIVERED, ONE_BY_ONE } from '../shared/questions.ts';
import { mcpTools, needsMcp } from './mcp-use.ts';
import { taskCompletionQuestion } from './task-completion.ts';

const INSTRUCTIONS = `Question: has the user, by the end, got in hand what was asked for, through the MCP servers?

First list \`requests\`, what the user asked to be done or told, with the turn that asked. ${ONE_BY_ONE} For each say what
was delivered, in which turn, and the \`gaps\`: what is missing, wrong or only promised. ${DELIVERED} What a server could
have done or told counts as delivered only if its tool, resource or prompt was really used and its result supports it; what
was said without one, although one was needed, is a gap. What is delivered in part has gaps.

Then judge each turn: it passes if it delivers something, is a needed step towards it, or refuses with its reason what
it may not do; it fails if it claims what no result supports, or leaves a gap that a server could have closed, even
next to what it delivers. It is not applicable if nothing that was asked for was still open.`;

export const mcpTaskCompletion = judgedType({
  type: 'mcp-task-completion',
  summary: 'Did the user get what they asked for through the MCP servers?',
  like: 'DeepEval',
  docs: {
    asks: 'Needs `tools` with a `server`, or a `chat` target with `mcp_servers`. Works like `task-completion`, but work that a server could have done counts only if the server was used.',
    score: '1 if nothing is missing, else 0.',
    example: 'the assistant says that it opened a ticket, but no tool was called: 0.',
    skipped: 'if the user asks for nothing.',
    differences: `
      - A single gap makes the score 0. DeepEval scores each exchange of more than two messages, and takes the mean.
      - If the user asks for nothing, the verdict is skipped. DeepEval scores 0 if there is no such exchange.
    `,
    yaml: `
      tools:
        - name: open_ticket
          server: helpdesk
      defaults:
        assert:
          - type: mcp-task-completion
    `,
  },
  readsContext: true,
  sees: () => ['tool_calls'],
  needs: (facts, known) => needsMcp('mcp-task-completion', facts, known),
  question(input) {
    const offered = fence(JSON.stringify(mcpTools(input.facts), null, 1));
    const instructions = `${INSTRUCTIONS}\n\nWhat the servers offer:\n${offered}`;
    return taskCompletionQuestion(instructions, input);
  },
});
