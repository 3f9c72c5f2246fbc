/**
 * What an assertion of the type `script` is written with. The function is the default export of a
 * `.js`, `.mjs` or `.ts` file, or an export that the assertion names:
 *
 *     import type { Script } from 'turnlight';
 *
 *     const saysGoodbye: Script = ({ conversation }) =>
 *       conversation.turns.at(-1)?.text.includes('Goodbye') ?? false;
 *     export default saysGoodbye;
 */
export type Script = (input: ScriptInput) => ScriptResult | Promise<ScriptResult>;

/** What the function is given: a copy of its own, free to be changed. */
export interface ScriptInput {
  /** The `id` of the case. */
  readonly case: string;
  readonly conversation: ScriptConversation;
  /** The numbers of the turns that `at` chose, in order; all of them unless it says otherwise. */
  readonly chosen: readonly number[];
  /** The role that the assistant is to play; null where none is given. */
  readonly role: string | null;
  /** The topics that the assistant may engage with. */
  readonly topics: readonly string[];
  /** The tools that the assistant may call. */
  readonly tools: readonly ScriptTool[];
  /** What a good conversation comes to; text stands under `outcome`. */
  readonly expectations: Readonly<Record<string, unknown>>;
  /** The `context` of the case. */
  readonly context: Readonly<Record<string, unknown>>;
  /** The `options` of the assertion. */
  readonly options: Readonly<Record<string, unknown>>;
}

export interface ScriptConversation {
  /** System texts between the turns, in order. */
  readonly system: readonly string[];
  /** All turns, in order. */
  readonly turns: readonly ScriptTurn[];
}

/** All that one side says until the other side speaks. */
export interface ScriptTurn {
  /** From 1, across both sides. */
  readonly number: number;
  readonly side: 'user' | 'assistant';
  /** What was said, messages joined by a blank line; tool calls left out. */
  readonly text: string;
  readonly tool_calls: readonly ScriptToolCall[];
  /** What was retrieved for the turn, best first. */
  readonly retrieval_context: readonly string[];
  /** What a good reply holds; null where it is not said. */
  readonly expected: string | null;
  /** Milliseconds that the target took; null where it was not measured. */
  readonly latency: number | null;
}

export interface ScriptToolCall {
  readonly name: string;
  /** Parsed JSON where it parses, else the text as it came. */
  readonly arguments?: unknown;
  /** Null where no result came. */
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

/** True is 1, false 0, a number a score from 0 to 1. Anything else makes the verdict an error. */
export type ScriptResult = boolean | number | ScriptSkipped | ScriptVerdict;

/** It does not apply here: the verdict is skipped, and enters no mean. */
export interface ScriptSkipped {
  /** Why. */
  readonly skipped: string;
}

/** Needs `score` or `turns`. */
export interface ScriptVerdict {
  /** 0 to 1; the mean over `turns` unless given. */
  readonly score?: number | undefined;
  /** One word for the outcome, such as `yes`. */
  readonly label?: string | undefined;
  /** The outcome as its field calls it, such as 4 or `B`. */
  readonly value?: string | number | undefined;
  /** Why, in a sentence or two. */
  readonly rationale?: string | undefined;
  /** What it says of single turns; they show it in the editor. */
  readonly turns?: readonly ScriptTurnVerdict[] | undefined;
  /** Anything else worth keeping. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

export interface ScriptTurnVerdict {
  /** The number of the turn. */
  readonly turn: number;
  /** 0 to 1; the turn passes where it reaches the assertion's threshold. */
  readonly score: number;
  readonly rationale: string;
  /** Words of that turn; they are looked up in it, and marked where they are not there. */
  readonly evidence?: string | undefined;
}
