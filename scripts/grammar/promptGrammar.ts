import { PROMPT_VARIABLES } from '../../src/assertions/shared/promptVariables.ts';
import { variable } from './rules.ts';

/** Highlights the variables in judge prompts. Injected into Markdown. */
export function promptGrammar(): Readonly<Record<string, unknown>> {
  return {
    name: 'Variables in judge prompts',
    scopeName: 'markdown.prompt.conversation-eval',
    injectionSelector: 'L:text.html.markdown - comment',
    patterns: [variable(`(?:${Object.keys(PROMPT_VARIABLES).join('|')}|context(?:\\.[\\w-]+)+)`)],
  };
}
