import {
  type AssertionInput,
  type AssertionType,
  asksJudge,
  type JudgeRequest,
} from '../../src/assertions/contract.ts';
import { assertionTypes, typeOf } from '../../src/assertions/registry.ts';
import { turnsOfSide } from '../../src/core/conversation.ts';
import type { Assertion } from '../../src/core/suite.ts';
import { assistant, buildAssertion, buildFacts, buildPrompt, call, talk, user } from './judging.ts';

const PARAMS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  criterion: { criterion: 'The agent is polite.' },
  guidelines: { guidelines: ['Be polite.', 'Never promise a date.'] },
  'g-eval': { criteria: 'The agent is warm.', steps: ['Look at the tone.'] },
  'decision-graph': {
    nodes: {
      done: { type: 'yes-no', question: 'Is it done?', if_yes: 10, if_no: 0 },
    },
  },
};

/** Every fact of a case that a judged type can need. */
export const FULL_FACTS = buildFacts({
  role: 'A shop.',
  topics: ['orders'],
  tools: [{ name: 'lookup', server: 'shop' }],
  expectations: { outcome: 'The order and the refund are found.' },
});

/** Like ORDER_TALK, but with a tool call and retrieved context in both assistant turns. */
export const RICH_TALK = talk(
  user('Where is my order #98765?'),
  ...call('lookup', { order: '98765' }, 'shipped'),
  assistant('It was shipped on Monday.', ['Orders are shipped on Mondays.']),
  user('Thanks, and the refund for the hat?'),
  ...call('lookup', { item: 'hat' }, 'refunded'),
  assistant('The refund was sent today.', ['Refunds are sent within a day.']),
);

/** One assertion of every judged type. For `llm-judge`, one for each way in which it can ask. */
export function judgedAssertions(): Assertion[] {
  return assertionTypes.filter(asksJudge).flatMap(({ type }) => {
    if (type !== 'llm-judge') return [buildAssertion(type, PARAMS[type])];
    const prompt = buildPrompt('Judge {{conversation}}.');
    const labels = { good: 1, bad: 0 };
    return [
      buildAssertion(type, { prompt: 'own.md' }, { prompt }),
      buildAssertion(type, { prompt: 'own.md', per_turn: true, labels }, { prompt }),
    ];
  });
}

/** The requests of each of these assertions about RICH_TALK. */
export function questionsOfAllTypes(): { type: string; question: JudgeRequest<unknown> }[] {
  return judgedAssertions().flatMap((assertion) => {
    const type = typeOf(assertion);
    const side = type.side === 'user' ? 'user' : 'assistant';
    const input: AssertionInput = {
      conversation: RICH_TALK,
      turns: turnsOfSide(RICH_TALK, side),
      assertion,
      facts: FULL_FACTS,
    };
    return askedBy(type, input).map((question) => ({ type: type.type, question }));
  });
}

/** Numbers of the judged turns in RICH_TALK, in a question's format. */
export function judgedTurns(type: string): string {
  return type === 'user-frustration' ? '1,3' : '2,4';
}

function askedBy(type: AssertionType, input: AssertionInput): readonly JudgeRequest<unknown>[] {
  if (type.kind === 'procedure') {
    return type
      .plan(input)
      .flatMap((planned) => (planned.kind === 'asked' ? [planned.about(input.turns)] : []));
  }
  if (type.kind === 'checklist') return [type.checklist([input])];
  const question = type.kind === 'judged' ? type.question(input) : undefined;
  if (!question || 'kind' in question) throw new Error(`${type.type} asks nothing.`);
  return [question];
}
