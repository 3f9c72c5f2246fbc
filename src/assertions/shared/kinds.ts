import * as z from 'zod';
import { ReasonedError } from '../../core/errors.ts';
import type { TurnVerdict, UnscoredVerdict } from '../../core/verdict.ts';
import type {
  AssertionInput,
  AssertionType,
  DeterministicType,
  Fault,
  Finding,
  GroupType,
  JoinableParts,
  JudgedType,
  NotApplicable,
  Outcome,
  PlannedRequest,
  ProcedureType,
  Question,
  Toolbox,
} from '../contract.ts';
import {
  type Entry,
  fromVerdictEntries,
  partsOf,
  scored,
  turnVerdicts,
  type VerdictEntry,
} from './entries.ts';

type Defaults = 'defaultThreshold' | 'side';

/** A type whose functions receive its own parsed keys. */
type Declared<Type extends AssertionType, Params extends z.ZodObject, Own> = Own &
  Omit<Type, 'kind' | 'params' | 'faults' | keyof Own | Defaults> &
  Partial<Pick<Type, Defaults>> & {
    readonly params: Params;
    faults?(params: z.infer<Params>): readonly Fault[];
  };

interface Check<Params> {
  /** @throws Error if it can't be checked */
  check(input: AssertionInput, params: Params): Outcome | Promise<Outcome>;
}

/** A deterministic type. By default, only a score of 1 passes, and it checks the assistant's turns. */
export function deterministicType<Params extends z.ZodObject>(
  type: Declared<DeterministicType, Params, Check<z.infer<Params>>>,
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

interface Run<Params> {
  run(input: AssertionInput, params: Params, toolbox: Toolbox): Promise<Outcome>;
  plan(input: AssertionInput, params: Params): readonly PlannedRequest[];
}

/** A procedure. By default, it passes at 0.5 or above and checks the assistant's turns. */
export function procedureType<Params extends z.ZodObject>(
  type: Declared<ProcedureType, Params, Run<z.infer<Params>>>,
): ProcedureType {
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

export interface TurnsAnswer {
  readonly turns: readonly Entry[];
  readonly rationale: string;
}

/** The parts of a finding that an answer determines. By default, they are the answer's own rationale and turns. */
type Conclusion =
  | (Pick<Finding, 'score'> & Partial<Finding>)
  | (Pick<NotApplicable, 'reason'> & Partial<NotApplicable>);

/** A question about the chosen turns, named after its type unless it has a name. */
export interface OwnQuestion<Answer extends TurnsAnswer = TurnsAnswer>
  extends Omit<Question<Answer>, 'name' | 'answer' | 'parts' | 'conclude'> {
  readonly name?: string;
  readonly answer: z.ZodObject & z.ZodType<Answer>;
  /** Derived from the answer's keys by default. */
  readonly parts?: JoinableParts<Answer>;
  /**
   * A turn's score, 0..1, to compare with the threshold. By default, it is 1 or 0, depending on the entry's `verdict`.
   */
  scoreOf?(entry: Answer['turns'][number]): number;
  conclude(answer: Answer, turns: readonly TurnVerdict[]): Conclusion;
}

interface Ask<Params> {
  question(input: AssertionInput, params: Params): OwnQuestion | NotApplicable;
}

type Judged<Params extends z.ZodObject> = Omit<
  JudgedType,
  'kind' | 'params' | 'question' | Defaults
> &
  Partial<Pick<JudgedType, Defaults>> &
  Ask<z.infer<Params>> & { readonly params?: Params };

/** A judged type. By default, it has no keys of its own, passes at 0.5 or above, and checks the assistant's turns. */
export function judgedType<Params extends z.ZodObject>({
  question,
  params,
  ...type
}: Judged<Params>): JudgedType {
  const keys = params ?? z.strictObject({});
  return {
    kind: 'judged',
    defaultThreshold: 0.5,
    side: 'assistant',
    ...type,
    params: keys,
    question(input) {
      const { assertion, turns } = input;
      const asked = question(input, keys.parse(assertion.params) as z.infer<Params>);
      if ('kind' in asked) return asked;
      const { scoreOf, conclude, ...rest } = asked;
      const judged = asked.turns ?? turns;
      return {
        // Some endpoints don't allow hyphens.
        name: type.type.replaceAll('-', '_'),
        turns,
        parts: partsOf(asked.answer),
        ...rest,
        conclude(given) {
          const answer = given as TurnsAnswer;
          const verdicts = scoreOf
            ? turnVerdicts(answer.turns, judged, scoreOf, assertion.threshold)
            : fromVerdictEntries(answer.turns as readonly VerdictEntry[], judged);
          const found = conclude(answer, verdicts);
          if ('score' in found) return scored(answer.rationale, found.turns ?? verdicts, found);
          return { kind: 'skipped', rationale: answer.rationale, turns: verdicts, ...found };
        },
      };
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
  /** The total worth of assertions that have these weights. */
  worth(weights: readonly number[]): number;
}

/** A group. Score: worth of the passing assertions ÷ worth of all. */
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
      // If all weights are 0, they count equally.
      const weightless = verdicts.every(({ assertion }) => assertion.weight === 0);
      const of = (some: typeof verdicts) =>
        worth(some.map(({ assertion }) => (weightless ? 1 : assertion.weight)));
      return of(verdicts.filter(({ status }) => status === 'pass')) / of(verdicts);
    },
  };
}

/** The error if an assertion that another one depends on couldn't be judged. */
export class NestedError extends ReasonedError<string> {
  override readonly name = 'NestedError';
  readonly verdict: UnscoredVerdict;

  constructor(verdict: UnscoredVerdict) {
    super(verdict.reason, `“${verdict.assertion.name}” could not be judged: ${verdict.rationale}`);
    this.verdict = verdict;
  }
}
