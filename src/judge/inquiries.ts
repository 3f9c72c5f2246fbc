import type { AssertionInput, Outcome, ProcedureType, Question } from '../assertions/contract.ts';
import { findAssertionType } from '../assertions/registry.ts';
import type { Turn } from '../core/conversation.ts';
import { canonicalJson } from '../core/digest.ts';
import type { Assertion } from '../core/suite.ts';
import type { Verdict } from '../core/verdict.ts';
import { leavesOf } from './groups.ts';
import { type About, inputFor } from './inputs.ts';
import type { Questioning } from './inquirer.ts';
import { concludedVerdict, errorVerdict } from './verdicts.ts';

/** What is still to be asked: a question that decides one assertion, or all plain criteria that share it. */
export interface QuestionInquiry {
  readonly kind: 'question';
  readonly inputs: readonly [AssertionInput, ...AssertionInput[]];
  readonly question: Question<unknown, Outcome[]>;
  /** The same about some of the judged turns. */
  readonly questioning: Questioning<unknown, Outcome[]>;
}

export interface ProcedureInquiry {
  readonly kind: 'procedure';
  readonly inputs: readonly [AssertionInput];
  readonly type: ProcedureType;
}

export type Inquiry = QuestionInquiry | ProcedureInquiry;

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
): Promise<Inquiry[]> {
  const inquiries: Inquiry[] = [];
  const checklists = new Map<string, AssertionInput[]>();
  for (const assertion of assertions.flatMap((one) => leavesOf(one, isGroup))) {
    signal?.throwIfAborted();
    const input = inputOf(assertion, about);
    if ('status' in input) {
      settle(assertion, input);
      continue;
    }
    try {
      const inquiry = await prepare(input, checklists);
      if (inquiry && 'inputs' in inquiry) inquiries.push(inquiry);
      else if (inquiry) settle(assertion, concludedVerdict(assertion, inquiry));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      settle(assertion, errorVerdict(assertion, 'check-failed', message));
    }
  }
  for (const [first, ...rest] of checklists.values()) {
    if (first) inquiries.push(checklistInquiry([first, ...rest]));
  }
  return inquiries;
}

export function isGroup({ type }: Assertion): boolean {
  const found = findAssertionType(type);
  return found !== undefined && 'group' in found;
}

function inputOf(assertion: Assertion, about: About): AssertionInput | Verdict {
  const type = findAssertionType(assertion.type);
  if (type) return inputFor(type, assertion, about);
  const message = `There is no assertion type "${assertion.type}".`;
  return errorVerdict(assertion, 'unknown-type', message);
}

/** An outcome at once, what is to be asked, or nothing where it waits for a checklist. */
async function prepare(
  input: AssertionInput,
  checklists: Map<string, AssertionInput[]>,
): Promise<Inquiry | Outcome | undefined> {
  const type = findAssertionType(input.assertion.type);
  if (!type || 'group' in type) return undefined;
  if ('check' in type) return type.check(input);
  if ('run' in type) return { kind: 'procedure', inputs: [input], type };
  if ('checklist' in type) {
    // One that cannot be asked must not drag along those that it would share a request with.
    type.checklist([input]);
    const key = checklistKey(input);
    checklists.set(key, [...(checklists.get(key) ?? []), input]);
    return undefined;
  }
  const ask = (turns: readonly Turn[]) => {
    const question = type.question({ ...input, turns });
    return 'kind' in question ? question : single(question);
  };
  const question = ask(input.turns);
  if ('kind' in question) return question;
  return { kind: 'question', inputs: [input], question, questioning: ask };
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

function checklistInquiry(inputs: QuestionInquiry['inputs']): QuestionInquiry {
  const type = findAssertionType(inputs[0].assertion.type);
  if (!type || !('checklist' in type)) throw new Error('Only checklists share a request.');
  return {
    kind: 'question',
    inputs,
    question: type.checklist(inputs),
    questioning: (turns) => type.checklist(inputs.map((input) => ({ ...input, turns }))),
  };
}
