import { errorText } from '../core/errors.ts';
import type { ModelSpec } from '../core/suite.ts';
import { ModelError, type ModelHost } from '../models/model.ts';
import { createModel } from '../models/registry.ts';

export type Trial =
  | { readonly kind: 'answered' }
  | { readonly kind: 'refused'; readonly message: string }
  /** The key may be right: what failed is something else. */
  | { readonly kind: 'failed'; readonly message: string };

/** Asks a model one short question, to find out whether its key is taken. */
export async function tryModel(spec: ModelSpec, host: ModelHost): Promise<Trial> {
  try {
    const model = await createModel(spec, host);
    const messages = [{ role: 'user' as const, content: 'Say OK.' }];
    await model.complete({ messages, maxTokens: 16 }, 1, AbortSignal.timeout(30_000));
    return { kind: 'answered' };
  } catch (error) {
    const refused = error instanceof ModelError && error.reason === 'unauthorized';
    return { kind: refused ? 'refused' : 'failed', message: errorText(error) };
  }
}
