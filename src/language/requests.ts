import type * as lsp from 'vscode-languageserver-protocol';
import type { Step } from '../core/steps.ts';
import type { Refusal, RenameTarget, Renaming } from './features/rename.ts';
import type { LanguagePorts } from './ports.ts';

/** Everything that can be asked about a document: what LSP asks with, and what it is answered. */
export interface Requests {
  codeActions: { params: lsp.CodeActionParams; answer: lsp.CodeAction[] };
  codeLenses: { params: lsp.CodeLensParams; answer: lsp.CodeLens[] };
  completion: { params: lsp.CompletionParams; answer: lsp.CompletionItem[] };
  definition: { params: lsp.DefinitionParams; answer: lsp.Location[] };
  documentLinks: { params: lsp.DocumentLinkParams; answer: lsp.DocumentLink[] };
  documentSymbols: { params: lsp.DocumentSymbolParams; answer: lsp.DocumentSymbol[] };
  foldingRanges: { params: lsp.FoldingRangeParams; answer: lsp.FoldingRange[] };
  formatting: { params: lsp.DocumentFormattingParams; answer: lsp.TextEdit[] };
  hover: { params: lsp.HoverParams; answer: lsp.Hover };
  inlayHints: { params: lsp.InlayHintParams; answer: lsp.InlayHint[] };
  onTypeFormatting: { params: lsp.DocumentOnTypeFormattingParams; answer: lsp.TextEdit[] };
  prepareRename: { params: lsp.PrepareRenameParams; answer: RenameTarget | Refusal };
  references: { params: lsp.ReferenceParams; answer: lsp.Location[] };
  rename: { params: lsp.RenameParams; answer: Renaming | Refusal };
  selectionRanges: { params: lsp.SelectionRangeParams; answer: lsp.SelectionRange[] };
  semanticTokens: { params: lsp.SemanticTokensParams; answer: lsp.SemanticTokens };
}

export type RequestName = keyof Requests;

/** What a request is about, and what it is answered with the help of. */
export interface About {
  readonly uri: string;
  readonly path: string;
  readonly ports: LanguagePorts;
  /** Aborted once nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** For work that may take long: see `LIMITS.work`. */
  readonly step: Step;
}

/** Answers to requests; undefined if there is nothing to say. */
export type Features = {
  readonly [Name in RequestName]?: (
    params: Requests[Name]['params'],
    about: About,
  ) => Promise<Requests[Name]['answer'] | undefined>;
};

/** Documents that are served alike. What they have no feature for is answered with nothing. */
export interface DocumentKind {
  /** @param isUsed whether a suite uses the file */
  includes(path: string, isUsed: boolean): boolean;
  readonly features: Features;
}
