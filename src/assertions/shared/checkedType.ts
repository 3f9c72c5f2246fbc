import type * as z from 'zod';
import type { AssertionInput, DeterministicType, Outcome } from '../contract.ts';

type Usual = 'defaultThreshold' | 'side';

interface Checked<Params extends z.ZodObject>
  extends Omit<DeterministicType, 'kind' | 'params' | 'check' | Usual>,
    Partial<Pick<DeterministicType, Usual>> {
  readonly params: Params;
  /** @throws as `DeterministicType.check` */
  check(input: AssertionInput, params: z.infer<Params>): Outcome | Promise<Outcome>;
}

/** A deterministic type; passing with full marks alone and about the assistant unless it says so. */
export function checkedType<Params extends z.ZodObject>({
  check,
  ...type
}: Checked<Params>): DeterministicType {
  return {
    kind: 'deterministic',
    defaultThreshold: 1,
    side: 'assistant',
    ...type,
    check: (input) => check(input, type.params.parse(input.assertion.params)),
  };
}
