import type {
  AssertionInput,
  ChecklistType,
  Outcome,
  ProcedureType,
  Question,
} from '../assertions/contract.ts';
import { temperatureOf } from '../assertions/questionHash.ts';
import { typeOf } from '../assertions/registry.ts';
import type { Turn } from '../core/conversation.ts';
import { addTo } from '../core/data/data.ts';
import { errorText, unreachable } from '../core/errors.ts';
import type { ExamplesFor } from '../core/record/label.ts';
import type { Assertion } from '../core/suite.ts';
import type { Verdict } from '../core/verdict.ts';
import { stepsOf } from '../node/cooperative.ts';
import { canonicalJson } from '../node/hashes.ts';
import type { NamedQuestion } from './ask.ts';
import { examplesForQuestion, type UsedExample } from './examples/examples.ts';
import { inputFor, type JudgedConversation } from './inputs.ts';
import { errorVerdict, leavesOf, verdictOfOutcome } from './verdicts.ts';

/** Makes the question about some of the judged turns; an outcome where nothing needs asking. */
export type QuestionAboutTurns<Answer, Concluded> = (
  turns: readonly Turn[],
) => Question<Answer, Concluded> | Outcome;

/** What is still to be asked: a question that decides one assertion, or all plain criteria that share it. */
export interface QuestionInquiry {
  readonly kind: 'question';
  readonly inputs: readonly [AssertionInput, ...AssertionInput[]];
  readonly question: Question<unknown, Outcome[]>;
  /** The same about some of the judged turns. */
  readonly questionAbout: QuestionAboutTurns<unknown, Outcome[]>;
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
  about: JudgedConversation,
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
      else if (inquiry) settle(assertion, verdictOfOutcome(assertion, inquiry));
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
        return 'kind' in question ? question : withOutcomeList(question);
      };
      const question = ask(input.turns);
      if ('kind' in question) return question;
      const inquiry: QuestionInquiry = {
        kind: 'question',
        inputs: [input],
        question,
        questionAbout: ask,
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
  const examples = await examplesForQuestion(inquiry, ask, examplesFor);
  if (!examples) return inquiry;
  const { question, questionAbout: questioning } = inquiry;
  return {
    ...inquiry,
    question: examples.before(question),
    questionAbout: (turns) => {
      const asked = questioning(turns);
      return 'kind' in asked ? asked : examples.before(asked);
    },
    examples: examples.used,
  };
}

function withOutcomeList(question: Question<unknown>): Question<unknown, Outcome[]> {
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
    questionAbout: (turns) => type.checklist(inputs.map((input) => ({ ...input, turns }))),
  };
}

/** The inquiries, those made one that `together` puts into one request. */
export function joinInquiries(inquiries: readonly SingleInquiry[]): Inquiry[] {
  const groups = new Map<string, QuestionInquiry[]>();
  for (const inquiry of inquiries) {
    if (isJoint(inquiry)) addTo(groups, groupKey(inquiry), inquiry);
  }
  return inquiries.flatMap((inquiry): Inquiry[] => {
    const group = isJoint(inquiry) ? (groups.get(groupKey(inquiry)) ?? []) : [];
    const [first, ...rest] = group;
    if (!first || rest.length === 0) return [inquiry];
    return first === inquiry ? [jointInquiry([first, ...rest])] : [];
  });
}

function isJoint(inquiry: SingleInquiry): inquiry is QuestionInquiry {
  return inquiry.kind === 'question' && inquiry.inputs[0].assertion.together === true;
}

/** One request has one judge, asked in one way. */
function groupKey({ inputs: [{ assertion }] }: QuestionInquiry): string {
  const { judge, samples } = assertion;
  return canonicalJson([judge, temperatureOf(assertion), samples]);
}

function jointInquiry(inquiries: readonly [QuestionInquiry, ...QuestionInquiry[]]): JointInquiry {
  const names = new Set<string>();
  const questions = inquiries.map((inquiry) => {
    const name = uniqueName(nameOf(inquiry), names);
    names.add(name);
    return { name, question: inquiry.question };
  });
  return { kind: 'together', inquiries, questions };
}

/** The assertion's key; criteria that share their question have its name. */
function nameOf({ inputs, question }: QuestionInquiry): string {
  return inputs.length === 1 ? inputs[0].assertion.key : question.name;
}

/** Models take keys of their tools' input of up to 64 characters: letters, digits, `_`, `.` and `-`. */
const MAX_NAME_LENGTH = 56;

function uniqueName(wanted: string, taken: ReadonlySet<string>): string {
  const words = wanted.replace(/[^A-Za-z0-9_.-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  const plain = words.slice(0, MAX_NAME_LENGTH) || 'question';
  let name = plain;
  for (let count = 2; taken.has(name); count += 1) name = `${plain}-${count}`;
  return name;
}
