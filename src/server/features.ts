import * as lsp from 'vscode-languageserver/node';
import { stackText } from '../core/errors.ts';
import { START } from '../core/problem.ts';
import { visibleLine } from '../core/text/visibleText.ts';
import { codeActionKinds } from '../language/codeActions/codeActions.ts';
import { ON_TYPE } from '../language/features/formatting.ts';
import type { Refusal } from '../language/features/rename.ts';
import { SEMANTIC_TOKENS } from '../language/features/semanticTokens.ts';
import type { LanguageService, RequestName, Requests } from '../language/service.ts';
import type { RecordRenames } from './recordRenames.ts';

export const FEATURES: lsp.ServerCapabilities = {
  hoverProvider: true,
  codeLensProvider: { resolveProvider: true },
  completionProvider: {
    triggerCharacters: [':', ' ', '-', '{', '[', ',', '"', "'", '/', '.'],
  },
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

/** Has the client ask again for what is shown of verdicts. */
export interface VerdictRefresh {
  /** Of times that it was told to. */
  readonly count: number;
  soon(): void;
}

export function serveFeatures(
  connection: lsp.Connection,
  service: LanguageService,
  renames: Pick<RecordRenames, 'expect'>,
  verdicts: VerdictRefresh,
): void {
  /** Where the work fails, the error is logged and the answer is nothing. */
  const serve = <Params, Answer, Part, Options>(
    type: lsp.ProtocolRequestType<Params, Answer, Part, void, Options>,
    nothing: Answer,
    work: (params: Params, signal: AbortSignal) => Promise<Answer | undefined>,
  ) =>
    connection.onRequest<unknown, void>(
      type.method,
      async (params: Params, token: lsp.CancellationToken) => {
        const unwanted = new AbortController();
        token.onCancellationRequested(() => unwanted.abort());
        try {
          return (await work(params, unwanted.signal)) ?? nothing;
        } catch (error) {
          if (error instanceof lsp.ResponseError) throw error;
          if (unwanted.signal.aborted)
            throw new lsp.ResponseError(lsp.LSPErrorCodes.RequestCancelled, '');
          connection.console.error(stackText(error));
          return nothing;
        }
      },
    );
  const ask =
    <Name extends RequestName>(name: Name) =>
    (params: Requests[Name]['params'], signal: AbortSignal) =>
      service.ask(name, params, signal);

  serve(lsp.CodeActionRequest.type, [], ask('codeActions'));
  serve(lsp.CodeLensRequest.type, [], ask('codeLenses'));
  serve(lsp.CodeLensResolveRequest.type, { range: START }, (lens) => service.resolveCodeLens(lens));
  serve(lsp.CompletionRequest.type, [], ask('completion'));
  serve(lsp.DefinitionRequest.type, [], ask('definition'));
  serve(lsp.DocumentFormattingRequest.type, [], ask('formatting'));
  serve(lsp.DocumentLinkRequest.type, [], ask('documentLinks'));
  serve(lsp.DocumentOnTypeFormattingRequest.type, [], ask('onTypeFormatting'));
  serve(lsp.DocumentSymbolRequest.type, [], ask('documentSymbols'));
  serve(lsp.FoldingRangeRequest.type, [], ask('foldingRanges'));
  serve(lsp.HoverRequest.type, null, ask('hover'));
  serve(lsp.InlayHintRequest.type, [], async (params, signal) => {
    const { count } = verdicts;
    const hints = await service.ask('inlayHints', params, signal);
    // VS Code listens once it has its first hints: what came meanwhile would never be shown.
    if (verdicts.count !== count) verdicts.soon();
    return hints;
  });
  serve(lsp.ReferencesRequest.type, [], ask('references'));
  serve(lsp.SelectionRangeRequest.type, [], ask('selectionRanges'));
  serve(lsp.SemanticTokensRequest.type, { data: [] }, ask('semanticTokens'));
  serve(lsp.WorkspaceSymbolRequest.type, [], ({ query }, signal) =>
    service.workspaceSymbols(query, signal),
  );
  serve(lsp.PrepareRenameRequest.type, null, async (params, signal) =>
    accepted(await service.ask('prepareRename', params, signal)),
  );
  serve(lsp.RenameRequest.type, null, async (params, signal) => {
    const renaming = accepted(await service.ask('rename', params, signal));
    if (renaming) renames.expect(renaming.renamedCases);
    return renaming?.edit;
  });
}

function accepted<Found extends object>(found: Found | Refusal | undefined): Found | undefined {
  if (!found || !('message' in found)) return found;
  throw new lsp.ResponseError(lsp.LSPErrorCodes.RequestFailed, visibleLine(found.message));
}
