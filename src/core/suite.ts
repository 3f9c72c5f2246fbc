import type { PlacedMessage } from './conversation.ts';
import type { Tool } from './message.ts';
import type { Range, Source } from './problem.ts';
import type { Scale } from './scoring.ts';

/**
 * An eval file made ready to run: defaults merged, names resolved, prompts and transcripts read,
 * variables filled in. `evalfile` makes it, the runner runs it. All paths are absolute.
 */
export interface Suite {
  readonly path: string;
  readonly name: string;
  readonly description?: string;
  /** SHA-256 of the file's text, hexadecimal. */
  readonly hash: string;
  readonly cases: readonly SuiteCase[];
}

export interface SuiteCase {
  readonly id: string;
  readonly description?: string;
  readonly tags: readonly string[];
  /** The reason, where one was given. */
  readonly skip?: { readonly reason?: string };
  readonly only: boolean;
  readonly source: Source & { readonly hash: string };
  readonly origin: TurnsOrigin | TranscriptOrigin;
  readonly judge?: ModelSpec;
  readonly role?: string;
  readonly topics: readonly string[];
  readonly tools: readonly Tool[];
  /** A plain string stands under `outcome`. */
  readonly expectations: Readonly<Record<string, unknown>>;
  readonly context: Readonly<Record<string, unknown>>;
  readonly assertions: readonly Assertion[];
  readonly threshold?: number;
  readonly repeat: Repeat;
  readonly stopOnFailure: boolean;
}

export interface Repeat {
  readonly times: number;
  /** Share of the repetitions that must pass, 0..1: `all` is 1, `any` is `1 / times`. */
  readonly pass: number;
}

export interface TurnsOrigin {
  readonly kind: 'turns';
  readonly target: TargetSpec;
  readonly turns: readonly ScriptedTurn[];
}

export interface ScriptedTurn {
  readonly user: string;
  readonly expected?: string;
  readonly source: Source;
}

export interface TranscriptOrigin {
  readonly kind: 'transcript';
  readonly messages: readonly PlacedMessage[];
  readonly notes: readonly string[];
}

/** A model as configured: the provider's own keys, checked by its schema. */
export interface ModelSpec {
  /** `provider:model`, as shown and recorded. */
  readonly id: string;
  readonly provider: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** `params` as they stand in the file, where `${env:NAME}` was filled in. */
  readonly written?: Readonly<Record<string, unknown>>;
  /** The folder that relative paths in `params` start from. */
  readonly folder: string;
}

/** A target as configured. A `chat` target's model is resolved beside it. */
export interface TargetSpec {
  /** Its name in `targets`, else its type. */
  readonly name: string;
  readonly type: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** `params` as they stand in the file, where `${env:NAME}` was filled in. */
  readonly written?: Readonly<Record<string, unknown>>;
  readonly folder: string;
  /** The system text that it is told before anything is said. */
  readonly system?: string;
  readonly model?: ModelSpec;
}

/** Which turns an assertion looks at; see `at` in the format. */
export type At =
  | { readonly kind: 'all' | 'last' | 'first' | 'each' }
  | { readonly kind: 'turns'; readonly turns: readonly number[] }
  | { readonly kind: 'range'; readonly from: number; readonly to: number };

export interface Assertion {
  /** Place in the case's list, from 0. */
  readonly index: number;
  /** Its identity in the case, over runs and edits. */
  readonly key: string;
  readonly type: string;
  readonly name: string;
  readonly source: Source;
  /** The type's own keys, checked by its schema. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The judge prompt that `prompt` names. */
  readonly prompt?: JudgePrompt;
  /** 0..1: its own, else that of its prompt, else that of its type. */
  readonly threshold: number;
  readonly weight: number;
  readonly required: boolean;
  readonly negate: boolean;
  readonly at: At;
  readonly judge?: ModelSpec;
  readonly temperature?: number;
  /** How often the judge is asked, 1 unless given; the median score and the majority's label count. */
  readonly samples?: number;
  /** `turn` asks once for each judged turn, with `window` turns before it; `conversation` unless given. */
  readonly granularity?: 'conversation' | 'turn';
  /** Turns shown before those judged, where not all of the conversation is shown; 10 unless given. */
  readonly window?: number;
  /** The assertions that decide this one: those of a group, or a decision graph's ends by path. */
  readonly nested?: readonly NestedAssertion[];
  /** The embedding model that `model` names. */
  readonly model?: ModelSpec;
  /** From 0: the scripted turn it stands under; its subject is the reply to that turn. */
  readonly scriptedTurn?: number;
}

export interface NestedAssertion {
  /** From the mapping of the assertion that holds it, such as `assert.0` or `nodes.tone.assert`. */
  readonly place: string;
  readonly assertion: Assertion;
}

/** A judge prompt: Markdown with front matter. */
export interface JudgePrompt {
  readonly path: string;
  readonly name?: string;
  readonly description?: string;
  /** Lowest and highest score that the prompt asks for; 0 and 1 unless it says otherwise. */
  readonly scale: Scale;
  readonly labels: readonly string[];
  readonly threshold?: number;
  readonly perTurn: boolean;
  readonly model?: ModelSpec;
  /** The Markdown under the front matter. */
  readonly body: string;
  readonly bodyRange: Range;
}
