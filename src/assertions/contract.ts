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
  /** Absent before the conversation starts, and in records without one. */
  readonly conversationId?: string | undefined;
};

/** Deep-frozen, so that no assertion sees changes made by another. */
export interface AssertionInput {
  readonly conversation: Conversation;
  /** The turns that `at` selects, on the type's side, in order; never empty. */
  readonly turns: readonly Turn[];
  readonly assertion: Assertion;
  readonly facts: CaseFacts;
  /** The target's usage; absent if it reported none. */
  readonly targetUsage?: Usage;
  /** Hides secrets in a quote before it is truncated; absent if the conversation has none. */
  readonly scrub?: (text: string) => string;
}

/** The result of an assertion. Its status is derived from `score` and the threshold. */
export interface Finding {
  readonly kind: 'scored';
  /** 0..1. */
  readonly score: number;
  readonly label?: string;
  readonly value?: string | number;
  /** Lowest and highest possible `value`, if not 0 and 1. */
  readonly scale?: Scale;
  readonly rationale: string;
  readonly turns: readonly TurnVerdict[];
  readonly hits: readonly string[];
  readonly misses: readonly string[];
  readonly details: Readonly<Record<string, unknown>>;
  /** Verdicts of the assertions that decided this one. */
  readonly nested?: readonly Verdict[];
}

/** The outcome if there is nothing to judge: no facts, intentions, or turns. */
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
  /** A sentence to include in the repair request. */
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
export interface JoinableParts<Answer> {
  /**
   * The schema of the answer about the whole conversation, requested after the parts; absent if an answer contains only
   * entries.
   */
  readonly whole?: z.ZodType;
  join(parts: readonly Answer[], whole: unknown): Answer;
}

/** A request that can be split into parts of a conversation. */
export interface Divisible<Answer> extends JudgeRequest<Answer> {
  readonly parts: JoinableParts<Answer>;
}

/** A question whose answer alone decides the outcome. */
export interface Question<Answer, Concluded = Outcome> extends Divisible<Answer> {
  /** Labels for the whole conversation, with their scores; absent if there are none. */
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

export interface JudgeAnswer<Answer> {
  readonly answer: Answer;
  /** The answer as the judge wrote it. */
  readonly text: string;
  /** Present if tokens were requested and the endpoint returned them. */
  readonly tokens?: readonly ScoredToken[];
}

/** The requests that a procedure can make. All of them are counted and can be canceled. */
export interface Toolbox {
  /**
   * Asks about the conversation, in parts if it doesn't fit into the judge's window.
   *
   * @param about creates the question about some of the turns
   */
  ask<Answer>(
    turns: readonly Turn[],
    about: (turns: readonly Turn[]) => Divisible<Answer>,
    options?: { readonly logprobs?: boolean },
  ): Promise<JudgeAnswer<Answer>>;
  /** Asks a question without the conversation. Each run sends the same question to a model only once. */
  askOnce<Answer>(asked: JudgeRequest<Answer>): Promise<Answer>;
  /** Checks another assertion on the same conversation. */
  verdict(assertion: Assertion): Promise<Verdict>;
  /** One vector per text, from the assertion's `model`. */
  embed(texts: readonly string[]): Promise<readonly (readonly number[])[]>;
  /** Calls the user's code, which runs in its own process. */
  script(code: UserCode, input: unknown): Promise<unknown>;
}

/** A problem with an assertion's keys that a schema can't catch. */
export interface Fault {
  /** The path of the faulty value, relative to the assertion. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Facts about a conversation. A field is absent if its value isn't known before the run. */
export interface ConversationTraits {
  readonly hasSystemText?: boolean;
  readonly hasRetrievedContext?: boolean;
  readonly hasToolResults?: boolean;
  readonly hasToolCalls?: boolean;
  /** Whether any turn has `expected`. */
  readonly hasExpected?: boolean;
  readonly reporting?: Reporting;
  /** Whether the target offers tools that are known only once it runs, such as tools from MCP servers. */
  readonly offersTools?: boolean;
}

interface Nesting {
  /** The keys of the type itself, given the schema of an assertion. */
  params(assertion: z.ZodType): z.ZodObject;
  /** Paths of the nested assertions within this one's keys. */
  places(params: Readonly<Record<string, unknown>>): readonly (readonly (string | number)[])[];
}

/** The text for hovers and docs, in Markdown. Multi-line text can be indented. */
export interface TypeDocs {
  /** What the assertion checks, and how. */
  readonly asks: string;
  /** The scoring formula; follows "Score: ". */
  readonly score: string;
  /** An example with numbers; follows "Example: ". */
  readonly example: string;
  /** When the assertion is skipped, such as `if the user asks nothing.`; follows "Skipped ". */
  readonly skipped?: string;
  /** All differences between its score and those of the metrics in `like`, as a Markdown list. */
  readonly differences?: string;
  readonly more?: string;
  /** A list of assertions, or part of an eval file. */
  readonly yaml: string;
  /** A TypeScript file that the YAML refers to. */
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
  /** Tools that have an equivalent metric: `DeepEval, MLflow`. */
  readonly like?: string;
  /** The type's own keys; the common keys are added by `evalfile`. */
  readonly params: z.ZodObject;
  /** 0..1. */
  readonly defaultThreshold: number;
  /** The scale of its values and thresholds, if not 0..1. `own`: each assertion sets its own. */
  readonly scale?: Scale | 'own';
  /** Set for a type whose keys contain assertions. */
  readonly nesting?: Nesting;
  readonly side: 'user' | 'assistant' | 'both';
  /** Set if it reads the case's whole `context`, not only the keys named in its text. */
  readonly readsContext?: true;
  /** Set if it receives all of the case's facts in addition to a question. */
  readonly readsFacts?: true;
  /**
   * Set if its `prompt` is the path of a judge prompt, or its `instructions` are one. Only such types use judge prompt
   * variables.
   */
  readonly takesPrompt?: true;
  /**
   * How to turn the assertion into a judge prompt: the key that contains its wording, and a function that makes the
   * prompt from it.
   */
  readonly asPrompt?: { readonly key: string; body(words: string): string };
  /** The default name of an assertion without a `name`. Defaults to the type. */
  label?(params: Readonly<Record<string, unknown>>): string | undefined;
  /**
   * What the target must report in addition to messages. It must report at least one of these; otherwise, the verdict
   * is an error.
   */
  sees?(facts: CaseFacts, params: Readonly<Record<string, unknown>>): readonly Report[];
  /** Whether it measures when a reply's text starts to arrive, which requires streamed replies. */
  timesFirstToken?(params: Readonly<Record<string, unknown>>): boolean;
  /** A sentence that says what is missing from the case and what to do; undefined if nothing is missing. */
  needs?(facts: CaseFacts, known: ConversationTraits): string | undefined;
  /** Why the assertion will be skipped, if that is known before the run. */
  idle?(facts: CaseFacts, known: ConversationTraits): string | undefined;
  /** Problems with combinations of keys that are each valid on their own. */
  faults?(params: Readonly<Record<string, unknown>>): readonly Fault[];
}

export interface DeterministicType extends Common {
  readonly kind: 'deterministic';
  /** The part of a turn that decides the result; defaults to the turn's text. */
  decidedBy?(turn: Turn, params: Readonly<Record<string, unknown>>): unknown;
  /** Whether a match in part of a turn's text is enough, regardless of the rest. */
  readonly findsInPart?: boolean;
  /** @throws Error if it can't be checked; its message becomes the verdict's message. */
  check(input: AssertionInput): Outcome | Promise<Outcome>;
}

export interface JudgedType extends Common {
  readonly kind: 'judged';
  /** Returns the question to ask, or the outcome if there is nothing to ask. */
  question(input: AssertionInput): Question<unknown> | Outcome;
}

/** A judged type whose assertions in a case share one request. */
export interface ChecklistType extends Common {
  readonly kind: 'checklist';
  /** Returns one question that covers all assertions for the same turns. The outcomes are in the same order. */
  checklist(inputs: readonly AssertionInput[]): Question<unknown, Outcome[]>;
}

/** A type that asks several questions, or does more than ask judges. */
export interface ProcedureType extends Common {
  readonly kind: 'procedure';
  readonly asksJudge: boolean;
  run(input: AssertionInput, toolbox: Toolbox): Promise<Outcome>;
  /** The maximum number of requests that it may make, for planning a run. */
  plan(input: AssertionInput): readonly PlannedRequest[];
}

export type PlannedRequest =
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
