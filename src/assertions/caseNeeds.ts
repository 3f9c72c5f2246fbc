import {
  type Conversation,
  REPORT_NAMES,
  type Report,
  type Reporting,
  turnsOf,
} from '../core/conversation.ts';
import type { Assertion } from '../core/suite.ts';
import { formatList } from '../core/text/format.ts';
import type { AssertionType, CaseFacts, ConversationTraits } from './contract.ts';

/** The traits of a finished conversation. */
export function traitsOf(
  conversation: Conversation,
): Required<Omit<ConversationTraits, 'reporting' | 'offersTools'>> {
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

/** Something that an assertion must see but its target doesn't report. */
interface NotReported {
  /** Says what is missing, and which key to set. */
  readonly message: string;
  /** The key to add to the target; absent if an existing key must change instead. */
  readonly key?: string;
}

/**
 * Whether an assertion can't be checked because its target doesn't report what it needs to see.
 *
 * @param reporting undefined if everything is reported, or if nothing is known before the run
 */
export function notReported(
  type: AssertionType,
  selection: Selection,
  facts: CaseFacts,
  reporting: Reporting | undefined,
): NotReported | undefined {
  if (!reporting) return undefined;
  const needed = neededReports(type, selection, facts).find(
    (one) => !one.some((report) => reporting.reports.includes(report)),
  );
  if (!needed) return undefined;
  const { key, remedy } = remedyOf(needed, reporting);
  const message = `${type.type} can't be checked: the target "${reporting.target}" doesn't report ${anyOf(needed, (one) => REPORT_NAMES[one])}. ${remedy}`;
  return { message, ...(key !== undefined && { key }) };
}

/** What the assertion must see: at least one item of each list. */
export function neededReports(
  { sees }: AssertionType,
  selection: Selection,
  facts: CaseFacts,
): (readonly Report[])[] {
  const agents: readonly Report[] = selectsAgent(selection) ? ['agents'] : [];
  return [sees?.(facts, selection.params) ?? [], agents].filter((one) => one.length > 0);
}

type Selection = Pick<Assertion, 'at' | 'params'>;

/** Whether `at` or the type's own `agent` names an agent. */
function selectsAgent({ at, params }: Selection): boolean {
  return at.kind === 'agent' || params.agent !== undefined;
}

function remedyOf(needed: readonly Report[], { isDeclared, keys }: Reporting) {
  const code = (text: string) => `\`${text}\``;
  if (isDeclared) {
    return {
      remedy: `If its replies do include this, add ${anyOf(needed, code)} to its \`reports\`.`,
    };
  }
  const pointers = needed.flatMap((one) => keys[one] ?? []);
  const own = anyOf(needed, (one) => `\`reports: [${one}]\``);
  const [key] = pointers;
  if (key === undefined) {
    return {
      key: 'reports',
      remedy: `If its replies always include them when there are any, set ${own} on the target.`,
    };
  }
  return {
    key,
    remedy: `Set ${anyOf(pointers, code)} on the target to a JSON pointer into its responses, or set ${own} if its replies already include this information.`,
  };
}

/** `a, b, or c` */
export function anyOf<Item>(items: readonly Item[], textOf: (item: Item) => string): string {
  return formatList(items.map(textOf), 'or');
}
