import type * as z from 'zod';
import { SECTION } from './names.ts';

/** What a page of ours shows; one script serves all, so that what they share ships once. */
export type ViewPage = 'conversation' | 'results' | 'agreement' | 'labelling' | 'trends';

/** On the page's root: which it is. */
export const PAGE_ATTRIBUTE = 'data-page';

/** By which VS Code brings a page back after a reload. */
export function viewTypeOf(page: ViewPage): string {
  return `${SECTION}.${page}`;
}

/** Where a case is in its run; `new`: it never ran. */
export const PHASES = ['new', 'queued', 'running', 'cancelled', 'finished'] as const;

export function isRunning(phase: (typeof PHASES)[number] | undefined): boolean {
  return phase === 'queued' || phase === 'running';
}

/** The messages between the extension and a page. Each end parses what it receives. */
export interface PageProtocol {
  readonly toPage: z.ZodType<{ readonly kind: string }>;
  readonly fromPage: z.ZodType<{ readonly kind: string }>;
  /** What the page keeps over a reload. */
  readonly state: z.ZodType;
}

export type ToPage<Protocol extends PageProtocol> = z.infer<Protocol['toPage']>;
export type FromPage<Protocol extends PageProtocol> = z.infer<Protocol['fromPage']>;
export type PageState<Protocol extends PageProtocol> = z.infer<Protocol['state']>;

/**
 * The policy of a page of the conversation view: it loads its own script and style, and nothing else at
 * all.
 *
 * @param nonce random, new for each page: only what carries it runs
 * @param styles further sources of style sheets
 */
export function viewPolicy(nonce: string, ...styles: readonly string[]): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    ['style-src', ...styles, `'nonce-${nonce}'`].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}
