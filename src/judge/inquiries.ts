import type {
  AssertionInput,
  ChecklistType,
  DeterministicType,
  Outcome,
  ProcedureType,
  Question,
} from '../assertions/contract.ts';
import { temperatureOf } from '../assertions/questionHash.ts';
import { typeOf } from '../assertions/registry.ts';
import { type Turn, textOf } from '../core/conversation.ts';
import { addTo } from '../core/data/data.ts';
import { errorText, ReasonedError, unreachable } from '../core/errors.ts';
import { LIMITS, readable } from '../core/limits.ts';
import type { ExamplesFor } from '../core/record/label.ts';
import { blankSecrets, hidesSecret, type Scrubber } from '../core/scrubber.ts';
import type { Assertion } from '../core/suite.ts';
import type { Verdict } from '../core/verdict.ts';
import { stepsOf } from '../node/cooperative.ts';
import { canonicalJson } from '../node/hashes.ts';
import type { NamedQuestion } from './ask.ts';
import { examplesForQuestion, type UsedExample } from './examples/examples.ts';
import { inputFor, type JudgedConversation } from './inputs.ts';
import { errorVerdict, leavesOf, verdictOfOutcome } from './verdicts.ts';

/** Creates the question about some of the judged turns, or the outcome if there is nothing to ask. */
export type QuestionAboutTurns<Answer, Concluded> = (
  turns: readonly Turn[],
) => Question<Answer, Concluded> | Outcome;

/** A question that decides one assertion, or all criteria that share the question. */
export interface QuestionInquiry {
  readonly kind: 'question';
  readonly inputs: readonly [AssertionInput, ...AssertionInput[]];
  readonly question: Question<unknown, Outcome[]>;
  readonly questionAbout: QuestionAboutTurns<unknown, Outcome[]>;
  /** The examples before the question; absent if the assertion has none. */
  readonly examples?: readonly UsedExample[];
}

interface ProcedureInquiry {
  readonly kind: 'procedure';
  readonly inputs: readonly [AssertionInput];
  readonly type: ProcedureType;
}

export type SingleInquiry = QuestionInquiry | ProcedureInquiry;

export interface JointInquiry {
  readonly kind: 'together';
  readonly inquiries: readonly [QuestionInquiry, ...QuestionInquiry[]];
  /** One question per inquiry, in the same order. */
  readonly questions: readonly NamedQuestion[];
}

export type Inquiry = SingleInquiry | JointInquiry;

export function isForJudge(inquiry: Inquiry): boolean {
  return inquiry.kind !== 'procedure' || inquiry.type.asksJudge;
}

/** Criteria that share a request. */
interface Checklist {
  readonly type: ChecklistType;
  readonly inputs: [AssertionInput, ...AssertionInput[]];
}

/**
 * Collects the inquiries of assertions, including those in groups.
 *
 * @param settle called with each verdict that needs no inquiry
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
  let characters = 0;
  for (const assertion of assertions.flatMap((one) => leavesOf(one))) {
    await step();
    const input = inputFor(assertion, about);
    if ('status' in input) {
      settle(assertion, input);
      continue;
    }
    try {
      const isQuestion = typeOf(assertion).kind === 'judged';
      if (isQuestion && characters > LIMITS.filledCase) throw new Error(TOO_MANY);
      const inquiry = await prepare(input, checklists, about);
      if (inquiry?.kind === 'question') characters += inquiry.question.instructions.length;
      if (inquiry && 'inputs' in inquiry) inquiries.push(inquiry);
      else if (inquiry) settle(assertion, verdictOfOutcome(assertion, inquiry));
    } catch (error) {
      const reason = error instanceof HiddenSecretError ? error.reason : 'check-failed';
      settle(assertion, errorVerdict(assertion, reason, errorText(error)));
    }
  }
  return [...inquiries, ...[...checklists.values()].map(checklistInquiry)];
}

const TOO_MANY = `The judge questions of this case have more than ${readable(LIMITS.filledCase)} characters in total. Shorten the prompts, or the values of their variables.`;

/** An outcome, an inquiry, or undefined if the assertion was added to a checklist. */
async function prepare(
  input: AssertionInput,
  checklists: Map<string, Checklist>,
  about: JudgedConversation,
): Promise<SingleInquiry | Outcome | undefined> {
  const type = typeOf(input.assertion);
  switch (type.kind) {
    case 'deterministic':
      return checkUnscrubbed(type, input, about);
    case 'procedure':
      return { kind: 'procedure', inputs: [input], type };
    case 'checklist': {
      // Throws for a question that can't be asked, so that it doesn't affect the others in its request.
      type.checklist([input]);
      if (input.assertion.examples) {
        const inquiry = checklistInquiry({ type, inputs: [input] });
        return withExamples(inquiry, (one) => type.checklist([one]), about.examples);
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
        if ('kind' in question) return question;
        return { ...question, conclude: (answer: unknown) => [question.conclude(answer)] };
      };
      const question = ask(input.turns);
      if ('kind' in question) return question;
      const inquiry = { kind: 'question', inputs: [input], question, questionAbout: ask } as const;
      return withExamples(inquiry, (one) => type.question(one), about.examples);
    }
    case 'group':
      throw new Error('Internal error: a group is decided by the assertions under it.');
    default:
      return unreachable(type);
  }
}

/**
 * Checks the conversation including its secrets, because a check may be about them. The outcome doesn't contain any.
 */
async function checkUnscrubbed(
  type: DeterministicType,
  input: AssertionInput,
  about: JudgedConversation,
): Promise<Outcome> {
  const { scrubber, unscrubbed = about.conversation } = about;
  const conversation = scrubber?.restore(unscrubbed, input.assertion.params) ?? unscrubbed;
  const check = about.isStored ? checkStored : checkAll;
  if (!scrubber || conversation === about.conversation) return check(type, input);
  const exact = inputFor(input.assertion, { ...about, conversation });
  if ('status' in exact) return check(type, input);
  try {
    const scrub = (text: string) => scrubber.text(text);
    return scrubber.data(await check(type, { ...exact, scrub }));
  } catch (error) {
    if (error instanceof HiddenSecretError) throw error;
    throw new Error(scrubber.text(errorText(error)));
  }
}

type Check = (type: DeterministicType, input: AssertionInput) => Promise<Outcome>;

const checkAll: Check = async (type, input) => type.check(input);

/** @throws HiddenSecretError if the outcome could depend on a secret that the conversation no longer contains */
const checkStored: Check = async (type, input) => {
  const { turns, assertion } = input;
  const { decidedBy = textOf, findsInPart = false } = type;
  const isComplete = turns.every((turn) => !hidesSecret(decidedBy(turn, assertion.params)));
  if (isComplete) return type.check(input);
  if (findsInPart) {
    const outcome = await type.check({ ...input, turns: blankSecrets(turns) });
    const scoreIfFound = assertion.negate ? 0 : 1;
    if (outcome.kind === 'scored' && outcome.score === scoreIfFound) return outcome;
  }
  throw new HiddenSecretError();
};

class HiddenSecretError extends ReasonedError<'secret-hidden'> {
  constructor() {
    super('secret-hidden', HIDDEN_SECRET);
  }
}

const HIDDEN_SECRET =
  'A secret in these turns is hidden, because the conversation comes from a record or recording. The result could depend on the secret. Run the case again.';

async function withExamples(
  inquiry: QuestionInquiry,
  ask: (input: AssertionInput) => Question<unknown, unknown> | Outcome,
  examplesFor: ExamplesFor | undefined,
): Promise<QuestionInquiry> {
  const { inputs, question } = inquiry;
  const examples = await examplesForQuestion(inputs[0], question, ask, examplesFor);
  if (!examples) return inquiry;
  return {
    ...inquiry,
    question: examples.before(question),
    questionAbout: (turns) => {
      const asked = inquiry.questionAbout(turns);
      return 'kind' in asked ? asked : examples.before(asked);
    },
    examples: examples.used,
  };
}

/** The key for grouping criteria: criteria with the same key share a request. */
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

/** Combines the inquiries that `together` allows to share a request. @param scrubber hides secrets in their names */
export function joinInquiries(inquiries: readonly SingleInquiry[], scrubber?: Scrubber): Inquiry[] {
  const groups = new Map<string, QuestionInquiry[]>();
  for (const inquiry of inquiries) {
    if (isJoint(inquiry)) addTo(groups, groupKey(inquiry), inquiry);
  }
  return inquiries.flatMap((inquiry): Inquiry[] => {
    const group = isJoint(inquiry) ? (groups.get(groupKey(inquiry)) ?? []) : [];
    const [first, ...rest] = group;
    if (!first || rest.length === 0) return [inquiry];
    return first === inquiry ? [jointInquiry([first, ...rest], scrubber)] : [];
  });
}

function isJoint(inquiry: SingleInquiry): inquiry is QuestionInquiry {
  return inquiry.kind === 'question' && inquiry.inputs[0].assertion.together === true;
}

/** The key for grouping inquiries: a request has one judge with one set of options. */
function groupKey({ inputs: [{ assertion }] }: QuestionInquiry): string {
  const { judge, samples } = assertion;
  return canonicalJson([judge, temperatureOf(assertion), samples]);
}

function jointInquiry(
  inquiries: readonly [QuestionInquiry, ...QuestionInquiry[]],
  scrubber: Scrubber | undefined,
): JointInquiry {
  const names = new Set<string>();
  const questions = inquiries.map(({ inputs, question }) => {
    // A checklist's question belongs to several assertions.
    const wanted = inputs.length === 1 ? inputs[0].assertion.key : question.name;
    const name = uniqueName(scrubber?.text(wanted) ?? wanted, names);
    names.add(name);
    return { name, question };
  });
  return { kind: 'together', inquiries, questions };
}

/**
 * Maximum length of a question's name. Models accept keys of up to 64 characters: letters, digits, `_`, `.`, and `-`.
 */
const MAX_NAME_LENGTH = 56;

function uniqueName(wanted: string, taken: ReadonlySet<string>): string {
  const words = wanted.replace(/[^A-Za-z0-9_.-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  const plain = words.slice(0, MAX_NAME_LENGTH) || 'question';
  let name = plain;
  for (let count = 2; taken.has(name); count += 1) name = `${plain}-${count}`;
  return name;
}
