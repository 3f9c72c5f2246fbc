import * as z from 'zod';
import type { JudgedType } from '../contract.ts';

type Usual = 'params' | 'defaultThreshold' | 'side';

/** A judged type; without keys of its own, passing from half on and about the assistant unless it says so. */
export function judgedType(
  type: Omit<JudgedType, 'kind' | Usual> & Partial<Pick<JudgedType, Usual>>,
): JudgedType {
  return {
    kind: 'judged',
    params: z.strictObject({}),
    defaultThreshold: 0.5,
    side: 'assistant',
    ...type,
  };
}
