import type * as z from 'zod';
import type { Message } from '../core/message.ts';

/** Something wrong with a message: where in it (`['content', 0, 'type']`), a code, a sentence. */
export interface MessageProblem {
  readonly path: readonly (string | number)[];
  readonly code: string;
  readonly message: string;
  /** True puts the problem on the key at `path`, not on its value. */
  readonly onKey?: boolean;
  readonly replacement?: string;
}

export type ReadMessage =
  | {
      readonly messages: readonly Message[];
      /** Parts with nothing to show, a line each. */
      readonly notes: readonly string[];
      /** A tool result that names no call and joins the one open call. */
      readonly joinsOpenCall?: boolean;
    }
  | { readonly problems: readonly MessageProblem[] };

/** One way to write messages: a file in this folder and its line in the registry. */
export interface Dialect {
  readonly name: string;
  /** Whether an item is meant in this dialect, however broken it is. */
  matches(item: Readonly<Record<string, unknown>>): boolean;
  /** Closed at every depth; the base of completion and JSON Schema. */
  readonly schema: z.ZodType;
  /** Never changes the item. */
  read(item: Readonly<Record<string, unknown>>): ReadMessage;
}
