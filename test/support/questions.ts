import { turnsOfSide } from '../../src/core/conversation.ts';
import type { Assertion } from '../../src/core/suite.ts';
import type { AssertionInput, Question } from '../../src/metrics/assertionType.ts';
import { assertionTypes } from '../../src/metrics/registry.ts';
import { buildAssertion, buildFacts, buildPrompt, ORDER_TALK } from './judging.ts';

const PARAMS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  criterion: { criterion: 'The agent is polite.' },
  guidelines: { guidelines: ['Be polite.', 'Never promise a date.'] },
};

/** One assertion of every judged type, and of `llm-judge` each way that it can ask. */
export function judgedAssertions(): Assertion[] {
  return assertionTypes
    .filter(({ judged }) => judged)
    .flatMap(({ type }) => {
      if (type !== 'llm-judge') return [buildAssertion(type, PARAMS[type])];
      const prompt = buildPrompt('Judge {{conversation}}.');
      const labels = ['good', 'bad'];
      return [
        buildAssertion(type, { prompt: 'own.md' }, { prompt }),
        buildAssertion(type, { prompt: 'own.md', per_turn: true, labels }, { prompt }),
      ];
    });
}

/** What each of them asks about ORDER_TALK. */
export function questionsOfAllTypes(): { type: string; question: Question<unknown, unknown> }[] {
  return judgedAssertions().map((assertion) => {
    const type = assertionTypes.find((one) => one.type === assertion.type);
    if (!type?.judged) throw new Error(`${assertion.type} is no judged type.`);
    const side = type.side === 'user' ? 'user' : 'assistant';
    const input: AssertionInput = {
      conversation: ORDER_TALK,
      turns: turnsOfSide(ORDER_TALK, side),
      assertion,
      facts: buildFacts({ role: 'A shop.' }),
    };
    const question = 'checklist' in type ? type.checklist([input]) : type.question(input);
    if ('kind' in question) throw new Error(`${type.type} asks nothing.`);
    return { type: type.type, question };
  });
}

/** The numbers of the judged turns of ORDER_TALK, as a question names them. */
export function judgedTurns(type: string): string {
  return type === 'user-frustration' ? '1, 3' : '2, 4';
}
