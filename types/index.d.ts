/**
 * Types for assertions of type `script`. The function is the default export of a
 * `.js`, `.mjs` or `.ts` file, or an export that the assertion names:
 *
 *     import type { Script } from 'turnlight';
 *
 *     const saysGoodbye: Script = ({ conversation }) =>
 *       conversation.turns.at(-1)?.text.includes('Goodbye') ?? false;
 *     export default saysGoodbye;
 */
export type Script = (input: ScriptInput) => ScriptResult | Promise<ScriptResult>;

/** The function's input: its own copy, which it may change. */
export interface ScriptInput {
  /** The `id` of the case. */
  readonly case: string;
  readonly conversation: ScriptConversation;
  /** Numbers of the turns that `at` selects, in order. Default: all turns. */
  readonly chosen: readonly number[];
  /** The role the assistant should play; null if there is none. */
  readonly role: string | null;
  /** The topics the assistant may discuss. */
  readonly topics: readonly string[];
  /** The tools the assistant may call. */
  readonly tools: readonly ScriptTool[];
  /** What a good conversation achieves; plain text is under `outcome`. */
  readonly expectations: Readonly<Record<string, unknown>>;
  /** The `context` of the case. */
  readonly context: Readonly<Record<string, unknown>>;
  /** The `options` of the assertion. */
  readonly options: Readonly<Record<string, unknown>>;
}

export interface ScriptConversation {
  /**
   * The `conversation` that the target and its tools were given: another for each repetition, variant and
   * run. Null if the record of the conversation has none.
   */
  readonly id: string | null;
  /** System texts between the turns, in order. */
  readonly system: readonly string[];
  /** All turns, in order. */
  readonly turns: readonly ScriptTurn[];
}

/** Everything one side says until the other side speaks. */
export interface ScriptTurn {
  /** From 1, across both sides. */
  readonly number: number;
  readonly side: 'user' | 'assistant';
  /** What was said, messages joined by a blank line, without tool calls. */
  readonly text: string;
  readonly tool_calls: readonly ScriptToolCall[];
  /** What was retrieved for the turn, most relevant first. */
  readonly retrieval_context: readonly string[];
  /** What a good reply contains; null if the case does not say. */
  readonly expected: string | null;
  /** Milliseconds the target took; null if not measured. */
  readonly latency: number | null;
}

export interface ScriptToolCall {
  readonly name: string;
  /** Parsed JSON, or the raw text if it does not parse. */
  readonly arguments?: unknown;
  /** Null if no result came. */
  readonly result: string | null;
}

export interface ScriptTool {
  readonly name: string;
  readonly description?: string | undefined;
  /** JSON Schema of the arguments. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  /** The MCP server that offers it. */
  readonly server?: string | undefined;
  readonly kind?: 'tool' | 'resource' | 'prompt' | undefined;
}

/** True scores 1, false 0, and a number is a score from 0 to 1. Anything else is an error. */
export type ScriptResult = boolean | number | ScriptSkipped | ScriptVerdict;

/** Does not apply here: the verdict is skipped and left out of every mean. */
export interface ScriptSkipped {
  /** Why. */
  readonly skipped: string;
}

/** Needs `score` or `turns`. */
export interface ScriptVerdict {
  /** 0 to 1. Default: the mean over `turns`. */
  readonly score?: number | undefined;
  /** One word for the outcome, such as `yes`. */
  readonly label?: string | undefined;
  /** The outcome on its own scale, such as 4 or `B`. */
  readonly value?: string | number | undefined;
  /** Why, in a sentence or two. */
  readonly rationale?: string | undefined;
  /** Verdicts on single turns, shown at those turns in the editor. */
  readonly turns?: readonly ScriptTurnVerdict[] | undefined;
  /** Anything else worth keeping. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

export interface ScriptTurnVerdict {
  /** The number of the turn. */
  readonly turn: number;
  /** 0 to 1; the turn passes if this reaches the assertion's threshold. */
  readonly score: number;
  readonly rationale: string;
  /** A quote from that turn; marked if the turn does not contain it. */
  readonly evidence?: string | undefined;
}

/**
 * Types for targets of type `module`. The function is the default export of the file, or an export that the target
 * names:
 *
 *     import type { Target } from 'turnlight';
 *
 *     const agent: Target = (messages) => `You said: ${messages.at(-1)?.content}`;
 *     export default agent;
 */
export type Target = (
  messages: readonly TargetMessage[],
  facts: TargetFacts,
) => TargetAnswer | Promise<TargetAnswer>;

/** A message of the conversation so far, in OpenAI's chat format; the last one is the user's. */
export interface TargetMessage {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  readonly content: string | null;
  readonly tool_calls?: readonly TargetToolCall[] | undefined;
  /** The call that a message of role `tool` answers. */
  readonly tool_call_id?: string | undefined;
  /** Name of the agent that is speaking, if several act as the assistant. */
  readonly agent?: string | undefined;
}

export interface TargetToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    /** JSON. */
    readonly arguments: string;
  };
}

export interface TargetFacts {
  /** The `id` of the case. */
  readonly case: string;
  /** An id that differs for every repetition, variant, and run of a case. */
  readonly conversation: string;
  /** The `context` of the case. */
  readonly context: Readonly<Record<string, unknown>>;
  /** Aborted if the reply isn't needed any more. */
  readonly signal: AbortSignal;
}

/** What the assistant says: a text, a message, or everything that it did for this reply, in order. */
export type TargetAnswer = string | object | readonly object[] | TargetReply;

export interface TargetReply {
  /** Messages in any format that Turnlight reads: texts, calls and their results, system texts. */
  readonly messages: readonly object[];
  /** The texts that were retrieved for this reply. */
  readonly retrieval_context?: readonly string[] | undefined;
  /** The tools that the agent can call. */
  readonly tools?: readonly ScriptTool[] | undefined;
  readonly usage?: TargetUsage | undefined;
}

/** Tokens of a reply. */
export interface TargetUsage {
  readonly calls?: number | undefined;
  readonly input_tokens?: number | undefined;
  readonly cached_tokens?: number | undefined;
  readonly output_tokens?: number | undefined;
  readonly cost?: number | null | undefined;
}
