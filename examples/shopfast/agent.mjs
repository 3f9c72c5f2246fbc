// A small support agent for the imaginary shop ShopFast. It follows simple rules instead of a
// model, so that the example runs at once, and it has three flaws on purpose:
//
//   1. it soothes customers who wait for a refund with dates that it cannot know;
//   2. it talks to an angry customer as to any other;
//   3. of two questions in one message it answers neither when both are new to it.

const ORDERS = {
  98765: 'left our warehouse yesterday',
  77210: 'was delivered this morning',
  44312: 'was returned three weeks ago',
};

const CLOSING = 'Is there anything else I can help you with?';

/** @param messages the conversation so far, as OpenAI chat messages; the last is the user's */
export default async function reply(messages) {
  const said = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
  const latest = said.at(-1);
  const name = find(said, /my name is (\w+)/i);
  const order = find(said, /order(?: number)?\s*(?:is\s*)?#?(\d{5})/i);
  const greeting = name && said.length === 1 ? `Hello ${name}! ` : '';
  const address = name && said.length > 1 ? `, ${name}` : '';
  return `${greeting}${answer(latest, order, address, said.length)} ${CLOSING}`;
}

function answer(latest, order, address, asked) {
  if (/refund|money back|manager|chargeback/i.test(latest))
    return aboutRefund(latest, order, asked);
  if (/new address is/i.test(latest)) {
    const place = latest.match(/address is (.+?)\.?$/i)[1];
    return `Done${address}: order #${order} now goes to ${place}.`;
  }
  if (/change the shipping address/i.test(latest)) {
    return `Of course${address}. What is the new address for order #${order}?`;
  }
  if (/return window|return shipping/i.test(latest)) {
    return 'Returning things to ShopFast is easy: put the shoes into the box they came in and use the label from the e-mail.';
  }
  if (/want to return/i.test(latest)) {
    return `I am sorry that the shoes do not fit. I have opened the return for order #${order} and sent you the label by e-mail.`;
  }
  if (/that's all|thank/i.test(latest)) return `You are welcome${address}!`;
  if (order === undefined)
    return 'I can look that up right away. Could you give me the order number?';
  return `Order #${order} ${ORDERS[order] ?? 'is not in our system'}.`;
}

function aboutRefund(latest, order, asked) {
  if (/chargeback/i.test(latest)) {
    return `I have released the refund for order #${order} by hand. You will have the money within 24 hours.`;
  }
  if (/manager/i.test(latest)) {
    return 'I have put you through to our manager on duty, who now has your case.';
  }
  if (asked > 1)
    return `Your refund for order #${order} will be in your account by Friday at the latest.`;
  return `Your refund for order #${order} is being processed and takes 3 to 5 business days.`;
}

function find(texts, pattern) {
  return texts.map((text) => text.match(pattern)?.[1]).findLast((found) => found !== undefined);
}
