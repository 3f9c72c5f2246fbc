// The returns desk of the imaginary shop ShopFast, with rules instead of a model. It opens a return once
// it knows order and reason, and it cannot say until when: for that it has the same words for everybody.

const WINDOW = 'You find the return window in our terms of sale.';

/** @param messages the conversation so far, as OpenAI chat messages; the last is the user's */
export default async function reply(messages) {
  const said = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
  const order = said.map((text) => text.match(/\b\d{5}\b/)?.[0]).findLast(Boolean);
  const reason = said.some((text) => /(do not|don't) fit|too (small|big)|broken/i.test(text));
  if (/how many days|how long|until when|window/i.test(said.at(-1))) return WINDOW;
  if (!order) return 'Which order is it about?';
  if (!reason) return `I have found order #${order}. Why do you want to return the shoes?`;
  return `I have opened the return for order #${order}. The label is in your inbox.`;
}
