import * as z from 'zod';
import type { JudgedType } from '../contract.ts';
import { toolUseQuestion } from '../shared/callQuality.ts';

const INSTRUCTIONS = `Question: does the assistant use its tools as it should?

A turn is applicable when it calls a tool, or should have called one and did not. Give it:
- \`selection\`, 0 to 1: 1 when it called just the tools that the situation needed, none missing and none too many;
  0 when it called only wrong ones, or none where one was needed;
- \`arguments\`, 0 to 1: 1 when every argument is right, by what the user had said and what earlier results hold; 0
  when they are invented or wrong; null when it calls nothing.`;

export const toolUse: JudgedType = {
  kind: 'judged',
  type: 'tool-use',
  summary: 'Are the right tools called, with the right arguments?',
  like: 'DeepEval',
  docs: {
    asks: 'Needs `tools`. The judge rates each assistant turn that called a tool or should have: the selection of tools and the arguments.',
    score: 'min(mean selection, mean arguments).',
    example: 'two turns with selections 1 and 1 and arguments 1 and 0.5: min(1, 0.75) = 0.75.',
    skipped: 'where no tool was called and none was needed.',
    yaml: `
      tools:
        - name: get_weather
          description: The current weather of a city.
      defaults:
        assert:
          - type: tool-use
            threshold: 0.7
    `,
  },
  params: z.strictObject({}),
  defaultThreshold: 0.5,
  side: 'assistant',
  needs({ tools }) {
    if (tools.length > 0) return undefined;
    return 'tool-use needs the tools that the assistant may call: add `tools` to the case or the file.';
  },
  question: (input) => toolUseQuestion('tool_use', INSTRUCTIONS, input.facts.tools, input),
};
