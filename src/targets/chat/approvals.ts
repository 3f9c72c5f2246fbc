import * as z from 'zod';
import type { Message, ToolCall } from '../../core/message.ts';

const POLICIES = ['auto', 'refuse', 'ask'] as const;

export const approveKey = z.record(z.string(), z.enum(POLICIES)).optional().meta({
  description:
    'Whether calls need approval, by tool name: `auto` runs them, `refuse` tells the model that the user refused, and `ask` asks the user, whose next message allows the call if it begins with "yes". Default: `auto`.',
  refersTo: 'tool',
});

type Policies = NonNullable<z.infer<typeof approveKey>>;

/** The result of a call that the user refused. */
export const REFUSED = 'The user refused this call.';

const ALLOWS = /^[^\p{L}\p{N}]*yes(?![\p{L}\p{N}])/iu;

/** Tool calls that need approval. The user decides in the next turn. */
export class Approvals {
  readonly #policies: Policies;
  #waiting: readonly ToolCall[] = [];
  /** Positions of the questions in the conversation. Models don't see the questions, as if an app had asked them. */
  readonly #questions = new Set<number>();

  constructor(policies: Policies = {}) {
    this.#policies = policies;
  }

  policyOf({ name }: ToolCall): (typeof POLICIES)[number] {
    return (Object.hasOwn(this.#policies, name) && this.#policies[name]) || 'auto';
  }

  /** Holds calls back. @param position the question's position in the conversation, from 0 @returns the question */
  ask(calls: readonly ToolCall[], position: number): Message {
    this.#waiting = calls;
    this.#questions.add(position);
    const [it, listed] =
      calls.length === 1
        ? ['it', ` ${calls.map(textOf).join('')}`]
        : ['them', `\n${calls.map((call) => `- ${textOf(call)}`).join('\n')}`];
    const content = `Approval needed:${listed}\nAnswer "yes" to allow ${it}. Any other answer refuses ${it}.`;
    return { role: 'assistant', content };
  }

  /** The calls that were held back, and whether the user's last message allows them. */
  decide(conversation: readonly Message[]) {
    const { role, content } = conversation.at(-1) ?? {};
    const isAllowed = role === 'user' && ALLOWS.test(content ?? '');
    const decided = this.#waiting.map((call) => ({ call, isAllowed }));
    this.#waiting = [];
    return decided;
  }

  /** The conversation as the model sees it: without the questions, and with each result next to its call. */
  forModel(conversation: readonly Message[]): readonly Message[] {
    if (this.#questions.size === 0) return conversation;
    const ordered: Message[] = [];
    for (const [position, message] of conversation.entries()) {
      if (this.#questions.has(position)) continue;
      if (message.role !== 'tool') {
        ordered.push(message);
        continue;
      }
      const call = ordered.findLastIndex(
        (one) => one.role === 'assistant' && one.toolCalls?.some(({ id }) => id === message.callId),
      );
      const after = ordered.findIndex((one, index) => index > call && one.role !== 'tool');
      ordered.splice(after < 0 ? ordered.length : after, 0, message);
    }
    return ordered;
  }
}

function textOf({ name, arguments: given }: ToolCall): string {
  return `${name} ${JSON.stringify(given)}`;
}
