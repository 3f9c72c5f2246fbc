import type * as z from 'zod';
import type { Mapping, Path } from '../core/data/data.ts';
import type { Message } from '../core/message.ts';
import type { ValueProblem } from '../schema/valueProblems.ts';

export type Item = Mapping;

export interface HeldMessage {
  readonly message: Message;
  /** Where in the item a tool result names its call; `tool_call_id` by default. */
  readonly idAt?: Path;
  /** A tool result that names no call and joins the one open call. */
  readonly joinsOpenCall?: boolean;
}

export interface Refused {
  readonly problems: readonly ValueProblem[];
}

export type ReadMessage =
  | {
      /** In order: a reply may hold text, a call, its result and text again. */
      readonly messages: readonly HeldMessage[];
      /** Parts with nothing to show, a line each. */
      readonly notes: readonly string[];
    }
  | Refused;

/** One way to write messages: a file in this folder and its line in the registry. */
export interface Dialect {
  readonly name: string;
  /** True for our own way to write messages, in which nothing unknown is ignored. */
  readonly isOurs?: true;
  /** Whether an item is meant in this dialect, however broken it is. */
  matches(item: Item): boolean;
  /** Closed at every depth; the base of completion and JSON Schema. */
  readonly schema: z.ZodType;
  /** The `type`s that its parts and items may have. */
  readonly types: readonly string[];
  /** Never changes the item. `index` is its place in the list, from 0. */
  read(item: Item, index: number): ReadMessage;
}

/** Where a message holds what it says, if not in `content`. */
export interface Body {
  readonly body?: string;
}

export function refused(path: Path, code: string, message: string): Refused {
  return { problems: [{ path, code, message }] };
}
