import { toConversation } from '../../src/core/conversation.ts';
import type { CaseLine } from '../../src/core/record/runRecord.ts';
import { recordText } from '../../test/support/records.ts';
import { manyCases } from '../../test/support/view/results.ts';

/**
 * The given number of cases, each with six turns of about 40 words and a reason for each verdict. @param shift changes
 * the scores
 */
export function casesOf(cases: number, assertions: number, shift = 0): CaseLine[] {
  return manyCases(cases, assertions, shift).map((line, at) => ({
    ...line,
    conversation: toConversation(
      Array.from({ length: 6 }, (_, turn) => ({
        message: {
          role: turn % 2 === 0 ? ('user' as const) : ('assistant' as const),
          content: `About order ${at} in turn ${turn + 1}. ${SENTENCE.repeat(5)}`,
        },
      })),
    ),
    verdicts: line.verdicts.map((verdict) => ({
      ...verdict,
      rationale: SENTENCE.repeat(2),
      turns: [2, 4, 6].map((turn) => ({
        ...{ turn, status: 'pass' as const, score: 1, rationale: SENTENCE },
      })),
    })),
  }));
}

export function recordOf(cases: readonly CaseLine[]): string {
  return recordText({ id: 'bench', cases, end: {} });
}

const SENTENCE = 'The agent names the parcel and says when it comes. ';
