import type * as z from 'zod';
import { SECTION } from './names.ts';

/** The kinds of pages. One script serves all of them, so that shared code is only shipped once. */
export const VIEW_PAGES = [
  'conversation',
  'results',
  'agreement',
  'labeling',
  'trends',
  'talk',
] as const;

export type ViewPage = (typeof VIEW_PAGES)[number];

/** The root element's attribute that names the page. */
export const PAGE_ATTRIBUTE = 'data-page';

/** The id that VS Code uses to restore a page after a reload. */
export function viewTypeOf(page: ViewPage): string {
  return `${SECTION}.${page}`;
}

/** A case's phases. `new` means that it hasn't run yet. */
export const PHASES = ['new', 'queued', 'running', 'cancelled', 'finished'] as const;

export function isRunning(phase: (typeof PHASES)[number] | undefined): boolean {
  return phase === 'queued' || phase === 'running';
}

/** The messages between the extension and a page. Each side parses what it receives. */
export interface PageProtocol {
  readonly toPage: z.ZodType<{ readonly kind: string }>;
  readonly fromPage: z.ZodType<{ readonly kind: string }>;
  /** The schema of the state that the page restores after a reload. */
  readonly state: z.ZodType;
}

export type ToPage<Protocol extends PageProtocol> = z.infer<Protocol['toPage']>;
export type FromPage<Protocol extends PageProtocol> = z.infer<Protocol['fromPage']>;
export type PageState<Protocol extends PageProtocol> = z.infer<Protocol['state']>;

/** The pages that show conversations with images. */
const PAGES_WITH_IMAGES: readonly string[] = ['conversation', 'labeling', 'talk', 'report'];

/**
 * The content security policy of a page: it loads its own script and styles, and nothing else. Pages with conversations
 * also show images that they get as data.
 *
 * @param nonce random, new for each page: only scripts and styles with it load
 * @param styles further sources of style sheets
 */
export function viewPolicy(
  page: ViewPage | 'report',
  nonce: string,
  ...styles: readonly string[]
): string {
  return [
    "default-src 'none'",
    ...(PAGES_WITH_IMAGES.includes(page) ? ['img-src data:'] : []),
    `script-src 'nonce-${nonce}'`,
    ['style-src', ...styles, `'nonce-${nonce}'`].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}
