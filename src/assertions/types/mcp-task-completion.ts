import * as z from 'zod';
import { fence } from '../../core/fence.ts';
import type { JudgedType } from '../contract.ts';
import { taskCompletionQuestion } from '../shared/deliveredRequests.ts';
import { mcpTools, needsMcp } from '../shared/mcpTools.ts';

const INSTRUCTIONS = `Question: has the user, by the end, got in hand what was asked for, through the MCP servers?

First list \`requests\`: each thing that the user asked to be done or told, with the turn that asked. For each say what
was delivered, in which turn, and the \`gaps\`: what is missing, wrong or only promised. What a server could have done
or told counts as delivered only when its tool, resource or prompt was really used and its result bears it out; what
was said without one, where one was needed, is a gap.

Then judge each turn: it passes when it delivers something or is a needed step towards it; it fails when it claims
what no result bears out, or leaves a gap that a server could have closed. It is not applicable when nothing is
asked for.`;

export const mcpTaskCompletion: JudgedType = {
  kind: 'judged',
  type: 'mcp-task-completion',
  summary: 'Has the user got what was asked for, through the MCP servers?',
  like: 'DeepEval',
  docs: {
    asks: 'Needs `tools` with a `server`. As task-completion; what a server could have done counts only when it was used.',
    score: '1 when nothing is missing, else 0.',
    example: 'the ticket was said to be open, but no tool opened it: 0.',
    skipped: 'where the user asks for nothing.',
    yaml: `
      tools:
        - name: open_ticket
          server: helpdesk
      defaults:
        assert:
          - type: mcp-task-completion
    `,
  },
  params: z.strictObject({}),
  defaultThreshold: 0.5,
  side: 'assistant',
  needs: (facts) => needsMcp('mcp-task-completion', facts),
  question(input) {
    const offered = fence(JSON.stringify(mcpTools(input.facts), null, 1));
    const instructions = `${INSTRUCTIONS}\n\nWhat the servers offer:\n${offered}`;
    return taskCompletionQuestion('mcp_task_completion', instructions, input);
  },
};
