import { textOf, toConversation, turnsOf } from '../../core/conversation.ts';
import { memoize } from '../../core/data/data.ts';
import { cacheByName, renderTemplate } from '../../core/text/template.ts';
import { fence } from '../../core/text/visibleText.ts';
import type { AssertionInput, CaseFacts } from '../contract.ts';
import { numbersOf } from './entries.ts';

/** A variable of judge prompts, `{{name}}`, besides `{{context.NAME}}`. */
interface PromptVariable {
  readonly says: string;
  /** The part of the case that the variable needs. */
  readonly fact?: 'role' | 'topics' | 'tools' | 'expectations';
  /** Whether the value comes from a file or an agent. */
  readonly isFenced?: true;
  value(input: PromptInput): string;
}

type PromptInput = Pick<AssertionInput, 'conversation' | 'facts' | 'turns'>;

const theConversation = () => 'the conversation above';

export const PROMPT_VARIABLES: Readonly<Record<string, PromptVariable>> = {
  conversation: { says: 'The whole conversation, turn by turn.', value: theConversation },
  output: { says: 'The same as `conversation`.', value: theConversation },
  last_reply: {
    says: "The assistant's last reply.",
    isFenced: true,
    value({ conversation }) {
      const last = turnsOf(conversation).findLast(({ side }) => side === 'assistant');
      return last ? textOf(last) : '(the assistant said nothing)';
    },
  },
  expectations: {
    says: 'What a good conversation achieves, from the case.',
    fact: 'expectations',
    isFenced: true,
    value: ({ facts }) => expectationsText(facts),
  },
  role: {
    says: 'The role the assistant should play.',
    fact: 'role',
    isFenced: true,
    value: ({ facts }) => facts.role ?? '',
  },
  topics: {
    says: 'The topics the assistant may discuss.',
    fact: 'topics',
    isFenced: true,
    value: ({ facts: { topics } }) => topics.join('\n'),
  },
  tools: {
    says: 'The tools the assistant may call.',
    fact: 'tools',
    isFenced: true,
    value: ({ facts: { tools } }) => textual(tools),
  },
  turn: { says: 'The numbers of the judged turns.', value: ({ turns }) => numbersOf(turns) },
};

/** The missing part of the case that a variable needs; undefined if it isn't missing. */
export function missingFact(variable: string, facts: CaseFacts) {
  const { fact } = (Object.hasOwn(PROMPT_VARIABLES, variable) && PROMPT_VARIABLES[variable]) || {};
  if (fact === undefined || Object.keys(facts[fact] ?? '').length > 0) return undefined;
  const where =
    fact === 'expectations' ? 'to the case or to `defaults`' : 'to the case or the file';
  const message = `The prompt uses {{${variable}}}, but the case has no \`${fact}\`. Add \`${fact}\` ${where}.`;
  return { fact, message };
}

/** The key in the case's `context` that a variable names: `city` for `context.city`. */
export function contextKey(variable: string): string | undefined {
  return variable.startsWith('context.') ? variable.slice('context.'.length) : undefined;
}

/** @throws Error if a variable has no value, its part of the case is missing, or the filled-in prompt is too long */
export function fillPrompt(prompt: string, input: AssertionInput): string {
  return renderTemplate(prompt, (name) => {
    const missing = missingFact(name, input.facts);
    if (missing) throw new Error(missing.message);
    const value = valueNamed(name, input);
    return value?.isFenced ? fenced(value.text) : value?.text;
  });
}

/** Number of characters in the values known before the conversation, excluding fences. */
export const knownLengths = memoize((facts: CaseFacts) => {
  const input = { facts, turns: [], conversation: toConversation([]) };
  return cacheByName((name) => valueNamed(name, input)?.text.length ?? 0);
});

function valueNamed(name: string, input: PromptInput) {
  const { context } = input.facts;
  const key = contextKey(name);
  if (key !== undefined) {
    return Object.hasOwn(context, key)
      ? { text: textual(context[key]), isFenced: true }
      : undefined;
  }
  const variable = Object.hasOwn(PROMPT_VARIABLES, name) ? PROMPT_VARIABLES[name] : undefined;
  return variable && { text: variable.value(input), isFenced: variable.isFenced };
}

/** One line per key; strings are shown without quotes. */
export function expectationsText({ expectations }: Pick<CaseFacts, 'expectations'>): string {
  return Object.entries(expectations)
    .map(([key, value]) => `${key}: ${textual(value)}`)
    .join('\n');
}

/** Fences values that come from files and agents, each on separate lines. */
function fenced(text: string): string {
  return `\n${fence(text)}\n`;
}

function textual(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
}
