import { type ExampleAnswer, fail, pass, scored } from './answer.ts';

const SARAH = ['my name is Sarah'];
const REFUND = ['3 weeks for my refund'];
const SHOES = ['return the shoes'];

const CLOSING = 'Is there anything else I can help you with?';

const met = (guideline: number, rationale: string) => ({
  guideline,
  outcome: 'met',
  violated_in: [],
  rationale,
});

const notApplicable = (guideline: number, rationale: string) => ({
  ...met(guideline, rationale),
  outcome: 'not-applicable',
});

export const shopfastAnswers: readonly ExampleAnswer[] = [
  {
    question: 'conversation_completeness',
    about: SARAH,
    answer: {
      intentions: [
        {
          intention: 'learn where the order is',
          asked_turn: 1,
          satisfied: true,
          satisfied_turn: 4,
          evidence: 'Order #98765 left our warehouse yesterday.',
        },
        {
          intention: 'change the shipping address',
          asked_turn: 5,
          satisfied: true,
          satisfied_turn: 8,
          evidence: 'order #98765 now goes to 123 Oak St, Portland, OR.',
        },
      ],
      turns: [
        pass(
          2,
          'Asks for the number that it needs to look the order up.',
          'Could you give me the order number?',
        ),
        pass(4, 'Says where the order is.', 'left our warehouse yesterday'),
        pass(6, 'Asks for the address that it needs.', 'What is the new address for order #98765?'),
        pass(8, 'Confirms the new address.', 'now goes to 123 Oak St, Portland, OR.'),
        pass(10, 'Closes when nothing is open.', 'You are welcome, Sarah!'),
      ],
      rationale: 'Both requests, where the order is and the change of address, were dealt with.',
    },
  },
  {
    question: 'guidelines',
    about: SARAH,
    answer: {
      guidelines: [
        met(1, 'Sarah gives her name in turn 1 and is greeted by it in turn 2.'),
        met(2, 'The order number is asked for in turn 2.'),
        notApplicable(3, 'No refund comes up.'),
        notApplicable(4, 'No issue is asked about more than twice.'),
        met(5, 'Each reply ends with the question.'),
      ],
      turns: [
        pass(2, 'Greets by name and asks for the order number.', 'Hello Sarah!'),
        pass(4, 'Ends with the offer of more help.', CLOSING),
        pass(6, 'Ends with the offer of more help.', CLOSING),
        pass(8, 'Ends with the offer of more help.', CLOSING),
        pass(10, 'Ends with the offer of more help.', CLOSING),
      ],
      rationale: 'The three guidelines that apply are kept in every turn.',
    },
  },
  {
    question: 'user_frustration',
    about: SARAH,
    answer: {
      turns: [
        scored(0, 1, 'A friendly request.', 'Can you check on my order?'),
        scored(0, 3, 'Gives the number.', "It's order number 98765."),
        scored(0, 5, 'Content, and asks for more.', 'Great, thanks!'),
        scored(0, 7, 'Gives the address.', '123 Oak St, Portland, OR'),
        scored(0, 9, 'Says thanks.', "That's all, thank you!"),
      ],
      overall: 'none',
      rationale: 'Sarah stays friendly throughout.',
    },
  },
  {
    question: 'conversation_completeness',
    about: REFUND,
    answer: {
      intentions: [
        {
          intention: 'know when the refund arrives',
          asked_turn: 1,
          satisfied: true,
          satisfied_turn: 4,
          evidence: 'will be in your account by Friday at the latest',
        },
        {
          intention: 'speak to a manager',
          asked_turn: 5,
          satisfied: true,
          satisfied_turn: 6,
          evidence: 'I have put you through to our manager on duty',
        },
        {
          intention: 'have the refund fixed now',
          asked_turn: 7,
          satisfied: true,
          satisfied_turn: 8,
          evidence: 'I have released the refund for order #44312 by hand.',
        },
      ],
      turns: [
        pass(2, 'Says what is happening to the refund.', 'is being processed'),
        pass(4, 'Gives the date that was asked for.', 'by Friday at the latest'),
        pass(6, 'Puts the user through as asked.', 'put you through to our manager on duty'),
        pass(8, 'Releases the refund.', 'I have released the refund'),
      ],
      rationale: 'Each request got an answer or an action, though the dates contradict each other.',
    },
  },
  {
    question: 'guidelines',
    about: REFUND,
    answer: {
      guidelines: [
        notApplicable(1, 'The customer gives no name.'),
        notApplicable(2, 'The order number is given in turn 1.'),
        {
          guideline: 3,
          outcome: 'violated',
          violated_in: [2, 4, 8],
          rationale: 'It promises 3 to 5 business days, then Friday, then 24 hours.',
        },
        met(4, 'The customer is handed over in turn 6.'),
        met(5, 'Each reply ends with the question.'),
      ],
      turns: [
        fail(2, 'Promises a time span for the refund.', 'takes 3 to 5 business days'),
        fail(
          4,
          'Promises a date for the refund.',
          'will be in your account by Friday at the latest',
        ),
        pass(6, 'Hands over to a human.', 'I have put you through to our manager on duty'),
        fail(8, 'Promises the money within a day.', 'You will have the money within 24 hours.'),
      ],
      rationale:
        'The rule against dates for refunds is broken three times, with a new date each time.',
    },
  },
  {
    question: 'user_frustration',
    about: REFUND,
    answer: {
      turns: [
        scored(
          0.7,
          1,
          'Complains about three weeks of waiting.',
          "I've been waiting 3 weeks for my refund!",
        ),
        scored(0.8, 3, 'Points out that it was told the same before.', 'You said that last time.'),
        scored(0.9, 5, 'Calls it ridiculous and wants a manager.', 'This is ridiculous.'),
        scored(1, 7, 'Threatens a chargeback.', "Fix this or I'm filing a chargeback."),
      ],
      overall: 'unresolved',
      rationale:
        'The frustration grows from turn to turn and ends in a threat; nothing the customer says shows that it was resolved.',
    },
  },
  {
    question: 'conversation_completeness',
    about: SHOES,
    answer: {
      intentions: [
        {
          intention: 'learn where order 77210 is',
          asked_turn: 1,
          satisfied: true,
          satisfied_turn: 2,
          evidence: 'Order #77210 was delivered this morning.',
        },
        {
          intention: 'return the shoes',
          asked_turn: 3,
          satisfied: true,
          satisfied_turn: 4,
          evidence: 'I have opened the return for order #77210',
        },
        {
          intention: 'know the return window',
          asked_turn: 5,
          satisfied: false,
          satisfied_turn: null,
          evidence: "What's the return window?",
        },
        {
          intention: 'know whether return shipping is free',
          asked_turn: 5,
          satisfied: false,
          satisfied_turn: null,
          evidence: 'And do I get free return shipping?',
        },
      ],
      turns: [
        pass(2, 'Says where the order is.', 'was delivered this morning'),
        pass(4, 'Opens the return.', 'I have opened the return for order #77210'),
        fail(
          6,
          'Speaks of box and label; neither the return window nor the shipping cost is answered.',
          'Returning things to ShopFast is easy',
        ),
      ],
      rationale:
        'Order status and return were dealt with, but turn 6 leaves both questions of turn 5 open.',
    },
  },
  {
    question: 'guidelines',
    about: SHOES,
    answer: {
      guidelines: [
        notApplicable(1, 'The customer gives no name.'),
        notApplicable(2, 'The order number is given in turn 1.'),
        notApplicable(3, 'No refund comes up.'),
        notApplicable(4, 'No issue is asked about more than twice.'),
        met(5, 'Each reply ends with the question.'),
      ],
      turns: [
        pass(2, 'Ends with the offer of more help.', CLOSING),
        pass(4, 'Ends with the offer of more help.', CLOSING),
        pass(6, 'Ends with the offer of more help.', CLOSING),
      ],
      rationale: 'The one guideline that applies is kept in every turn.',
    },
  },
  {
    question: 'user_frustration',
    about: SHOES,
    answer: {
      turns: [
        scored(0, 1, 'A friendly start.', 'Hey, I need help with two things.'),
        scored(0.1, 3, 'States the problem calmly.', "They don't fit."),
        scored(0, 5, 'Two plain questions.', "What's the return window?"),
      ],
      overall: 'none',
      rationale: 'The customer asks calmly to the end and never shows frustration.',
    },
  },
];
