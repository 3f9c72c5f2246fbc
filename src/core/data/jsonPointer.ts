import { valueAt } from './data.ts';

/** RFC 6901: `/choices/0/text`; the empty one is the whole document. */
const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;

export function isJsonPointer(text: string): boolean {
  return POINTER.test(text);
}

/** What a pointer leads to; undefined if it leads nowhere. */
export function valueAtPointer(root: unknown, pointer: string): unknown {
  const steps = pointer.split('/').slice(1);
  return valueAt(
    root,
    steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')),
  );
}
