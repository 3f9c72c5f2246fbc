import type * as z from 'zod';
import type { Assertion } from '../../../core/suite.ts';
import type { JudgedType, TypeDocs } from '../../contract.ts';
import { questionName } from '../entries.ts';
import { judgedType } from '../judgedType.ts';
import { claimsQuestion } from './claims.ts';
import { aboutExpected, aboutRetrieval, idleWithoutContext, needsExpected } from './retrieval.ts';

interface Asking {
  readonly instructions: string;
  /** Said of one that does not hold: `not supported`. */
  readonly wrong: string;
}

interface RetrievalClaims extends Asking {
  readonly type: string;
  readonly summary: string;
  readonly docs: TypeDocs;
  /** Keys of the type's own, and how they change what is asked. */
  readonly own?: {
    readonly params: z.ZodObject;
    change(assertion: Assertion): Partial<Asking>;
  };
  /** What is counted, in the plural: `claims`, `statements`. */
  readonly what: string;
  /** Said if there are none. */
  readonly nothing: string;
  /** Whether it needs to know what a good reply holds. */
  readonly expected?: boolean;
}

/** A type that holds what each turn retrieved, and the turn, against each other, claim by claim. */
export function retrievalClaims({
  type,
  summary,
  docs,
  own,
  expected = false,
  ...asking
}: RetrievalClaims): JudgedType {
  const about = { ...asking, name: questionName(type), per: 'turns' } as const;
  return judgedType({
    type,
    summary,
    like: 'DeepEval',
    docs,
    ...(own && { params: own.params }),
    sees: () => ['context'],
    idle: idleWithoutContext,
    ...(expected && { needs: (facts, known) => needsExpected(type, facts, known) }),
    question(input) {
      const asked = { ...about, ...own?.change(input.assertion) };
      if (!expected) return aboutRetrieval(input, (narrowed) => claimsQuestion(asked, narrowed));
      return aboutExpected(input, (narrowed, text) => {
        const instructions = `${asked.instructions}\n\n${text}`;
        return claimsQuestion({ ...asked, instructions }, narrowed);
      });
    },
  });
}
