import type { Dialect } from './dialect.ts';
import { openaiChat } from './openaiChat.ts';
import { shorthand } from './shorthand.ts';

/** Every way in which a message may be written. A new one is a file in this folder and its line here. */
export const dialects: readonly Dialect[] = [openaiChat, shorthand];
