import { PROTOCOL } from './protocol.ts';

/** The shortest beginning that OpenAI's prompt cache serves, in tokens; others begin there or later. */
const CACHE_BLOCK = 1024;

/** Within a quarter for most texts and languages. Counting would load tables, which takes longer than it saves. */
const BYTES_PER_TOKEN = 4;

/** Whether a prompt cache holds what all requests about a conversation begin with. */
export function isCacheable(block: string): boolean {
  return Buffer.byteLength(PROTOCOL + block) >= CACHE_BLOCK * BYTES_PER_TOKEN;
}
