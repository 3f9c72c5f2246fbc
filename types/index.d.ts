/**
 * Types for assertions of type `script`. The function is the default export of a `.js`, `.mjs` or `.ts` file, or an
 * export that the assertion refers to:
 *
 * import type { Script } from 'turnlight';
 *
 * const saysGoodbye: Script = ({ conversation }) => conversation.turns.at(-1)?.text.includes('Goodbye') ?? false;
 * export default saysGoodbye;
 */
export type Script = (input: ScriptInput) => ScriptResult | Promise<ScriptResult>;

/** The function's input. It is the function's own copy, so the function may change it. */
export interface ScriptInput {
  /** The `id` of the case. */
  readonly case: string;
  readonly conversation: ScriptConversation;
  /** Numbers of the turns that `at` selects, in order. By default, all turns. */
  readonly chosen: readonly number[];
  /** The role that the assistant should play; null if there is none. */
  readonly role: string | null;
  /** The topics that the assistant may discuss. */
  readonly topics: readonly string[];
  /** The tools that the assistant may call. */
  readonly tools: readonly ScriptTool[];
  /** What a good conversation achieves. Plain text is stored under `outcome`. */
  readonly expectations: Readonly<Record<string, unknown>>;
  /** The `context` of the case. */
  readonly context: Readonly<Record<string, unknown>>;
  /** The `options` of the assertion. */
  readonly options: Readonly<Record<string, unknown>>;
}

export interface ScriptConversation {
  /**
   * The `conversation` id that the target and its tools were given, which differs for each repetition, variant, and
   * run. Null if the conversation's record has none.
   */
  readonly id: string | null;
  /** The system texts between turns, in order. */
  readonly system: readonly string[];
  /** All turns, in order. */
  readonly turns: readonly ScriptTurn[];
}

/** Everything that one side says until the other side speaks. */
export interface ScriptTurn {
  /** Turn number, from 1, counted across both sides. */
  readonly number: number;
  readonly side: 'user' | 'assistant';
  /** The text of the turn: its messages joined by blank lines, without tool calls. */
  readonly text: string;
  readonly tool_calls: readonly ScriptToolCall[];
  /** Names of the agents that say or call something in the turn, in order; empty if they aren't known. */
  readonly agents: readonly string[];
  /** The texts that were retrieved for the turn, most relevant first. */
  readonly retrieval_context: readonly string[];
  /** What a good reply contains; null if the case doesn't specify it. */
  readonly expected: string | null;
  /** Milliseconds that the target took; null if this wasn't measured. */
  readonly latency: number | null;
}

export interface ScriptToolCall {
  readonly name: string;
  /** The parsed JSON, or the raw text if it isn't valid JSON. */
  readonly arguments?: unknown;
  /** Name of the agent that makes the call; null if it isn't known. */
  readonly agent: string | null;
  /** Null if there was no result. */
  readonly result: string | null;
}

export interface ScriptTool {
  readonly name: string;
  readonly description?: string | undefined;
  /** JSON Schema for the arguments. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  /** The MCP server that offers the tool. */
  readonly server?: string | undefined;
  readonly kind?: 'tool' | 'resource' | 'prompt' | undefined;
}

/** True scores 1, false scores 0, and a number is a score from 0 to 1. Anything else is an error. */
export type ScriptResult = boolean | number | ScriptSkipped | ScriptVerdict;

/** The assertion doesn't apply: the verdict is skipped and left out of all means. */
export interface ScriptSkipped {
  /** Why it doesn't apply. */
  readonly skipped: string;
}

/** Needs `score` or `turns`. */
export interface ScriptVerdict {
  /** 0 to 1. By default, the mean over `turns`. */
  readonly score?: number | undefined;
  /** One word for the outcome, such as `yes`. */
  readonly label?: string | undefined;
  /** The outcome on its own scale, such as 4 or `B`. */
  readonly value?: string | number | undefined;
  /** Why, in one or two sentences. */
  readonly rationale?: string | undefined;
  /** Verdicts on individual turns, shown at those turns in the editor. */
  readonly turns?: readonly ScriptTurnVerdict[] | undefined;
  /** Any other data worth keeping. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

export interface ScriptTurnVerdict {
  /** The turn's number. */
  readonly turn: number;
  /** 0 to 1; the turn passes if this reaches the assertion's threshold. */
  readonly score: number;
  readonly rationale: string;
  /** A quote from the turn. If the turn doesn't contain it, it is marked. */
  readonly evidence?: string | undefined;
}

/**
 * Types for targets of type `module`. The function is the default export of the file, or an export that the target
 * refers to:
 *
 * import type { Target } from 'turnlight';
 *
 * const agent: Target = (messages) => `You said: ${messages.at(-1)?.content}`; export default agent;
 */
export type Target = (
  messages: readonly TargetMessage[],
  facts: TargetFacts,
) => TargetAnswer | Promise<TargetAnswer>;

/** A message of the conversation so far, in OpenAI's chat format; the last message is the user's. */
export interface TargetMessage {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  readonly content: string | null;
  readonly tool_calls?: readonly TargetToolCall[] | undefined;
  /** For a message with the role `tool`, the id of the call that it answers. */
  readonly tool_call_id?: string | undefined;
  /** Name of the agent that is speaking, if several act as the assistant. */
  readonly agent?: string | undefined;
}

export interface TargetToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    /** The arguments as JSON text. */
    readonly arguments: string;
  };
  /** Name of the agent that makes the call. By default, the message's agent. */
  readonly agent?: string | undefined;
}

export interface TargetFacts {
  /** The `id` of the case. */
  readonly case: string;
  /** An id that is different for every repetition, variant, and run of a case. */
  readonly conversation: string;
  /** The `context` of the case. */
  readonly context: Readonly<Record<string, unknown>>;
  /** The trace of the turn, in W3C format, if the target sets `traces: true`. */
  readonly traceparent?: string | undefined;
  /** Aborted if the reply isn't needed anymore. */
  readonly signal: AbortSignal;
  /** Call it with each piece of the reply's text as it arrives. Undefined if nobody watches or measures it. */
  readonly stream?: ((delta: string) => void) | undefined;
}

/** What the assistant says: text, a message, or everything that it did for this reply, in order. */
export type TargetAnswer = string | object | readonly object[] | TargetReply;

export interface TargetReply {
  /** Messages in any format that Turnlight reads: texts, calls and their results, system texts. */
  readonly messages: readonly object[];
  /** The texts retrieved for this reply. */
  readonly retrieval_context?: readonly string[] | undefined;
  /** The tools that the agent can call. */
  readonly tools?: readonly ScriptTool[] | undefined;
  readonly usage?: TargetUsage | undefined;
}

/** The number of tokens used for a reply. */
export interface TargetUsage {
  readonly calls?: number | undefined;
  readonly input_tokens?: number | undefined;
  readonly cached_tokens?: number | undefined;
  readonly output_tokens?: number | undefined;
  readonly cost?: number | null | undefined;
}
