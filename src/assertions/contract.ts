import * as z from 'zod';
import type { Conversation, Report, Reporting, Turn } from '../core/conversation.ts';
import { type Mapping, memoize } from '../core/data/data.ts';
import { unreachable } from '../core/errors.ts';
import type { Scale } from '../core/scoring.ts';
import type { Assertion, SuiteCase } from '../core/suite.ts';
import type { UserCode } from '../core/userCode.ts';
import type { ScoredVerdict, TurnVerdict, Usage, Verdict } from '../core/verdict.ts';

/** The parts of a case that an assertion may look at. */
export type CaseFacts = Pick<
  SuiteCase,
  'id' | 'role' | 'topics' | 'tools' | 'expectations' | 'context'
> & {
  /** Of the conversation that is judged; absent before it is held, and in records that lack it. */
  readonly conversationId?: string | undefined;
};

/** What an assertion is given. Deep-frozen: one assertion never sees another's changes. */
export interface AssertionInput {
  readonly conversation: Conversation;
  /** The turns that `at` chose, of the side that the type looks at, in order; at least one. */
  readonly turns: readonly Turn[];
  readonly assertion: Assertion;
  readonly facts: CaseFacts;
  /** What the target used for its replies; absent if it reported nothing. */
  readonly targetUsage?: Usage;
}

/** What an assertion found; pass or fail is computed from `score` and the threshold afterwards. */
export interface Finding {
  readonly kind: 'scored';
  /** 0..1. */
  readonly score: number;
  readonly label?: string;
  readonly value?: string | number;
  /** The scale of `value`, lowest and highest, where it is not 0..1. */
  readonly scale?: Scale;
  readonly rationale: string;
  readonly turns: readonly TurnVerdict[];
  readonly hits: readonly string[];
  readonly misses: readonly string[];
  readonly details: Readonly<Record<string, unknown>>;
  /** Of the assertions that this one came to. */
  readonly nested?: readonly Verdict[];
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

/** What is asked of a judge and how its answer is checked. */
export interface Asked<Answer> {
  /** Name of the answer's schema: letters, digits, `_` and `-`. */
  readonly name: string;
  /** The last part of the request: the assertion's own instructions. */
  readonly instructions: string;
  /**
   * The turns to judge; the request ends with their numbers. That `turns` of the answer has exactly
   * one entry for each is checked for all questions.
   */
  readonly turns?: readonly Turn[];
  readonly answer: z.ZodType<Answer>;
  mistakes?(answer: Answer): Mistake[];
}

/** How answers about consecutive parts of a conversation become one. */
export interface Parts<Answer> {
  /** Asked at the end over the findings about the parts; absent if entries are all there is. */
  readonly whole?: z.ZodType;
  join(parts: readonly Answer[], whole: unknown): Answer;
}

/** What can be asked about parts of a conversation. */
export interface Divisible<Answer> extends Asked<Answer> {
  readonly parts: Parts<Answer>;
}

/** A question whose one answer decides. */
export interface Question<Answer, Concluded = Outcome> extends Divisible<Answer> {
  /** Its words for the whole conversation and their scores; absent where it has none. */
  readonly outcomes?: Readonly<Record<string, number>>;
  /** The formula of the type. Only called with an answer without mistakes. */
  conclude(answer: Answer): Concluded;
}

/** One token of an answer, with its alternatives. */
export interface ScoredToken {
  readonly text: string;
  /** The likeliest tokens at this place with their natural log-probabilities, itself included. */
  readonly top: readonly { readonly text: string; readonly logprob: number }[];
}

export interface Answered<Answer> {
  readonly answer: Answer;
  /** The answer as it was written. */
  readonly text: string;
  /** Present where they were asked for and the endpoint returned them. */
  readonly tokens?: readonly ScoredToken[];
}

/** What a procedure may use. Everything it uses is counted and can be cancelled. */
export interface Toolbox {
  /**
   * Asks about the conversation, in parts where it does not fit into the judge's window.
   *
   * @param about the question about some of the turns
   */
  ask<Answer>(
    turns: readonly Turn[],
    about: (turns: readonly Turn[]) => Divisible<Answer>,
    options?: { readonly logprobs?: boolean },
  ): Promise<Answered<Answer>>;
  /** Asks without the conversation; the same question to the same model is asked once in a run. */
  askOnce<Answer>(asked: Asked<Answer>): Promise<Answer>;
  /** Checks another assertion over the same conversation. */
  verdict(assertion: Assertion): Promise<Verdict>;
  /** One vector for each text, of the assertion's `model`. */
  embed(texts: readonly string[]): Promise<readonly (readonly number[])[]>;
  /** Calls code of the user's in a process of its own. */
  script(code: UserCode, input: unknown): Promise<unknown>;
}

/** The keys of an assertion that are wrong together, or in a way that no schema can say. */
export interface Fault {
  /** From the assertion's mapping. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** What is known of a conversation; a field is absent if it is not known before the run. */
export interface Known {
  readonly hasSystemText?: boolean;
  readonly hasRetrievedContext?: boolean;
  /** Some tool call has a result. */
  readonly hasToolResults?: boolean;
  readonly hasToolCalls?: boolean;
  /** Some turn says what a good reply holds. */
  readonly hasExpected?: boolean;
  readonly reporting?: Reporting;
}

interface Nesting {
  /** The type's own keys, given the schema of an assertion. */
  params(assertion: z.ZodType): z.ZodObject;
  /** Where assertions stand in the keys of this one. */
  places(params: Readonly<Record<string, unknown>>): readonly (readonly (string | number)[])[];
}

/** What hover and the manual say of a type, in Markdown. Texts of several lines may be indented. */
export interface TypeDocs {
  /** What is looked at and how. */
  readonly asks: string;
  /** The formula, to be read after "Score: ". */
  readonly score: string;
  /** With numbers, to be read after "Example: ". */
  readonly example: string;
  /** To be read after "Skipped ": `if the user asks nothing.` */
  readonly skipped?: string;
  /** Every case in which the score differs from that of what the type is `like`, as a list in Markdown. */
  readonly differences?: string;
  /** What else there is to know. */
  readonly more?: string;
  /** A list of assertions, or keys of an eval file. */
  readonly yaml: string;
  /** A file that the YAML names, in TypeScript. */
  readonly program?: string;
}

interface Common {
  /** The value of `type`. */
  readonly type: string;
  /** One line for completion. */
  readonly summary: string;
  readonly docs: TypeDocs;
  /** Whose metric asks about the same, as the field calls it: `DeepEval, MLflow`. */
  readonly like?: string;
  /** The type's own keys; the common keys are added by `evalfile`. */
  readonly params: z.ZodObject;
  /** 0..1. */
  readonly defaultThreshold: number;
  /** The scale of the type's values, where it is not 0..1; a threshold may be written in it. `own`: each assertion has its own. */
  readonly scale?: Scale | 'own';
  /** For a type whose keys hold further assertions. */
  readonly nesting?: Nesting;
  /** Which turns it looks at. */
  readonly side: 'user' | 'assistant' | 'both';
  /** It reads the whole `context` of the case, whatever its texts name of it. */
  readonly readsContext?: true;
  /** It is handed all facts of the case, beside its question or without one. */
  readonly readsFacts?: true;
  /**
   * Its `prompt` is the path of a judge prompt, or its `instructions` are one. Their `{{variables}}`
   * are a judge prompt's; those in all other texts are the case's.
   */
  readonly takesPrompt?: true;
  /** What the same would be as a judge prompt: the key that holds its words, and the prompt for them. */
  readonly asPrompt?: { readonly key: string; body(words: string): string };
  /** What an assertion without a `name` is called; its type by default. */
  label?(params: Readonly<Record<string, unknown>>): string | undefined;
  /** What it rests on besides what is said: unless the target reports one of these, it is an error. */
  sees?(facts: CaseFacts): readonly Report[];
  /** What is missing from the case, as a sentence with what to do; undefined if all is there. */
  needs?(facts: CaseFacts, known: Known): string | undefined;
  /** Why it will be skipped, if known before the run. */
  idle?(facts: CaseFacts, known: Known): string | undefined;
  /** What is wrong with parameters that fit `params` one by one. */
  faults?(params: Readonly<Record<string, unknown>>): readonly Fault[];
}

export interface DeterministicType extends Common {
  readonly kind: 'deterministic';
  /** @throws Error where it could not be checked; its message becomes the verdict's. */
  check(input: AssertionInput): Outcome | Promise<Outcome>;
}

export interface JudgedType extends Common {
  readonly kind: 'judged';
  /** The question to ask; an outcome at once where nothing needs asking. */
  question(input: AssertionInput): Question<unknown> | Outcome;
}

/** A judged type of which the assertions of a case share one request. */
export interface ChecklistType extends Common {
  readonly kind: 'checklist';
  /** One question about all of them, over the same turns; concludes in their order. */
  checklist(inputs: readonly AssertionInput[]): Question<unknown, Outcome[]>;
}

/** A type that asks more than one thing, or something else than a judge. */
export interface ProcedureType extends Common {
  readonly kind: 'procedure';
  /** Whether it asks a judge. */
  readonly asksJudge: boolean;
  run(input: AssertionInput, toolbox: Toolbox): Promise<Outcome>;
  /** All that it may ask a judge, the longest way taken; for the plan of a run. */
  plan(input: AssertionInput): readonly Planned[];
}

export type Planned =
  /** Asked about the conversation. @param about as of `Toolbox.ask` */
  | { readonly kind: 'asked'; about(turns: readonly Turn[]): Divisible<unknown> }
  /** Asked once in a run, without the conversation. */
  | { readonly kind: 'once'; readonly asked: Asked<unknown> }
  /** Another assertion over the same conversation. */
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  /** Texts of which the assertion's `model` makes vectors. */
  | { readonly kind: 'embedding'; readonly texts: readonly string[] };

/** A type that is decided by the verdicts of the assertions under its `assert`. */
export interface GroupType extends Common {
  readonly kind: 'group';
  /** @param verdicts at least one */
  score(verdicts: readonly ScoredVerdict[]): number;
}

/** One assertion type: a file in `types` and its line in the registry. */
export type AssertionType =
  | DeterministicType
  | JudgedType
  | ChecklistType
  | ProcedureType
  | GroupType;

/** Whether it asks one question that is known beforehand, and so can stand beside others. */
export function asksOneQuestion({ kind }: AssertionType): boolean {
  return kind === 'judged' || kind === 'checklist';
}

/** Whether a judge is asked, which also says what keys an assertion takes: `judge`, `samples` … */
export function asksJudge(type: AssertionType): boolean {
  switch (type.kind) {
    case 'judged':
    case 'checklist':
      return true;
    case 'procedure':
      return type.asksJudge;
    case 'deterministic':
    case 'group':
      return false;
    default:
      return unreachable(type);
  }
}

/** The strict JSON Schema of an answer, without ranges: our own code checks them. */
export const answerSchema = memoize((answer: z.ZodType): Mapping => {
  const { $schema: _, ...schema } = z.toJSONSchema(answer, { target: 'draft-7' });
  return schema;
});
