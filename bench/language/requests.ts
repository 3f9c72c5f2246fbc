import type { BenchFile } from './evalFile.ts';

/** A request that an editor sends. */
export interface BenchRequest {
  readonly what: string;
  readonly method: string;
  /** Whether editors send it with every key press, before the new text is checked. */
  readonly whileTyping: boolean;
  readonly params: (file: BenchFile, uri: string) => object;
}

/** Each request is only sent to servers that support it. */
export const requests: readonly BenchRequest[] = [
  at('completion of a value', 'textDocument/completion', ({ inType }) => inType, true),
  at('completion of a key', 'textDocument/completion', ({ inKey }) => inKey, true),
  at('hover', 'textDocument/hover', ({ inType }) => inType),
  at('definition', 'textDocument/definition', ({ onName }) => onName),
  {
    ...at('references', 'textDocument/references', ({ onName }) => onName),
    params: ({ onName }, uri) => ({
      textDocument: { uri },
      position: onName,
      context: { includeDeclaration: true },
    }),
  },
  ofFile('document symbols', 'textDocument/documentSymbol', true),
  ofFile('semantic tokens', 'textDocument/semanticTokens/full', true),
  ofFile('folding ranges', 'textDocument/foldingRange', true),
  {
    ...ofFile('selection range', 'textDocument/selectionRange'),
    params: ({ inTalk }, uri) => ({ textDocument: { uri }, positions: [inTalk] }),
  },
  {
    ...ofFile('inlay hints of a screen', 'textDocument/inlayHint', true),
    params: ({ inTalk }, uri) => ({ textDocument: { uri }, range: screenAround(inTalk) }),
  },
  {
    ...ofFile('code actions', 'textDocument/codeAction'),
    params: ({ inTalk }, uri) => ({
      textDocument: { uri },
      range: { start: inTalk, end: inTalk },
      context: { diagnostics: [] },
    }),
  },
  ofFile('code lenses', 'textDocument/codeLens'),
  ofFile('document links', 'textDocument/documentLink'),
  {
    ...ofFile('formatting', 'textDocument/formatting'),
    params: (_, uri) => ({ textDocument: { uri }, options: { tabSize: 2, insertSpaces: true } }),
  },
];

function at(
  what: string,
  method: string,
  place: (file: BenchFile) => BenchFile['inTalk'],
  whileTyping = false,
): BenchRequest {
  const params: BenchRequest['params'] = (file, uri) => ({
    textDocument: { uri },
    position: place(file),
  });
  return { what, method, whileTyping, params };
}

function ofFile(what: string, method: string, whileTyping = false): BenchRequest {
  return { what, method, whileTyping, params: (_, uri) => ({ textDocument: { uri } }) };
}

function screenAround({ line }: BenchFile['inTalk']) {
  return { start: { line: line - 25, character: 0 }, end: { line: line + 25, character: 0 } };
}
