import type { Conversation, Turn, TurnItem } from '../core/conversation.ts';
import { isMapping, type Mapping } from '../core/data/data.ts';
import type { Scrubber } from '../core/scrubber.ts';
import type { ReceivedConversation } from './traceInbox.ts';

/** A text in a conversation, and what to write instead. */
export interface Replacement {
  readonly kind: string;
  readonly text: string;
  readonly by: string;
}

/** Patterns of personal data and secrets. Quantifiers are bounded, so that no text takes long. */
const FORMS: readonly {
  readonly kind: string;
  readonly pattern: RegExp;
  readonly fits?: (text: string) => boolean;
  readonly by: (number: number) => string;
}[] = [
  {
    kind: 'key or token',
    pattern:
      /(?<![\w-])(?:sk|pk|rk|gh[opsu]|github_pat|xox[abp]|glpat|AKIA|AIza|hf)[-_]?[\w-]{16,300}|(?<![\w-])eyJ[\w-]{10,3000}\.[\w-]{10,3000}\.[\w-]{10,1000}/g,
    by: (number) => `hidden-key-${number}`,
  },
  {
    kind: 'e-mail address',
    pattern: /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/g,
    by: (number) => `user${number}@example.com`,
  },
  {
    kind: 'card number',
    pattern: /(?<![\p{L}\p{N}])\d(?:[ -]?\d){12,18}(?![\p{L}\p{N}])/gu,
    fits: isCardNumber,
    by: () => '4242 4242 4242 4242',
  },
  {
    kind: 'phone number',
    pattern: /(?<![\p{L}\p{N}.])(?:\+|\(|0)[ (]?\d(?:[ ()/-]{0,2}\d){6,14}(?![\p{L}\p{N}])/gu,
    by: (number) => `+1 555 01${String(number % 100).padStart(2, '0')}`,
  },
];

const NAMES = ['Alex', 'Kim', 'Robin', 'Sam', 'Jo', 'Max', 'Noa', 'Charlie'];

/** Maximum number of texts to find. */
const MAX_FOUND = 1_000;

/** What looks like personal data or a secret in a conversation. */
export function findPersonalData(conversation: Conversation): Replacement[] {
  const found = new Map<string, Replacement>();
  mapTexts(conversation, (given) => {
    let text = given;
    for (const { kind, pattern, fits = () => true, by } of FORMS) {
      text = text.replace(pattern, (one) => {
        if (!fits(one) || found.size >= MAX_FOUND) return one;
        if (!found.has(one)) {
          const number = [...found.values()].filter((other) => other.kind === kind).length + 1;
          found.set(one, { kind, text: one, by: by(number) });
        }
        // The other forms don't apply to it.
        return '\n';
      });
    }
    return given;
  });
  return [...found.values()];
}

/** @param typed names, separated by commas */
export function replaceNames(typed: string): Replacement[] {
  const names = typed.split(',').map((name) => name.trim());
  const free = NAMES.filter((one) => !names.some((name) => isSame(one, name)));
  return [...new Set(names)]
    .filter((name) => name !== '')
    .map((text, index) => ({
      kind: 'name',
      text,
      by: free[index] ?? `Person ${index + 1}`,
    }));
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** Replaces whole words in what was said, and in the arguments and results of calls. */
export function replaceTexts(
  conversation: Conversation,
  replacements: readonly Replacement[],
): Conversation {
  if (replacements.length === 0) return conversation;
  const longest = [...replacements].sort((a, b) => b.text.length - a.text.length);
  const texts = longest.map(({ text }) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${texts.join('|')})(?![\\p{L}\\p{N}])`, 'giu');
  const by = new Map(longest.map((one) => [one.text.toLowerCase(), one.by]));
  return mapTexts(conversation, (text) =>
    text.replace(pattern, (found) => by.get(found.toLowerCase()) ?? found),
  );
}

/**
 * A received conversation and its case's keys as they may be written to a file: without secrets, and without the
 * personal data that somebody chooses.
 *
 * @param choose returns undefined to cancel
 */
export async function cleanReceived(
  { conversation, draft }: Pick<ReceivedConversation, 'conversation' | 'draft'>,
  scrubber: Scrubber,
  choose: (conversation: Conversation) => Promise<readonly Replacement[] | undefined>,
): Promise<{ readonly conversation: Conversation; readonly keys: Mapping } | undefined> {
  const { tools } = draft?.keys ?? {};
  // Secrets first: a replacement within a secret would leave the rest of it.
  const clean = scrubber.data({ conversation, keys: { ...(tools !== undefined && { tools }) } });
  const replaced = await choose(clean.conversation);
  return replaced && { ...clean, conversation: replaceTexts(clean.conversation, replaced) };
}

/** Changes everything that was said, and the arguments and results of calls; not names of roles, tools, and agents. */
export function mapTexts(
  { entries, notes }: Conversation,
  change: (text: string) => string,
): Conversation {
  const ofItem = (item: TurnItem): TurnItem => {
    if (item.kind === 'handoff') return item;
    if (item.kind !== 'tool-call') return { ...item, text: change(item.text) };
    const { call, result } = item;
    return {
      ...item,
      call: { ...call, arguments: mapValues(call.arguments, change) },
      ...(result !== undefined && { result: change(result) }),
    };
  };
  const ofTurn = (turn: Turn): Turn => ({
    ...turn,
    items: turn.items.map(ofItem),
    ...(turn.retrievalContext && { retrievalContext: turn.retrievalContext.map(change) }),
  });
  return {
    entries: entries.map((entry) =>
      entry.kind === 'turn' ? ofTurn(entry) : { ...entry, text: change(entry.text) },
    ),
    notes,
  };
}

/** A number stays a number unless its digits change. */
function mapValues(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value === 'number') {
    const text = String(value);
    const changed = change(text);
    return changed === text ? value : changed;
  }
  if (Array.isArray(value)) return value.map((one) => mapValues(one, change));
  if (!isMapping(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, mapValues(one, change)]),
  );
}

/** Checks the digits by the Luhn algorithm. */
function isCardNumber(text: string): boolean {
  const digits = [...text.replace(/\D/g, '')].reverse().map(Number);
  const sum = digits.reduce((total, digit, index) => {
    const doubled = index % 2 === 0 ? digit : digit * 2;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}
