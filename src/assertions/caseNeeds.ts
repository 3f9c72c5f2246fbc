import {
  type Conversation,
  REPORT_NAMES,
  type Report,
  type Reporting,
  turnsOf,
} from '../core/conversation.ts';
import { formatList } from '../core/text/format.ts';
import type { AssertionType, CaseFacts, ConversationTraits } from './contract.ts';

/** The traits of a finished conversation. */
export function traitsOf(
  conversation: Conversation,
): Required<Omit<ConversationTraits, 'reporting'>> {
  const turns = turnsOf(conversation);
  const items = turns.flatMap((turn) => turn.items);
  return {
    hasSystemText: [...conversation.entries, ...items].some(({ kind }) => kind === 'system'),
    hasRetrievedContext: turns.some(({ retrievalContext = [] }) => retrievalContext.length > 0),
    hasToolCalls: items.some(({ kind }) => kind === 'tool-call'),
    hasToolResults: items.some((item) => item.kind === 'tool-call' && item.result !== undefined),
    hasExpected: turns.some(({ expected }) => expected !== undefined),
  };
}

/** What an assertion needs to see but its target doesn't report. */
interface NotReported {
  /** What is missing, and the key to set. */
  readonly message: string;
  /** A key to add to the target; absent if an existing one must change. */
  readonly key?: string;
}

/**
 * Whether an assertion can't be checked because its target doesn't report what the type needs to see.
 *
 * @param reporting undefined if everything is reported, or if nothing is known before the run
 */
export function notReported(
  { type, sees }: AssertionType,
  facts: CaseFacts,
  reporting: Reporting | undefined,
): NotReported | undefined {
  const needed = sees?.(facts) ?? [];
  if (!reporting || needed.length === 0) return undefined;
  if (needed.some((one) => reporting.reports.includes(one))) return undefined;
  const { key, remedy } = remedyOf(needed, reporting);
  const message = `${type} can't be checked: the target "${reporting.target}" doesn't report ${anyOf(needed, (one) => REPORT_NAMES[one])}. ${remedy}`;
  return { message, ...(key !== undefined && { key }) };
}

function remedyOf(needed: readonly Report[], { isDeclared, keys }: Reporting) {
  const code = (text: string) => `\`${text}\``;
  if (isDeclared) {
    return { remedy: `If it does, add ${anyOf(needed, code)} to its \`reports\`.` };
  }
  const pointers = needed.flatMap((one) => keys[one] ?? []);
  const own = anyOf(needed, (one) => `\`reports: [${one}]\``);
  const [key] = pointers;
  if (key === undefined) {
    return {
      key: 'reports',
      remedy: `If its replies show them whenever there are any, set ${own} on the target.`,
    };
  }
  return {
    key,
    remedy: `Set ${anyOf(pointers, code)} on the target to a JSON pointer into its answers, or ${own} if the replies themselves show this.`,
  };
}

/** `a, b, or c` */
export function anyOf<Item>(items: readonly Item[], textOf: (item: Item) => string): string {
  return formatList(items.map(textOf), 'or');
}
