import { type Document, YAMLParseError } from 'yaml';
import { documentsWithin, REFUSALS, Refusal } from './gate.ts';

/** A YAML syntax error. Offsets in UTF-16 units. */
export interface SyntaxFault {
  readonly code: string;
  readonly message: string;
  readonly start: number;
  readonly end: number;
}

const OPTIONS = { uniqueKeys: false, merge: false, version: '1.2', prettyErrors: false } as const;

/** A text parsed as YAML, however broken; undefined if it exceeds a limit. */
export function parse(text: string): Document.Parsed | undefined {
  const read = parseOrRefuse(text);
  return read instanceof Refusal ? undefined : read;
}

/** As `parse`, with the reason. */
export function parseOrRefuse(text: string): Document.Parsed | Refusal {
  try {
    return parseAdmitted(text);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function parseAdmitted(text: string): Document.Parsed {
  const [document, second] = documentsWithin(text, OPTIONS);
  if (!document) throw new Error('Internal error: a YAML text without a document.');
  if (second) {
    const [start, end] = second.range;
    document.errors.push(new YAMLParseError([start, end], 'MULTIPLE_DOCS', ''));
  }
  return document;
}

export function faultsOf({ errors }: Document.Parsed): SyntaxFault[] {
  return errors.map(({ code, message, pos: [start, end] }) => {
    const general = `This is not valid YAML: ${message.split('\n')[0]}`;
    const words = OWN_WORDS[code] ?? { code: 'yaml-syntax', message: general };
    return { ...words, start, end: Math.max(start, end) };
  });
}

const OWN_WORDS: Readonly<Record<string, Pick<SyntaxFault, 'code' | 'message'>>> = {
  TAB_AS_INDENT: {
    code: 'tab-indent',
    message: 'YAML cannot be indented with tabs. Use spaces.',
  },
  MULTIPLE_DOCS: {
    code: 'several-documents',
    message: 'A second document starts here. Keep one suite per file.',
  },
};

const UNREADABLE: readonly string[] = [
  'yaml-syntax',
  'tab-indent',
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
