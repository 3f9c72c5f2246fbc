import * as z from 'zod';
import type { JudgedType, TypeDocs } from '../contract.ts';
import { claimsQuestion } from './claims.ts';
import { questionName } from './entries.ts';
import { aboutExpected, aboutRetrieval, idleWithoutContext, needsExpected } from './retrieval.ts';

interface RetrievalClaims {
  readonly type: string;
  readonly summary: string;
  readonly docs: TypeDocs;
  readonly instructions: string;
  /** What is counted, in the plural: `claims`, `statements`. */
  readonly what: string;
  /** Said of one that does not hold: `not supported`. */
  readonly wrong: string;
  /** Said where there are none. */
  readonly nothing: string;
  /** Whether it needs to know what a good reply holds. */
  readonly expected?: true;
}

/** A type that holds what each turn retrieved, and the turn, against each other, claim by claim. */
export function retrievalClaims(given: RetrievalClaims): JudgedType {
  const { type, summary, docs, instructions, expected = false, ...said } = given;
  const about = { ...said, name: questionName(type), per: 'turns' } as const;
  return {
    kind: 'judged',
    type,
    summary,
    like: 'DeepEval',
    docs,
    params: z.strictObject({}),
    defaultThreshold: 0.5,
    side: 'assistant',
    idle: idleWithoutContext,
    ...(expected && { needs: (facts, known) => needsExpected(type, facts, known) }),
    question: (input) =>
      expected
        ? aboutExpected(input, (narrowed, text) =>
            claimsQuestion({ ...about, instructions: `${instructions}\n\n${text}` }, narrowed),
          )
        : aboutRetrieval(input, (narrowed) => claimsQuestion({ ...about, instructions }, narrowed)),
  };
}
