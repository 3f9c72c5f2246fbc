import assert from 'node:assert/strict';
import { it } from 'node:test';
import { lookUpQuote } from '../../../src/assertions/shared/entries.ts';
import { toConversation, turnsOf } from '../../../src/core/conversation.ts';
import { assertWork } from '../../support/work.ts';

it('thousands of quotes from a long turn are looked up quickly', async () => {
  const reply = `${'word '.repeat(80_000)}end`;
  const messages = [
    { role: 'user' as const, content: 'Hi' },
    { role: 'assistant' as const, content: reply },
  ];
  const turns = turnsOf(toConversation(messages.map((message) => ({ message }))));
  await assertWork(150, () => {
    for (let count = 0; count < 1_000; count += 1) {
      assert.equal(lookUpQuote(turns, 2, 'word\nword')?.verified, true);
    }
  });
});
