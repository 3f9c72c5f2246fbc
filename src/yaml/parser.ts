import { type Document, isScalar, type Node, YAMLParseError } from 'yaml';
import { uniqueBy } from '../core/data/data.ts';
import type { Work } from '../node/cooperative.ts';
import { documentsWithin, REFUSALS, Refusal } from './gate.ts';
import { eachNode, type Style, styleOf } from './nodes.ts';
import { syntaxWords } from './syntaxWords.ts';

/** A YAML syntax error. Offsets in UTF-16 units. */
export interface SyntaxFault {
  readonly code: string;
  readonly message: string;
  readonly start: number;
  readonly end: number;
  /** What the range needs: quotes around it, or a blank behind it. */
  readonly needs?: 'quote' | 'blank';
}

const TABS = 'tab-indent';

const OPTIONS = { uniqueKeys: false, merge: false, version: '1.2', prettyErrors: false } as const;

/** A text parsed as YAML, however broken; undefined if it exceeds a limit. */
export function* parse(text: string): Work<Document.Parsed | undefined> {
  const read = yield* parseOrRefuse(text);
  return read instanceof Refusal ? undefined : read;
}

/** As `parse`, with the reason. */
export function* parseOrRefuse(text: string): Work<Document.Parsed | Refusal> {
  try {
    return yield* parseAdmitted(text);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function* parseAdmitted(text: string): Work<Document.Parsed> {
  const [document, second] = yield* documentsWithin(text, OPTIONS);
  if (!document) throw new Error('Internal error: a YAML text without a document.');
  if (second) {
    const [start, end] = second.range;
    document.errors.push(new YAMLParseError([start, end], 'MULTIPLE_DOCS', ''));
  }
  return document;
}

/** @param text that was parsed */
export function faultsOf({ errors, contents }: Document.Parsed, text: string): SyntaxFault[] {
  /** What stands behind one of these is read wrong because of it. */
  const misleading = new Set<SyntaxFault>();
  const faults = errors.map(({ code, message: said, pos: [start, end] }): SyntaxFault => {
    const place = { start, end: Math.max(start, end) };
    const own = OWN_WORDS[code];
    const { message, mend, misplaced } = syntaxWords(said.split('\n')[0] ?? '', text, start);
    const { kind: needs, ...mended } = mend ?? {};
    const range = { ...place, ...openedAt(said, start, contents), ...misplaced, ...mended };
    const fault = own
      ? { ...own, ...place }
      : { code: 'yaml-syntax', message, ...range, ...(needs && { needs }) };
    if (own?.code === TABS || (!own && (mend ?? misplaced))) misleading.add(fault);
    return fault;
  });
  const sure = faults.findIndex((fault) => misleading.has(fault));
  const told = faults.filter(({ code }, index) => sure < 0 || index <= sure || code === TABS);
  return uniqueBy(told, ({ message, start }) => `${start} ${message}`);
}

const QUOTED: readonly Style[] = ['single', 'double'];

/** Where a text begins that has no closing quote: the parser knows where it noticed. */
function openedAt(said: string, end: number, contents: Node | null) {
  if (!said.startsWith('Missing closing')) return undefined;
  let opened: Pick<SyntaxFault, 'start' | 'end'> | undefined;
  eachNode(contents, (node) => {
    if (!isScalar(node) || !node.range || node.range[0] >= end) return;
    const [start, behind] = node.range;
    if (QUOTED.includes(styleOf(node))) opened = { start, end: behind };
  });
  return opened;
}

const OWN_WORDS: Readonly<Record<string, Pick<SyntaxFault, 'code' | 'message'>>> = {
  TAB_AS_INDENT: {
    code: TABS,
    message: 'YAML cannot be indented with tabs. Use spaces.',
  },
  MULTIPLE_DOCS: {
    code: 'several-documents',
    message: 'A second document starts here. Keep one suite per file.',
  },
};

const UNREADABLE: readonly string[] = [
  'yaml-syntax',
  TABS,
  'several-documents',
  ...REFUSALS,
  'bad-key',
  'unknown-alias',
  'circular-alias',
];

/** Whether a problem keeps a text, or the item that it is confined to, from being read as it is meant. */
export function isUnreadable({ code }: Pick<SyntaxFault, 'code'>): boolean {
  return UNREADABLE.includes(code);
}
