import { type Conversation, textOf, turnsOfSide } from '../core/conversation.ts';

/** Why there is no use in going on after the latest reply: the assistant says nothing, or the same again. */
export function stuckIn(conversation: Conversation): 'empty-reply' | 'repetition' | undefined {
  const [before, latest] = turnsOfSide(conversation, 'assistant').slice(-2).map(textOf).map(folded);
  const reply = latest ?? before;
  if (reply === '') return 'empty-reply';
  return latest !== undefined && latest === before ? 'repetition' : undefined;
}

/** Two replies are the same where only their case and white space differ. */
function folded(text: string): string {
  return text.replace(/\s+/gu, ' ').trim().toLowerCase();
}
