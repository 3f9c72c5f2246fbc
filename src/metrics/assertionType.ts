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
  /** The turns that `at` chose, of the side that the type looks at, in order. */
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
  readonly reason: string;
  readonly rationale: string;
  readonly turns: readonly TurnVerdict[];
}

export type Outcome = Finding | NotApplicable;

/** What is asked of a judge, and how its answer becomes an outcome. */
export interface Question<Answer> {
  /** Short kebab-case name of the answer's schema. */
  readonly name: string;
  /** The last part of the request: the assertion's own instructions. */
  readonly instructions: string;
  readonly answer: z.ZodType<Answer>;
  /** What the schema cannot say: each line is a mistake, put into the repair request. */
  mistakes(answer: Answer): string[];
  /** The formula of the type. */
  conclude(answer: Answer): Outcome;
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

/** One assertion type: a file in this folder and its line in the registry. */
export type AssertionType = DeterministicType | JudgedType;
