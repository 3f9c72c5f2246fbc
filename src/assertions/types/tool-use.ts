import { toolUseQuestion } from '../calls/callQuality.ts';
import { judgedType } from '../shared/judgedType.ts';
import { CALL_SCALES } from '../shared/wording.ts';

const INSTRUCTIONS = `Question: does the assistant use its tools as it should?

A turn is applicable if it calls a tool, or should have called one and did not. Give it:
- \`selection\`, 0 to 1: 1 if it called just the tools that the situation needed; 0.5 if it called the right one and
  another was missing or needless; 0 if it called only wrong ones, or none although one was needed;
- ${CALL_SCALES}`;

export const toolUse = judgedType({
  type: 'tool-use',
  summary: 'Were the right tools called with the right arguments?',
  like: 'DeepEval',
  docs: {
    asks: 'Needs `tools`. The judge rates each assistant turn that called a tool or should have: the selection of tools and the arguments.',
    score: 'min(mean selection, mean arguments).',
    example: 'two turns with selections 1 and 1 and arguments 1 and 0.5: min(1, 0.75) = 0.75.',
    skipped: 'if no tool was called or needed.',
    differences: `
      - A turn that calls nothing and needs nothing does not count. DeepEval rates the selection of tools in every exchange, which raises the mean.
      - If no tool was called or needed, the verdict is skipped. DeepEval scores 0, since no arguments were rated.
    `,
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
  sees: () => ['tool_calls'],
  needs({ tools }) {
    if (tools.length > 0) return undefined;
    return 'tool-use needs the tools the assistant may call: add `tools` to the case or the file.';
  },
  question: (input) => toolUseQuestion('tool_use', INSTRUCTIONS, input.facts.tools, input),
});
