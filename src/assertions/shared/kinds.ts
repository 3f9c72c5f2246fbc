import * as z from 'zod';
import { ReasonedError } from '../../core/errors.ts';
import type { UnscoredVerdict } from '../../core/verdict.ts';
import type {
  AssertionInput,
  DeterministicType,
  Fault,
  GroupType,
  JudgedType,
  Outcome,
  Planned,
  ProcedureType,
  Question,
  Toolbox,
} from '../contract.ts';
import { questionName } from './entries.ts';

type Defaults = 'defaultThreshold' | 'side';

/** A type whose functions get its own keys, parsed. */
type Declared<Type extends DeterministicType | ProcedureType, Params extends z.ZodObject> = Omit<
  Type,
  'kind' | 'params' | 'faults' | 'check' | 'run' | 'plan' | Defaults
> &
  Partial<Pick<Type, Defaults>> & {
    readonly params: Params;
    /** Problems of parameters that are valid one by one. */
    faults?(params: z.infer<Params>): readonly Fault[];
  };

type Deterministic<Params extends z.ZodObject> = Declared<DeterministicType, Params> & {
  /** @throws Error if it can't be checked */
  check(input: AssertionInput, params: z.infer<Params>): Outcome | Promise<Outcome>;
};

/** A deterministic type. By default, only a score of 1 passes, and it is about the assistant. */
export function deterministicType<Params extends z.ZodObject>(
  type: Deterministic<Params>,
): DeterministicType {
  const { params, faults, check, ...rest } = type;
  return {
    kind: 'deterministic',
    defaultThreshold: 1,
    side: 'assistant',
    ...rest,
    params,
    ...(faults && { faults: parsedFaults(params, faults) }),
    check: (input) => check(input, params.parse(input.assertion.params)),
  };
}

type Procedure<Params extends z.ZodObject> = Declared<ProcedureType, Params> & {
  run(input: AssertionInput, params: z.infer<Params>, toolbox: Toolbox): Promise<Outcome>;
  plan(input: AssertionInput, params: z.infer<Params>): readonly Planned[];
};

/** A procedure. By default, it passes from 0.5, and is about the assistant. */
export function procedureType<Params extends z.ZodObject>(type: Procedure<Params>): ProcedureType {
  const { params, faults, run, plan, ...rest } = type;
  const own = ({ assertion }: AssertionInput) => params.parse(assertion.params);
  return {
    kind: 'procedure',
    defaultThreshold: 0.5,
    side: 'assistant',
    ...rest,
    params,
    ...(faults && { faults: parsedFaults(params, faults) }),
    run: (input, toolbox) => run(input, own(input), toolbox),
    plan: (input) => plan(input, own(input)),
  };
}

function parsedFaults<Params extends z.ZodObject>(
  params: Params,
  faults: (params: z.infer<Params>) => readonly Fault[],
) {
  return (given: Readonly<Record<string, unknown>>) => {
    const { data } = params.safeParse(given);
    return data === undefined ? [] : faults(data);
  };
}

/** A question that is named after its type and is about the chosen turns, unless it says otherwise. */
export type OwnQuestion<Answer> = Omit<Question<Answer>, 'name' | 'turns'> &
  Partial<Pick<Question<Answer>, 'name' | 'turns'>>;

type Judged = Omit<JudgedType, 'kind' | 'params' | 'question' | Defaults> &
  Partial<Pick<JudgedType, 'params' | Defaults>> & {
    question(input: AssertionInput): OwnQuestion<unknown> | Outcome;
  };

/** A judged type. By default, it has no keys of its own, passes from 0.5, and is about the assistant. */
export function judgedType({ question, ...type }: Judged): JudgedType {
  return {
    kind: 'judged',
    params: z.strictObject({}),
    defaultThreshold: 0.5,
    side: 'assistant',
    ...type,
    question(input) {
      const asked = question(input);
      if ('kind' in asked) return asked;
      return { name: questionName(type.type), turns: input.turns, ...asked };
    },
  };
}

/** The keys of a group, given the schema of an assertion. */
function groupParams(assertion: z.ZodType) {
  return z.strictObject({
    assert: z.array(assertion).min(1).meta({
      description:
        "The nested assertions. They inherit the group's `at` unless they set their own.",
    }),
  });
}

interface Group extends Pick<GroupType, 'type' | 'summary' | 'docs' | 'defaultThreshold'> {
  /** The combined worth of assertions with these weights. */
  worth(weights: readonly number[]): number;
}

/** A group. Score: worth of the assertions that pass ÷ worth of all. */
export function groupType({ worth, ...type }: Group): GroupType {
  return {
    kind: 'group',
    ...type,
    params: groupParams(z.unknown()),
    nesting: {
      params: groupParams,
      places: ({ assert }) =>
        Array.isArray(assert) ? assert.map((_one, index) => ['assert', index]) : [],
    },
    side: 'both',
    score(verdicts) {
      // If all weights are 0, each counts the same.
      const weightless = verdicts.every(({ assertion }) => assertion.weight === 0);
      const of = (some: typeof verdicts) =>
        worth(some.map(({ assertion }) => (weightless ? 1 : assertion.weight)));
      return of(verdicts.filter(({ status }) => status === 'pass')) / of(verdicts);
    },
  };
}

/** An assertion that decides another one couldn't be judged. */
export class NestedError extends ReasonedError<string> {
  override readonly name = 'NestedError';
  readonly verdict: UnscoredVerdict;

  constructor(verdict: UnscoredVerdict) {
    super(verdict.reason, `“${verdict.assertion.name}” could not be judged: ${verdict.rationale}`);
    this.verdict = verdict;
  }
}
