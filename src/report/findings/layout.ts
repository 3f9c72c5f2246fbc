import { escapeLine } from '../../core/text/markdown.ts';
import type { Status } from '../../core/verdict.ts';
import type { Paint } from '../style.ts';
import { markdownList, markdownTable, plainTable } from '../tables.ts';

type Rows = readonly (readonly string[])[];

/** Lays out a report: for a terminal, or as Markdown for a pull request. */
export interface Layout {
  readonly kind: 'terminal' | 'markdown';
  /** The title; a terminal shows none. */
  title(text: string): string | undefined;
  heading(text: string): string;
  text(text: string): string;
  list(texts: readonly string[]): string;
  table(head: readonly string[], rows: Rows, legend?: string): string;
  /** A list under a heading; undefined if the list is empty. */
  section(heading: string, texts: readonly string[]): string | undefined;
  /** Parts of a section under a smaller heading. */
  group(heading: string, ...parts: readonly string[]): string;
  /** @param items items of a list; a terminal colors them by status */
  outline(heading: string, items: readonly OutlineItem[], rest: string | undefined): string;
}

export interface OutlineItem {
  readonly text: string;
  readonly details: readonly string[];
  readonly status: Status;
}

/** Maximum number of characters per list entry in Markdown. */
const MAX_ENTRY = 600;

export function terminalLayout(paint: Paint): Layout {
  return {
    kind: 'terminal',
    title: () => undefined,
    heading: paint.bold,
    text: (text) => text,
    list: (texts) => texts.join('\n'),
    table: (head, rows, legend) =>
      [plainTable(head, rows), ...(legend === undefined ? [] : [legend])].join('\n'),
    section: (heading, texts) =>
      texts.length === 0 ? undefined : [paint.bold(heading), ...texts].join('\n  '),
    group: (heading, ...parts) => [paint.bold(heading), ...parts].join('\n'),
    outline: (heading, items, rest) => {
      const lines = items.flatMap(({ text, details, status }) => [
        `  ${paint.status(status, text)}`,
        ...details.map((one) => `      ${one}`),
      ]);
      return [paint.bold(heading), ...lines, ...(rest === undefined ? [] : [`  ${rest}`])].join(
        '\n',
      );
    },
  };
}

export const MARKDOWN: Layout = {
  kind: 'markdown',
  title: (text) => `# ${escapeLine(text)}`,
  heading: (text) => `## ${escapeLine(text)}`,
  text: (text) => escapeLine(text, MAX_ENTRY),
  list: (texts) => markdownList(texts, MAX_ENTRY),
  table: (head, rows, legend) =>
    [markdownTable(head, rows), ...(legend === undefined ? [] : [legend])].join('\n\n'),
  section: (heading, texts) =>
    texts.length === 0
      ? undefined
      : `## ${escapeLine(heading)}\n\n${markdownList(texts, MAX_ENTRY)}`,
  group: (heading, ...parts) => [`### ${escapeLine(heading)}`, ...parts].join('\n\n'),
  outline: (heading, items, rest) => {
    const lines = items.flatMap(({ text, details }) => [
      `- ${escapeLine(text, MAX_ENTRY)}`,
      ...details.map((one) => `  - ${escapeLine(one, MAX_ENTRY)}`),
    ]);
    return `## ${heading}\n\n${[...lines, ...(rest === undefined ? [] : [`  ${rest}`])].join('\n')}`;
  },
};
