import * as z from 'zod';
import type { DeterministicType, TypeDocs } from '../contract.ts';
import { ignoreCase, textAssertion } from './textAssertion.ts';

interface Comparison<Wanted> {
  readonly type: string;
  readonly summary: string;
  readonly docs: TypeDocs;
  /** To be read between `Turn 4` and what is wanted, where it holds and where it does not. */
  readonly says: readonly [yes: string, no: string];
  /** Both in small letters where capitals do not count. */
  holds(text: string, wanted: Wanted): boolean;
}

const oneParams = z.strictObject({
  value: z.string().min(1).meta({ description: 'The text to look for.' }),
  ignore_case: ignoreCase,
});

const severalParams = z.strictObject({
  values: z.array(z.string().min(1)).min(1).meta({ description: 'The texts to look for.' }),
  ignore_case: ignoreCase,
});

/** An assertion type that compares what the assistant said with one text. */
export function valueAssertion({ says, holds, ...type }: Comparison<string>): DeterministicType {
  return textAssertion({
    ...type,
    params: oneParams,
    claim: ({ value }, found) => `${says[found ? 0 : 1]} ${JSON.stringify(value)}`,
    holds: (text, { value, ignore_case }) =>
      holds(folded(text, ignore_case), folded(value, ignore_case)),
  });
}

/** As `valueAssertion`, with several texts. */
export function valuesAssertion({
  says,
  holds,
  ...type
}: Comparison<readonly string[]>): DeterministicType {
  return textAssertion({
    ...type,
    params: severalParams,
    claim: ({ values }, found) => `${says[found ? 0 : 1]} ${JSON.stringify(values)}`,
    holds: (text, { values, ignore_case }) =>
      holds(
        folded(text, ignore_case),
        values.map((value) => folded(value, ignore_case)),
      ),
  });
}

function folded(text: string, ignore: boolean): string {
  return ignore ? text.toLowerCase() : text;
}
