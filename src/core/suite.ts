import type { SourcedMessage } from './conversation.ts';
import { isMapping, type Mapping } from './data/data.ts';
import type { Image, ImageSources } from './image.ts';
import type { Tool } from './message.ts';
import type { Problem, Range, Source } from './problem.ts';
import type { Aggregate, Grading } from './scoring.ts';

/** An eval file, ready to run. All paths are absolute. */
export interface Suite {
  readonly path: string;
  readonly name: string;
  readonly description?: string;
  /** SHA-256 hash of the file's text, in hexadecimal. */
  readonly hash: string;
  /** The workspace folder, which paths in the file must not leave. */
  readonly workspace: string;
  /** Names of the variables that contain its models' API keys. */
  readonly keyVariables: readonly string[];
  readonly cases: readonly SuiteCase[];
}

export interface SuiteCase {
  readonly id: string;
  readonly variant?: string;
  /** Set if the case runs one of its target's variants. */
  readonly targetVariant?: TargetVariantRef;
  /** The target's variants as targets, in order; set if it has any. */
  readonly targets?: readonly TargetSpec[];
  /** Set if the case's variants are different recorded conversations. */
  readonly recorded?: true;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly skip?: { readonly reason?: string };
  readonly only: boolean;
  readonly source: Source & { readonly hash: string };
  readonly origin: LiveTurnsOrigin | TranscriptOrigin;
  readonly judge?: ModelSpec;
  readonly role?: string;
  readonly topics: readonly string[];
  readonly tools: readonly Tool[];
  /** A plain string is stored under `outcome`. */
  readonly expectations: Readonly<Record<string, unknown>>;
  readonly context: Readonly<Record<string, unknown>>;
  readonly assertions: readonly Assertion[];
  readonly threshold?: number;
  readonly aggregate?: Aggregate;
  readonly repeat: Repeat;
  readonly stopOnFailure: boolean;
  /** Where the images of its messages are; absent if it has none. */
  readonly images?: ImageSources;
  /** Finds the case's variants without reading their messages; set if it has several. */
  readonly expand?: () => Promise<ExpandedCase>;
  /**
   * Reads a variant, which until then contains only data that all variants share. If the variant has errors,
   * `suiteCase` is absent.
   */
  readonly open?: () => Promise<{ suiteCase?: SuiteCase; problems: readonly Problem[] }>;
}

/** One of the `variants` of a target. In its cases, `variant` ends with its name. */
export interface TargetVariantRef {
  readonly name: string;
  /** All variants' names, in the file's order. The others are compared with the first. */
  readonly of: readonly string[];
}

/** Removes locations, which don't affect a run. */
export function withoutSources(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSources);
  if (!isMapping(value)) return value;
  const kept = Object.entries(value).filter(([, inner]) => !isSource(inner));
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutSources(inner)]));
}

function isSource(value: unknown): boolean {
  return isMapping(value) && typeof value.path === 'string' && isMapping(value.range);
}

/** The unopened variants of a case. */
export interface ExpandedCase {
  readonly cases: readonly SuiteCase[];
  /** Absolute paths of the files that contain the variants. */
  readonly files: readonly string[];
  readonly problems: readonly Problem[];
}

/** Limited because each repetition appears as an item in the editor and costs requests. */
export const MAX_REPETITIONS = 1000;

export interface Repeat {
  readonly times: number;
  /** The share of repetitions that must pass, 0..1: `all` is 1, `any` is `1 / times`. */
  readonly pass: number;
}

export type LiveTurnsOrigin = TurnsOrigin | SimulateOrigin;

interface LiveOrigin {
  readonly target: TargetSpec;
  readonly history?: MessageHistory;
}

export interface TurnsOrigin extends LiveOrigin {
  readonly kind: 'turns';
  readonly turns: readonly ScriptedTurn[];
}

export interface SimulateOrigin extends LiveOrigin {
  readonly kind: 'simulate';
  readonly user: SimulatedUser;
}

/** A user that a model plays; see `simulate` in the format. */
export interface SimulatedUser {
  readonly goal: string;
  readonly persona?: string;
  readonly guidelines?: readonly string[];
  readonly stopWhen?: string;
  /** Turns to send first, as written. */
  readonly opening: readonly ScriptedTurn[];
  /** Maximum number of user turns in the conversation, including `opening`. */
  readonly maxUserTurns: number;
  readonly model?: ModelSpec;
  readonly seed?: number;
  readonly source: Source;
}

/** Limited because each turn costs a request and makes the following requests longer. */
export const MAX_USER_TURNS = 200;

export const DEFAULT_USER_TURNS = 10;

export interface ScriptedTurn {
  readonly user: string;
  readonly images?: readonly Image[];
  readonly expected?: string;
  readonly source: Source;
}

export interface MessageHistory {
  readonly messages: readonly SourcedMessage[];
  readonly notes: readonly string[];
}

/** Has no messages if the case has several variants, until one is opened. */
export interface TranscriptOrigin extends MessageHistory {
  readonly kind: 'transcript';
}

/** A model as configured: the provider's own keys, validated by its schema. */
export interface ModelSpec {
  /** The model as `provider:model`, as shown and recorded. */
  readonly id: string;
  readonly provider: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** `params` as written in the file; set if `${env:NAME}` was filled in. */
  readonly written?: Readonly<Record<string, unknown>>;
  /** Environment variables whose values are sent with requests. */
  readonly sends?: readonly string[];
  /** Whether the address comes from the user (the command line or a variable) and not from the file. */
  readonly ownAddress?: boolean;
  /** The folder that relative paths in `params` start from. */
  readonly folder: string;
}

/** A target as configured. A `chat` target's model is resolved separately. */
export interface TargetSpec {
  /** Its name in `targets`, or its type if it isn't declared there. */
  readonly name: string;
  readonly type: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** `params` as written in the file; set if `${env:NAME}` was filled in. */
  readonly written?: Readonly<Record<string, unknown>>;
  readonly folder: string;
  readonly system?: string;
  /** The target's own tools, which replace the case's. */
  readonly tools?: readonly Tool[];
  readonly model?: ModelSpec;
}

/** The keys of a model or target with variables filled in, except for headers, which may contain secrets. */
export function filledKeys({ params, written = params }: Pick<ModelSpec, 'params' | 'written'>) {
  return params.headers === undefined ? params : { ...params, headers: written.headers };
}

/** Selects the turns to check; see `at` in the format. */
export type At =
  | { readonly kind: 'all' | 'live' | 'last' | 'first' | 'each' }
  | { readonly kind: 'turns'; readonly turns: readonly number[] }
  | { readonly kind: 'range'; readonly from: number; readonly to: number }
  /** The turns in which this agent says or calls something. */
  | { readonly kind: 'agent'; readonly agent: string };

export interface Assertion {
  readonly index: number;
  /** Identifies the assertion in its case, across runs and edits. */
  readonly key: string;
  readonly type: string;
  readonly name: string;
  readonly source: Source;
  /** The type's own keys, checked by its schema. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly prompt?: JudgePrompt;
  /** 0..1: the assertion's own threshold, or else its prompt's, or else its type's. */
  readonly threshold: number;
  readonly weight: number;
  readonly required: boolean;
  readonly negate: boolean;
  readonly at: At;
  readonly judge?: ModelSpec;
  readonly temperature?: number;
  /** Number of times to ask the judge, 1 by default; the result is the median score and the majority's label. */
  readonly samples?: number;
  /** `turn` asks about each judged turn separately, with `window` turns before it; `conversation` by default. */
  readonly granularity?: 'conversation' | 'turn';
  /** Number of turns to show before the judged ones if only part of the conversation is shown; 10 by default. */
  readonly window?: number;
  /** If set, labeled conversations are shown before the question. */
  readonly examples?: 'labels';
  /** Whether its question shares a request with others. */
  readonly together?: true;
  /**
   * The assertions that decide this one: those of a group, or the leaves of a decision graph. `path` starts at this
   * assertion's mapping: `assert.0` or `nodes.tone.assert`.
   */
  readonly nested?: readonly { readonly path: string; readonly assertion: Assertion }[];
  /** The embedding model that `model` names. */
  readonly model?: ModelSpec;
  /** From 0: the scripted turn that contains it, whose reply it checks. */
  readonly scriptedTurn?: number;
}

export interface JudgePrompt {
  readonly path: string;
  readonly name?: string;
  readonly description?: string;
  /** Default: a scale of 0 to 1. */
  readonly grading: Grading;
  /** JSON Schema of the judge's additional notes. */
  readonly details?: Mapping;
  readonly threshold?: number;
  readonly perTurn: boolean;
  readonly model?: ModelSpec;
  readonly body: string;
  readonly bodyRange: Range;
}

export const NO_SIMULATOR =
  'No model is set to play the user. Add `model` under `simulate`, or set a judge: its model is the default.';

export const NO_JUDGE =
  'No judge is set. Add `judge: openai:gpt-5-mini` to the file. Or set `turnlight.judge` in the editor; on the command line, pass `--judge` or set `TURNLIGHT_JUDGE`.';
