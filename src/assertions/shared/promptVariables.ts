import { textOf, turnsOf } from '../../core/conversation.ts';
import { fence } from '../../core/fence.ts';
import { renderTemplate } from '../../core/template.ts';
import type { AssertionInput } from '../contract.ts';
import { numbersOf } from './entries.ts';

/** What a judge prompt can refer to by `{{name}}`, beside `{{context.NAME}}`. */
interface PromptVariable {
  /** What it stands for. */
  readonly says: string;
  /** A prompt that holds it refers to the conversation. */
  readonly isConversation?: true;
  value(input: AssertionInput): string;
}

export const PROMPT_VARIABLES: Readonly<Record<string, PromptVariable>> = {
  conversation: {
    says: 'The whole conversation, turn by turn.',
    isConversation: true,
    value: theConversation,
  },
  output: { says: 'The same as `conversation`.', isConversation: true, value: theConversation },
  last_reply: {
    says: 'What the assistant said last.',
    isConversation: true,
    value({ conversation }) {
      const last = turnsOf(conversation).findLast(({ side }) => side === 'assistant');
      return fenced(last ? textOf(last) : '(the assistant said nothing)');
    },
  },
  expectations: {
    says: 'What a good conversation comes to, from the case.',
    value({ facts }) {
      const lines = Object.entries(facts.expectations).map(
        ([key, value]) => `${key}: ${textual(value)}`,
      );
      return fenced(lines.length === 0 ? '(no expectations are given)' : lines.join('\n'));
    },
  },
  role: {
    says: 'The role that the assistant is to play.',
    value: ({ facts }) => fenced(facts.role ?? '(no role is given)'),
  },
  topics: {
    says: 'The topics that the assistant may engage with.',
    value: ({ facts: { topics } }) =>
      fenced(topics.length === 0 ? '(no topics are given)' : topics.join('\n')),
  },
  tools: {
    says: 'The tools that the assistant may call.',
    value: ({ facts: { tools } }) =>
      fenced(tools.length === 0 ? '(no tools)' : JSON.stringify(tools, null, 2)),
  },
  turn: { says: 'The numbers of the judged turns.', value: ({ turns }) => numbersOf(turns) },
};

/** `city` of `context.city`: a key of the case's `context`. */
export function contextKey(variable: string): string | undefined {
  return variable.startsWith('context.') ? variable.slice('context.'.length) : undefined;
}

/** @throws Error on a variable that has no value */
export function fillPrompt(prompt: string, input: AssertionInput): string {
  const { context } = input.facts;
  return renderTemplate(prompt, (name) => {
    const key = contextKey(name);
    if (key === undefined) {
      return Object.hasOwn(PROMPT_VARIABLES, name)
        ? PROMPT_VARIABLES[name]?.value(input)
        : undefined;
    }
    return Object.hasOwn(context, key) ? fenced(textual(context[key])) : undefined;
  });
}

function theConversation(): string {
  return 'the conversation above';
}

/** Values come from files and agents: they stand behind a fence, on lines of their own. */
function fenced(text: string): string {
  return `\n${fence(text)}\n`;
}

function textual(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
}
