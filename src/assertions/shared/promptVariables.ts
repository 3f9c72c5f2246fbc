import { textOf, turnsOf } from '../../core/conversation.ts';
import { renderTemplate } from '../../core/text/template.ts';
import { fence } from '../../core/text/visibleText.ts';
import type { AssertionInput, CaseFacts } from '../contract.ts';
import { numbersOf } from './entries.ts';

/** A variable of judge prompts, `{{name}}`, besides `{{context.NAME}}`. */
interface PromptVariable {
  readonly says: string;
  /** The part of the case that it needs. */
  readonly fact?: 'role' | 'topics' | 'tools' | 'expectations';
  value(input: AssertionInput): string;
}

const theConversation = () => 'the conversation above';

export const PROMPT_VARIABLES: Readonly<Record<string, PromptVariable>> = {
  conversation: { says: 'The whole conversation, turn by turn.', value: theConversation },
  output: { says: 'The same as `conversation`.', value: theConversation },
  last_reply: {
    says: "The assistant's last reply.",
    value({ conversation }) {
      const last = turnsOf(conversation).findLast(({ side }) => side === 'assistant');
      return fenced(last ? textOf(last) : '(the assistant said nothing)');
    },
  },
  expectations: {
    says: 'What a good conversation achieves, from the case.',
    fact: 'expectations',
    value: ({ facts }) => fenced(expectationsText(facts)),
  },
  role: {
    says: 'The role the assistant should play.',
    fact: 'role',
    value: ({ facts }) => fenced(facts.role ?? ''),
  },
  topics: {
    says: 'The topics the assistant may discuss.',
    fact: 'topics',
    value: ({ facts: { topics } }) => fenced(topics.join('\n')),
  },
  tools: {
    says: 'The tools the assistant may call.',
    fact: 'tools',
    value: ({ facts: { tools } }) => fenced(JSON.stringify(tools, null, 2)),
  },
  turn: { says: 'The numbers of the judged turns.', value: ({ turns }) => numbersOf(turns) },
};

/** The part of the case that a variable needs, if it is missing. */
export function missingFact(variable: string, facts: CaseFacts) {
  const { fact } = (Object.hasOwn(PROMPT_VARIABLES, variable) && PROMPT_VARIABLES[variable]) || {};
  if (fact === undefined || Object.keys(facts[fact] ?? '').length > 0) return undefined;
  const where =
    fact === 'expectations' ? 'to the case or to `defaults`' : 'to the case or the file';
  const message = `The prompt uses {{${variable}}}, but the case has no \`${fact}\`. Add \`${fact}\` ${where}.`;
  return { fact, message };
}

/** `city` of `context.city`: a key of the case's `context`. */
export function contextKey(variable: string): string | undefined {
  return variable.startsWith('context.') ? variable.slice('context.'.length) : undefined;
}

/** @throws Error if a variable has no value, or its part of the case is missing */
export function fillPrompt(prompt: string, input: AssertionInput): string {
  const { context } = input.facts;
  return renderTemplate(prompt, (name) => {
    const key = contextKey(name);
    if (key === undefined) {
      if (!Object.hasOwn(PROMPT_VARIABLES, name)) return undefined;
      const missing = missingFact(name, input.facts);
      if (missing) throw new Error(missing.message);
      return PROMPT_VARIABLES[name]?.value(input);
    }
    return Object.hasOwn(context, key) ? fenced(textual(context[key])) : undefined;
  });
}

/** One line per key, with texts as they are. */
export function expectationsText({ expectations }: Pick<CaseFacts, 'expectations'>): string {
  return Object.entries(expectations)
    .map(([key, value]) => `${key}: ${textual(value)}`)
    .join('\n');
}

/** Fences values, which come from files and agents, on lines of their own. */
function fenced(text: string): string {
  return `\n${fence(text)}\n`;
}

function textual(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
}
