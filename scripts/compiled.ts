import { resolve } from 'node:path';

/** Keeps what a process compiles for the next: most processes of the tests load the same modules. */
export const COMPILED = {
  NODE_COMPILE_CACHE: resolve(import.meta.dirname, '../.cache/compiled'),
};
