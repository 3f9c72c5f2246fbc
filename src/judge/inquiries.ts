import type {
  AssertionInput,
  ChecklistType,
  Outcome,
  ProcedureType,
  Question,
} from '../assertions/contract.ts';
import { typeOf } from '../assertions/registry.ts';
import type { Turn } from '../core/conversation.ts';
import { errorText, unreachable } from '../core/errors.ts';
import type { ExamplesFor } from '../core/record/label.ts';
import type { Assertion } from '../core/suite.ts';
import type { Verdict } from '../core/verdict.ts';
import { stepsOf } from '../node/cooperative.ts';
import { canonicalJson } from '../node/hashes.ts';
import { examplesBefore, type UsedExample } from './examples/withExamples.ts';
import { leavesOf } from './groups.ts';
import { type About, inputFor } from './inputs.ts';
import type { NamedQuestion, Questioning } from './questions.ts';
import { concludedVerdict, errorVerdict } from './verdicts.ts';

/** What is still to be asked: a question that decides one assertion, or all plain criteria that share it. */
export interface QuestionInquiry {
  readonly kind: 'question';
  readonly inputs: readonly [AssertionInput, ...AssertionInput[]];
  readonly question: Question<unknown, Outcome[]>;
  /** The same about some of the judged turns. */
  readonly questioning: Questioning<unknown, Outcome[]>;
  /** What stands before the question; absent where the assertion asks for none. */
  readonly examples?: readonly UsedExample[];
}

interface ProcedureInquiry {
  readonly kind: 'procedure';
  readonly inputs: readonly [AssertionInput];
  readonly type: ProcedureType;
}

/** What is asked by itself. */
export type SingleInquiry = QuestionInquiry | ProcedureInquiry;

/** Questions that stand in one request. */
export interface JointInquiry {
  readonly kind: 'together';
  /** At least two. */
  readonly inquiries: readonly [QuestionInquiry, ...QuestionInquiry[]];
  /** Theirs, in their order. */
  readonly questions: readonly NamedQuestion[];
}

export type Inquiry = SingleInquiry | JointInquiry;

/** Whether a judge is asked. */
export function isForJudge(inquiry: Inquiry): boolean {
  return inquiry.kind !== 'procedure' || inquiry.type.asksJudge;
}

/** Criteria that share a request. */
interface Checklist {
  readonly type: ChecklistType;
  readonly inputs: [AssertionInput, ...AssertionInput[]];
}

/**
 * Goes through the assertions, those of groups included.
 *
 * @param settle hears the verdict of each that is decided without asking
 * @returns what must be asked
 */
export async function prepareInquiries(
  assertions: readonly Assertion[],
  about: About,
  settle: (assertion: Assertion, verdict: Verdict) => void,
  signal?: AbortSignal,
): Promise<SingleInquiry[]> {
  const inquiries: SingleInquiry[] = [];
  const checklists = new Map<string, Checklist>();
  const step = stepsOf(signal);
  for (const assertion of assertions.flatMap((one) => leavesOf(one))) {
    await step();
    const input = inputFor(assertion, about);
    if ('status' in input) {
      settle(assertion, input);
      continue;
    }
    try {
      const inquiry = await prepare(input, checklists, about.examples);
      if (inquiry && 'inputs' in inquiry) inquiries.push(inquiry);
      else if (inquiry) settle(assertion, concludedVerdict(assertion, inquiry));
    } catch (error) {
      settle(assertion, errorVerdict(assertion, 'check-failed', errorText(error)));
    }
  }
  return [...inquiries, ...[...checklists.values()].map(checklistInquiry)];
}

/** An outcome at once, what is to be asked, or nothing where it waits for a checklist. */
async function prepare(
  input: AssertionInput,
  checklists: Map<string, Checklist>,
  examplesFor: ExamplesFor | undefined,
): Promise<SingleInquiry | Outcome | undefined> {
  const type = typeOf(input.assertion);
  switch (type.kind) {
    case 'deterministic':
      return type.check(input);
    case 'procedure':
      return { kind: 'procedure', inputs: [input], type };
    case 'checklist': {
      // One that cannot be asked must not drag along those that it would share a request with.
      type.checklist([input]);
      if (input.assertion.examples) {
        const inquiry = checklistInquiry({ type, inputs: [input] });
        return withExamples(inquiry, (one) => type.checklist([one]), examplesFor);
      }
      const key = checklistKey(input);
      const known = checklists.get(key);
      if (known) known.inputs.push(input);
      else checklists.set(key, { type, inputs: [input] });
      return undefined;
    }
    case 'judged': {
      const ask = (turns: readonly Turn[]) => {
        const question = type.question({ ...input, turns });
        return 'kind' in question ? question : single(question);
      };
      const question = ask(input.turns);
      if ('kind' in question) return question;
      const inquiry: QuestionInquiry = {
        kind: 'question',
        inputs: [input],
        question,
        questioning: ask,
      };
      return withExamples(inquiry, (one) => type.question(one), examplesFor);
    }
    case 'group':
      throw new Error('Internal error: a group is decided by the assertions under it.');
    default:
      return unreachable(type);
  }
}

async function withExamples(
  inquiry: QuestionInquiry,
  ask: (input: AssertionInput) => Question<unknown, unknown> | Outcome,
  examplesFor: ExamplesFor | undefined,
): Promise<QuestionInquiry> {
  const examples = await examplesBefore(inquiry, ask, examplesFor);
  if (!examples) return inquiry;
  const { question, questioning } = inquiry;
  return {
    ...inquiry,
    question: examples.before(question),
    questioning: (turns) => {
      const asked = questioning(turns);
      return 'kind' in asked ? asked : examples.before(asked);
    },
    examples: examples.used,
  };
}

function single(question: Question<unknown>): Question<unknown, Outcome[]> {
  return { ...question, conclude: (answer) => [question.conclude(answer)] };
}

/** Criteria share a request where all that decides how they are asked is the same. */
function checklistKey({ assertion, turns }: AssertionInput): string {
  const { type, judge, temperature, samples, granularity, window } = assertion;
  const numbers = turns.map(({ number }) => number);
  return canonicalJson([type, judge, temperature, samples, granularity, window, numbers]) ?? '';
}

function checklistInquiry({ type, inputs }: Checklist): QuestionInquiry {
  return {
    kind: 'question',
    inputs,
    question: type.checklist(inputs),
    questioning: (turns) => type.checklist(inputs.map((input) => ({ ...input, turns }))),
  };
}
