import { type Conversation, liveTurnsOf } from './conversation.ts';

/** What a target may report of a conversation, besides what is said in it. */
export const REPORTS = ['tool_calls', 'context', 'usage', 'agents'] as const;

export type Report = (typeof REPORTS)[number];

/** In the middle of a sentence. */
export const REPORT_NAMES: Readonly<Record<Report, string>> = {
  tool_calls: 'tool calls',
  context: 'retrieved context',
  usage: 'usage',
  agents: 'agents',
};

/** What can be seen of a target's replies. */
export interface Reporting {
  /** What it is called in a message. */
  readonly target: string;
  readonly reports: readonly Report[];
  /** True if the target's `reports` decides. */
  readonly isDeclared: boolean;
  /** Keys of its own that name where its answers contain something. */
  readonly keys: ReportKeys;
}

export type ReportKeys = Readonly<Partial<Record<Report, string>>>;

/**
 * What the live turns of a conversation contain. It decides for this conversation alone: if other conversations of the
 * run decided too, a verdict would depend on what ran before it.
 */
export function reportsIn(conversation: Conversation): Report[] {
  const turns = liveTurnsOf(conversation).filter(({ side }) => side === 'assistant');
  const calls = turns.some(({ items }) => items.some(({ kind }) => kind === 'tool-call'));
  const context = turns.some(({ retrievalContext }) => retrievalContext !== undefined);
  return [...(calls ? ['tool_calls' as const] : []), ...(context ? ['context' as const] : [])];
}
