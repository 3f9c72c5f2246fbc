import type { Turn } from '../../../core/conversation.ts';
import { groupBy } from '../../../core/data/data.ts';
import { fence } from '../../../core/text/fence.ts';
import type { AssertionInput, CaseFacts, Known, NotApplicable, Question } from '../../contract.ts';
import { notApplicable, numbersOf } from '../entries.ts';

/** The judged turns that used retrieved context. */
function turnsWithContext({ turns }: AssertionInput): Turn[] {
  return turns.filter(({ retrievalContext = [] }) => retrievalContext.length > 0);
}

/** Known beforehand of a transcript. */
export function idleWithoutContext(_facts: CaseFacts, known: Known): string | undefined {
  return known.hasRetrievedContext === false ? 'no message has `retrieval_context`' : undefined;
}

/** Asks about the turns that used retrieved context; if none did, nothing is asked. */
export function aboutRetrieval<Answer>(
  input: AssertionInput,
  question: (input: AssertionInput) => Question<Answer> | NotApplicable,
): Question<Answer> | NotApplicable {
  const turns = turnsWithContext(input);
  if (turns.length === 0) {
    return notApplicable('no-retrieval-context', 'No turn used retrieved context.');
  }
  return question({ ...input, turns });
}

/** What a good reply of each turn holds. */
function expectedOf({ expected }: Turn, { expectations }: CaseFacts): string | undefined {
  const { outcome } = expectations;
  return expected ?? (typeof outcome === 'string' ? outcome : undefined);
}

/**
 * As `aboutRetrieval`, of the turns of which it is said what a good reply holds. What is expected of
 * several turns, as an outcome of the case is of all, stands there once.
 */
export function aboutExpected<Answer>(
  input: AssertionInput,
  question: (input: AssertionInput, expected: string) => Question<Answer>,
): Question<Answer> | NotApplicable {
  return aboutRetrieval(input, (retrieving) => {
    const turns = retrieving.turns.filter((turn) => expectedOf(turn, input.facts));
    if (turns.length === 0) {
      const rationale = 'No turn with retrieved context has `expected`.';
      return notApplicable('nothing-expected', rationale);
    }
    const byText = groupBy(turns, (turn) => expectedOf(turn, input.facts) ?? '');
    const texts = [...byText].map(([text, some]) => {
      const whose = byText.size === 1 ? 'each turn' : `turn ${numbersOf(some)}`;
      return `Expected of ${whose}:\n${fence(text)}`;
    });
    return question({ ...input, turns }, texts.join('\n'));
  });
}

export function needsExpected(
  type: string,
  { expectations }: CaseFacts,
  { hasExpected }: Known,
): string | undefined {
  if (typeof expectations.outcome === 'string' || hasExpected !== false) return undefined;
  return `${type} needs to know what a good reply contains: add \`expected\` to the turns, or \`expectations\` with an \`outcome\`.`;
}
