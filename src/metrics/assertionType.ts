import type * as z from 'zod';
import type { Conversation, Turn } from '../core/conversation.ts';
import type { Assertion, SuiteCase } from '../core/suite.ts';
import type { TurnVerdict } from '../core/verdict.ts';

/** The parts of a case that an assertion may look at. */
export type CaseFacts = Pick<
  SuiteCase,
  'id' | 'role' | 'topics' | 'tools' | 'expectations' | 'context'
>;

/** What an assertion is given. Deep-frozen: one assertion never sees another's changes. */
export interface AssertionInput {
  readonly conversation: Conversation;
  /** The turns that `at` chose, of the side that the type looks at, in order; at least one. */
  readonly turns: readonly Turn[];
  readonly assertion: Assertion;
  readonly facts: CaseFacts;
}

/** What an assertion found; pass or fail is computed from `score` and the threshold afterwards. */
export interface Finding {
  readonly kind: 'scored';
  /** 0..1. */
  readonly score: number;
  readonly label?: string;
  readonly value?: string | number;
  readonly rationale: string;
  readonly turns: readonly TurnVerdict[];
  readonly hits: readonly string[];
  readonly misses: readonly string[];
  readonly details: Readonly<Record<string, unknown>>;
}

/** Nothing to judge: no fact, no intention, no turn. */
export interface NotApplicable {
  readonly kind: 'skipped';
  /** Stable kebab-case name. */
  readonly reason: string;
  readonly rationale: string;
  readonly turns: readonly TurnVerdict[];
}

export type Outcome = Finding | NotApplicable;

/** Something wrong with a judge's answer that its schema cannot say. */
export interface Mistake {
  readonly reason: 'turns-mismatch' | 'out-of-range' | 'contradiction' | 'incomplete-list';
  /** A sentence for the repair request. */
  readonly text: string;
}

/** What is asked of a judge, and how its answer becomes outcomes. */
export interface Question<Answer, Concluded = Outcome> {
  /** Name of the answer's schema: letters, digits, `_` and `-`. */
  readonly name: string;
  /** The last part of the request: the assertion's own instructions. */
  readonly instructions: string;
  readonly answer: z.ZodType<Answer>;
  mistakes(answer: Answer): Mistake[];
  /** The formula of the type. Only called with an answer without mistakes. */
  conclude(answer: Answer): Concluded;
}

interface Common {
  /** The value of `type`. */
  readonly type: string;
  /** One line for completion. */
  readonly summary: string;
  /** Markdown for hover: what it asks, the formula, an example. */
  readonly docs: string;
  /** The type's own keys; the common keys are added by `evalfile`. */
  readonly params: z.ZodObject;
  /** 0..1. */
  readonly defaultThreshold: number;
  /** Which turns it looks at. */
  readonly side: 'user' | 'assistant' | 'both';
  /** What is missing from the case, as a sentence with what to do; undefined where all is there. */
  needs?(facts: CaseFacts, hasSystemText: boolean | undefined): string | undefined;
  /** What is wrong with parameters that fit `params` one by one: the key and a sentence. */
  fault?(
    params: Readonly<Record<string, unknown>>,
  ): { readonly key: string; readonly message: string } | undefined;
}

export interface DeterministicType extends Common {
  readonly judged: false;
  check(input: AssertionInput): Outcome;
}

export interface JudgedType extends Common {
  readonly judged: true;
  /** The question to ask; an outcome at once where nothing needs asking. */
  question(input: AssertionInput): Question<unknown> | Outcome;
}

/** A judged type of which the assertions of a case share one request. */
export interface ChecklistType extends Common {
  readonly judged: true;
  /** One question about all of them, over the same turns; concludes in their order. */
  checklist(inputs: readonly AssertionInput[]): Question<unknown, Outcome[]>;
}

/** One assertion type: a file in this folder and its line in the registry. */
export type AssertionType = DeterministicType | JudgedType | ChecklistType;
