import { type Document, parseDocument } from 'yaml';

/** A YAML syntax error. Offsets in UTF-16 units. */
export interface SyntaxFault {
  readonly code: string;
  readonly message: string;
  readonly start: number;
  readonly end: number;
}

/** A text parsed as YAML, however broken; undefined if it is nested too deeply. */
export function parse(text: string): Document.Parsed | undefined {
  try {
    return parseDocument(text, {
      uniqueKeys: false,
      merge: false,
      version: '1.2',
      prettyErrors: false,
    });
  } catch {
    return undefined;
  }
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

const UNREADABLE = [
  'yaml-syntax',
  'tab-indent',
  'several-documents',
  'too-deep',
  'bad-key',
  'unknown-alias',
  'circular-alias',
];

/** Whether a problem keeps a text, or the item that it is confined to, from being read as it is meant. */
export function isUnreadable({ code }: Pick<SyntaxFault, 'code'>): boolean {
  return UNREADABLE.includes(code);
}
