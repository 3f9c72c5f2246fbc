import { resolve } from 'node:path';

/** Lets processes share compiled code, since most test processes load the same modules. */
export const COMPILED = {
  NODE_COMPILE_CACHE: resolve(import.meta.dirname, '../.cache/compiled'),
};
