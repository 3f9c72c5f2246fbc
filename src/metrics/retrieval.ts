import type { Turn } from '../core/conversation.ts';
import { fence } from '../core/fence.ts';
import type { AssertionInput, CaseFacts, Known, NotApplicable, Question } from './assertionType.ts';
import { notApplicable } from './entries.ts';

/** The judged turns that used retrieved context. */
export function turnsWithContext({ turns }: AssertionInput): Turn[] {
  return turns.filter(({ retrievalContext = [] }) => retrievalContext.length > 0);
}

/** Asks about the turns that used retrieved context; where none did, nothing is asked. */
export function aboutRetrieval<Answer>(
  input: AssertionInput,
  question: (input: AssertionInput) => Question<Answer>,
): Question<Answer> | NotApplicable {
  const turns = turnsWithContext(input);
  if (turns.length === 0) {
    return notApplicable('no-retrieval-context', 'No turn used retrieved context.');
  }
  return question({ ...input, turns });
}

/** What a good reply of each turn holds. */
export function expectedOf({ expected }: Turn, { expectations }: CaseFacts): string | undefined {
  const { outcome } = expectations;
  return expected ?? (typeof outcome === 'string' ? outcome : undefined);
}

/** As `aboutRetrieval`, of the turns of which it is said what a good reply holds. */
export function aboutExpected<Answer>(
  input: AssertionInput,
  question: (input: AssertionInput, expected: string) => Question<Answer>,
): Question<Answer> | NotApplicable {
  const turns = turnsWithContext(input).filter((turn) => expectedOf(turn, input.facts));
  return aboutRetrieval({ ...input, turns }, (narrowed) => {
    const texts = narrowed.turns.map(
      (turn) => `Expected of turn ${turn.number}:\n${fence(expectedOf(turn, input.facts) ?? '')}`,
    );
    return question(narrowed, texts.join('\n'));
  });
}

export function needsExpected(
  type: string,
  { expectations }: CaseFacts,
  { hasExpected }: Known,
): string | undefined {
  if (typeof expectations.outcome === 'string' || hasExpected !== false) return undefined;
  return `${type} needs to know what a good reply holds: add \`expected\` to the turns, or \`expectations\` with an \`outcome\`.`;
}
