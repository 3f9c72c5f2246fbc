import * as z from 'zod';
import type { Conversation, Report, Reporting, Turn } from '../core/conversation.ts';
import { type Mapping, memoize } from '../core/data/data.ts';
import type { Scale } from '../core/scoring.ts';
import type { Assertion, SuiteCase } from '../core/suite.ts';
import type { UserCode } from '../core/userCode.ts';
import type { ScoredVerdict, TurnVerdict, Usage, Verdict } from '../core/verdict.ts';

/** The parts of a case that an assertion can use. */
export type CaseFacts = Pick<
  SuiteCase,
  'id' | 'role' | 'topics' | 'tools' | 'expectations' | 'context'
> & {
  /** Absent before the conversation, and in records that lack it. */
  readonly conversationId?: string | undefined;
};

/** Deep-frozen, so that no assertion sees another's changes. */
export interface AssertionInput {
  readonly conversation: Conversation;
  /** The turns that `at` selects, on the type's side, in order; at least one. */
  readonly turns: readonly Turn[];
  readonly assertion: Assertion;
  readonly facts: CaseFacts;
  /** The target's usage; absent if it reported none. */
  readonly targetUsage?: Usage;
  /** Hides secrets in a quote before it is cut; absent if the conversation has none. */
  readonly scrub?: (text: string) => string;
}

/** The result of an assertion. Its status follows from `score` and the threshold. */
export interface Finding {
  readonly kind: 'scored';
  /** 0..1. */
  readonly score: number;
  readonly label?: string;
  readonly value?: string | number;
  /** Lowest and highest `value`, if not 0..1. */
  readonly scale?: Scale;
  readonly rationale: string;
  readonly turns: readonly TurnVerdict[];
  readonly hits: readonly string[];
  readonly misses: readonly string[];
  readonly details: Readonly<Record<string, unknown>>;
  /** Verdicts of the assertions that decided this one. */
  readonly nested?: readonly Verdict[];
}

/** There is nothing to judge: no facts, intentions, or turns. */
export interface NotApplicable {
  readonly kind: 'skipped';
  /** Stable kebab-case name. */
  readonly reason: string;
  readonly rationale: string;
  readonly turns: readonly TurnVerdict[];
}

export type Outcome = Finding | NotApplicable;

/** A mistake in a judge's answer that a schema can't catch. */
export interface Mistake {
  readonly reason: 'turns-mismatch' | 'out-of-range' | 'contradiction' | 'incomplete-list';
  /** A sentence for the repair request. */
  readonly text: string;
}

/** A request to a judge, and the checks on its answer. */
export interface JudgeRequest<Answer> {
  /** Name of the answer's schema: letters, digits, `_` and `-`. */
  readonly name: string;
  /** The last part of the request. */
  readonly instructions: string;
  /**
   * The turns to judge; the request ends with their numbers. The answer's `turns` must always have exactly one entry
   * per turn.
   */
  readonly turns?: readonly Turn[];
  readonly answer: z.ZodType<Answer>;
  mistakes?(answer: Answer): Mistake[];
}

/** How to join answers about consecutive parts of a conversation. */
export interface Parts<Answer> {
  /** The answer about the whole, requested after the parts; absent if there are only entries. */
  readonly whole?: z.ZodType;
  join(parts: readonly Answer[], whole: unknown): Answer;
}

/** A request that can be split into parts of a conversation. */
export interface Divisible<Answer> extends JudgeRequest<Answer> {
  readonly parts: Parts<Answer>;
}

/** A question whose answer alone decides the outcome. */
export interface Question<Answer, Concluded = Outcome> extends Divisible<Answer> {
  /** Labels for the whole conversation with their scores, if there are any. */
  readonly outcomes?: Readonly<Record<string, number>>;
  /** The type's formula. Called only with answers that have no mistakes. */
  conclude(answer: Answer): Concluded;
}

/** One token of an answer, with its alternatives. */
export interface ScoredToken {
  readonly text: string;
  /** The likeliest tokens at this position, including this one, with their natural log-probabilities. */
  readonly top: readonly { readonly text: string; readonly logprob: number }[];
}

export interface Answered<Answer> {
  readonly answer: Answer;
  /** The answer as the judge wrote it. */
  readonly text: string;
  /** Present if they were requested and the endpoint returned them. */
  readonly tokens?: readonly ScoredToken[];
}

/** The requests that a procedure can make. They are all counted and can be cancelled. */
export interface Toolbox {
  /**
   * Asks about the conversation, in parts if it doesn't fit into the judge's window.
   *
   * @param about the question about some of the turns
   */
  ask<Answer>(
    turns: readonly Turn[],
    about: (turns: readonly Turn[]) => Divisible<Answer>,
    options?: { readonly logprobs?: boolean },
  ): Promise<Answered<Answer>>;
  /** Asks a question without the conversation. Each run sends the same question to a model only once. */
  askOnce<Answer>(asked: JudgeRequest<Answer>): Promise<Answer>;
  /** Checks another assertion on the same conversation. */
  verdict(assertion: Assertion): Promise<Verdict>;
  /** One vector per text, from the assertion's `model`. */
  embed(texts: readonly string[]): Promise<readonly (readonly number[])[]>;
  /** Calls the user's code in its own process. */
  script(code: UserCode, input: unknown): Promise<unknown>;
}

/** A problem with an assertion's keys that a schema can't catch. */
export interface Fault {
  /** Relative to the assertion. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Facts about a conversation; a field is absent if it isn't known before the run. */
export interface ConversationTraits {
  readonly hasSystemText?: boolean;
  readonly hasRetrievedContext?: boolean;
  readonly hasToolResults?: boolean;
  readonly hasToolCalls?: boolean;
  /** Whether any turn has `expected`. */
  readonly hasExpected?: boolean;
  readonly reporting?: Reporting;
}

interface Nesting {
  /** The type's own keys, given the schema of an assertion. */
  params(assertion: z.ZodType): z.ZodObject;
  /** Paths of the nested assertions within this one's keys. */
  places(params: Readonly<Record<string, unknown>>): readonly (readonly (string | number)[])[];
}

/** The text for hovers and docs, in Markdown. Multi-line text can be indented. */
export interface TypeDocs {
  /** What it checks, and how. */
  readonly asks: string;
  /** The formula; follows "Score: ". */
  readonly score: string;
  /** With numbers; follows "Example: ". */
  readonly example: string;
  /** Follows "Skipped ", such as `if the user asks nothing.` */
  readonly skipped?: string;
  /** Every difference in score from the metrics it is `like`, as a Markdown list. */
  readonly differences?: string;
  readonly more?: string;
  /** A list of assertions, or part of an eval file. */
  readonly yaml: string;
  /** A TypeScript file that the YAML names. */
  readonly program?: string;
}

export interface TypeInfo {
  /** The value of `type`. */
  readonly type: string;
  /** One line for completion. */
  readonly summary: string;
  readonly docs: TypeDocs;
}

interface Common extends TypeInfo {
  /** Tools with an equivalent metric: `DeepEval, MLflow`. */
  readonly like?: string;
  /** The type's own keys; the common keys are added by `evalfile`. */
  readonly params: z.ZodObject;
  /** 0..1. */
  readonly defaultThreshold: number;
  /** The scale of its values and thresholds, if not 0..1. `own`: each assertion sets its own. */
  readonly scale?: Scale | 'own';
  /** For a type whose keys contain assertions. */
  readonly nesting?: Nesting;
  readonly side: 'user' | 'assistant' | 'both';
  /** Set if it reads the whole `context` of the case, not only the keys that its text names. */
  readonly readsContext?: true;
  /** Set if it gets all facts of the case in addition to any question. */
  readonly readsFacts?: true;
  /** Set if its `prompt` is the path of a judge prompt, or its `instructions` are one. Only these use the variables of judge prompts. */
  readonly takesPrompt?: true;
  /** How to turn it into a judge prompt: the key that holds its wording, and the prompt made from it. */
  readonly asPrompt?: { readonly key: string; body(words: string): string };
  /** The name of an assertion without a `name`. Default: its type. */
  label?(params: Readonly<Record<string, unknown>>): string | undefined;
  /** What the target must report besides messages: at least one of these, or it is an error. */
  sees?(facts: CaseFacts): readonly Report[];
  /** A sentence that says what is missing from the case and what to do; undefined if nothing is missing. */
  needs?(facts: CaseFacts, known: ConversationTraits): string | undefined;
  /** Why it will be skipped, if known before the run. */
  idle?(facts: CaseFacts, known: ConversationTraits): string | undefined;
  /** Problems with combinations of keys that are valid individually. */
  faults?(params: Readonly<Record<string, unknown>>): readonly Fault[];
}

export interface DeterministicType extends Common {
  readonly kind: 'deterministic';
  /** The part of a turn that decides the result. Default: its text. */
  decidedBy?(turn: Turn, params: Readonly<Record<string, unknown>>): unknown;
  /** Whether a match in part of a turn's text counts, whatever the rest says. */
  readonly findsInPart?: boolean;
  /** @throws Error if it can't be checked; its message becomes the verdict's. */
  check(input: AssertionInput): Outcome | Promise<Outcome>;
}

export interface JudgedType extends Common {
  readonly kind: 'judged';
  /** The question to ask, or the outcome if there is nothing to ask. */
  question(input: AssertionInput): Question<unknown> | Outcome;
}

/** A judged type. All its assertions in a case share one request. */
export interface ChecklistType extends Common {
  readonly kind: 'checklist';
  /** One question that covers all of them for the same turns; outcomes are in the same order. */
  checklist(inputs: readonly AssertionInput[]): Question<unknown, Outcome[]>;
}

/** A type that asks several questions, or does more than ask judges. */
export interface ProcedureType extends Common {
  readonly kind: 'procedure';
  readonly asksJudge: boolean;
  run(input: AssertionInput, toolbox: Toolbox): Promise<Outcome>;
  /** The maximum that it may ask, to plan a run. */
  plan(input: AssertionInput): readonly Planned[];
}

export type Planned =
  /** See `Toolbox.ask`. */
  | { readonly kind: 'asked'; about(turns: readonly Turn[]): Divisible<unknown> }
  /** See `Toolbox.askOnce`. */
  | { readonly kind: 'once'; readonly asked: JudgeRequest<unknown> }
  /** See `Toolbox.verdict`. */
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  /** See `Toolbox.embed`. */
  | { readonly kind: 'embedding'; readonly texts: readonly string[] };

/** A type whose nested assertions decide its result. */
export interface GroupType extends Common {
  readonly kind: 'group';
  /** @param verdicts at least one */
  score(verdicts: readonly ScoredVerdict[]): number;
}

export type AssertionType =
  | DeterministicType
  | JudgedType
  | ChecklistType
  | ProcedureType
  | GroupType;

/** Whether it asks a single question that is known in advance, so it can share a request. */
export function asksOneQuestion({ kind }: AssertionType): boolean {
  return kind === 'judged' || kind === 'checklist';
}

/** Whether it has the keys `judge`, `samples`, and so on. */
export function asksJudge(type: AssertionType): boolean {
  return asksOneQuestion(type) || (type.kind === 'procedure' && type.asksJudge);
}

/** The strict JSON Schema of an answer, without ranges: our own code checks them. */
export const answerSchema = memoize((answer: z.ZodType): Mapping => {
  const { $schema: _, ...schema } = z.toJSONSchema(answer, { target: 'draft-7' });
  return schema;
});
