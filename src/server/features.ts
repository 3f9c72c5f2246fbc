import * as lsp from 'vscode-languageserver/node';
import { stackText } from '../core/errors.ts';
import { START } from '../core/problem.ts';
import { visibleLine } from '../core/text/visibleText.ts';
import type { CaseRenames } from '../evalfile/caseRenames.ts';
import { codeActionKinds } from '../language/codeActions/codeActions.ts';
import { ON_TYPE } from '../language/features/formatting.ts';
import type { RenameRefusal } from '../language/features/rename.ts';
import { SEMANTIC_TOKENS } from '../language/features/semanticTokens.ts';
import type { LanguageService, RequestName, Requests } from '../language/service.ts';

export const FEATURES: lsp.ServerCapabilities = {
  hoverProvider: true,
  codeLensProvider: { resolveProvider: true },
  completionProvider: { triggerCharacters: [':', ' ', '-', '{', '[', ',', '"', "'", '/', '.'] },
  definitionProvider: true,
  referencesProvider: true,
  renameProvider: { prepareProvider: true },
  documentLinkProvider: {},
  documentSymbolProvider: true,
  workspaceSymbolProvider: true,
  foldingRangeProvider: true,
  selectionRangeProvider: true,
  semanticTokensProvider: {
    legend: {
      tokenTypes: [...SEMANTIC_TOKENS.tokenTypes],
      tokenModifiers: [...SEMANTIC_TOKENS.tokenModifiers],
    },
    full: true,
  },
  inlayHintProvider: true,
  documentFormattingProvider: true,
  documentOnTypeFormattingProvider: { firstTriggerCharacter: ON_TYPE.first },
  codeActionProvider: { codeActionKinds: [...codeActionKinds] },
};

/** @param verdicts makes the client request hints and lenses again; `count` is the number of times it has done so */
export function serveFeatures(
  connection: lsp.Connection,
  service: LanguageService,
  renames: Pick<CaseRenames, 'expect'>,
  verdicts: { readonly count: number; schedule(): void },
): void {
  /** If `handle` fails, logs the error and returns `empty`. */
  const serve = <Params, Result, Part, Options>(
    type: lsp.ProtocolRequestType<Params, Result, Part, void, Options>,
    empty: Result,
    handle: (params: Params, signal: AbortSignal) => Promise<Result | undefined>,
  ) =>
    connection.onRequest<unknown, void>(
      type.method,
      async (params: Params, token: lsp.CancellationToken) => {
        const cancellation = new AbortController();
        token.onCancellationRequested(() => cancellation.abort());
        try {
          return (await handle(params, cancellation.signal)) ?? empty;
        } catch (error) {
          if (error instanceof lsp.ResponseError) throw error;
          if (cancellation.signal.aborted)
            throw new lsp.ResponseError(lsp.LSPErrorCodes.RequestCancelled, '');
          connection.console.error(stackText(error));
          return empty;
        }
      },
    );
  const request =
    <Name extends RequestName>(name: Name) =>
    (params: Requests[Name]['params'], signal: AbortSignal) =>
      service.request(name, params, signal);

  serve(lsp.CodeActionRequest.type, [], request('codeActions'));
  serve(lsp.CodeLensRequest.type, [], request('codeLenses'));
  serve(lsp.CodeLensResolveRequest.type, { range: START }, (lens) => service.resolveCodeLens(lens));
  serve(lsp.CompletionRequest.type, [], request('completion'));
  serve(lsp.DefinitionRequest.type, [], request('definition'));
  serve(lsp.DocumentFormattingRequest.type, [], request('formatting'));
  serve(lsp.DocumentLinkRequest.type, [], request('documentLinks'));
  serve(lsp.DocumentOnTypeFormattingRequest.type, [], request('onTypeFormatting'));
  serve(lsp.DocumentSymbolRequest.type, [], request('documentSymbols'));
  serve(lsp.FoldingRangeRequest.type, [], request('foldingRanges'));
  serve(lsp.HoverRequest.type, null, request('hover'));
  serve(lsp.InlayHintRequest.type, [], async (params, signal) => {
    const { count } = verdicts;
    const hints = await service.request('inlayHints', params, signal);
    // VS Code ignores refreshes until it has received its first hints.
    if (verdicts.count !== count) verdicts.schedule();
    return hints;
  });
  serve(lsp.ReferencesRequest.type, [], request('references'));
  serve(lsp.SelectionRangeRequest.type, [], request('selectionRanges'));
  serve(lsp.SemanticTokensRequest.type, { data: [] }, request('semanticTokens'));
  serve(lsp.WorkspaceSymbolRequest.type, [], ({ query }, signal) =>
    service.workspaceSymbols(query, signal),
  );
  serve(lsp.PrepareRenameRequest.type, null, async (params, signal) =>
    accepted(await service.request('prepareRename', params, signal)),
  );
  serve(lsp.RenameRequest.type, null, async (params, signal) => {
    const renaming = accepted(await service.request('rename', params, signal));
    if (renaming) renames.expect(renaming.renamedCases);
    return renaming?.edit;
  });
}

function accepted<Found extends object>(found: Found | RenameRefusal | undefined) {
  if (!found || !('message' in found)) return found;
  throw new lsp.ResponseError(lsp.LSPErrorCodes.RequestFailed, visibleLine(found.message));
}
