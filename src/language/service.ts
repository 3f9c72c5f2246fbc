import type * as lsp from 'vscode-languageserver-protocol';
import type { CodeLens, WorkspaceSymbol } from 'vscode-languageserver-types';
import { memoize } from '../core/data/data.ts';
import { LIMITS } from '../core/limits.ts';
import { runCooperatively, type Step, stepsOf } from '../node/cooperative.ts';
import { isEvalFile, isMessagesFile } from '../node/paths.ts';
import { codeActions, codeActionsOfText } from './codeActions/codeActions.ts';
import { completion } from './completion/completion.ts';
import { messageCompletion } from './completion/messageCompletion.ts';
import { promptCompletion, promptContext } from './completion/promptCompletion.ts';
import { codeLenses, resolveLens } from './features/codeLens.ts';
import { formatting, onTypeFormatting } from './features/formatting.ts';
import { inlayHints } from './features/inlayHints.ts';
import { foldingRanges, selectionRanges } from './features/ranges.ts';
import { definition, documentLinks, references } from './features/references.ts';
import {
  prepareRename,
  type RenameRefusal,
  type RenameTarget,
  type Renaming,
  rename,
} from './features/rename.ts';
import { semanticTokens } from './features/semanticTokens.ts';
import { documentSymbols, messageSymbols, workspaceSymbols } from './features/symbols.ts';
import { hover, messageHover, promptHover } from './hover/hover.ts';
import type { EvalDocument, IndexedFile, LanguagePorts } from './ports.ts';
import type { SymbolPorts } from './symbols/sameSymbol.ts';

/** The requests for a document, with LSP's parameters and results. */
export interface Requests {
  codeActions: { params: lsp.CodeActionParams; result: lsp.CodeAction[] };
  codeLenses: { params: lsp.CodeLensParams; result: lsp.CodeLens[] };
  completion: { params: lsp.CompletionParams; result: lsp.CompletionItem[] };
  definition: { params: lsp.DefinitionParams; result: lsp.Location[] };
  documentLinks: { params: lsp.DocumentLinkParams; result: lsp.DocumentLink[] };
  documentSymbols: { params: lsp.DocumentSymbolParams; result: lsp.DocumentSymbol[] };
  foldingRanges: { params: lsp.FoldingRangeParams; result: lsp.FoldingRange[] };
  formatting: { params: lsp.DocumentFormattingParams; result: lsp.TextEdit[] };
  hover: { params: lsp.HoverParams; result: lsp.Hover };
  inlayHints: { params: lsp.InlayHintParams; result: lsp.InlayHint[] };
  onTypeFormatting: { params: lsp.DocumentOnTypeFormattingParams; result: lsp.TextEdit[] };
  prepareRename: { params: lsp.PrepareRenameParams; result: RenameTarget | RenameRefusal };
  references: { params: lsp.ReferenceParams; result: lsp.Location[] };
  rename: { params: lsp.RenameParams; result: Renaming | RenameRefusal };
  selectionRanges: { params: lsp.SelectionRangeParams; result: lsp.SelectionRange[] };
  semanticTokens: { params: lsp.SemanticTokensParams; result: lsp.SemanticTokens };
}

export type RequestName = keyof Requests;

interface RequestContext {
  readonly uri: string;
  readonly path: string;
  readonly ports: LanguagePorts;
  /** Aborted if the request is canceled. */
  readonly signal: AbortSignal;
  /** Awaited in long work; see `LIMITS.work`. */
  readonly step: Step;
}

/** Functions that return undefined for an empty result. */
type Features = {
  readonly [Name in RequestName]?: (
    params: Requests[Name]['params'],
    request: RequestContext,
  ) => Promise<Requests[Name]['result'] | undefined>;
};

interface DocumentKind {
  /** @param isUsed whether any suite uses the file */
  includes(path: string, isUsed: boolean): boolean;
  /** Handlers for requests. Requests that aren't listed get an empty result. */
  readonly features: Features;
}

const symbolFeatures: Features = {
  definition: withSymbols((symbols, { position }, { path }) => definition(path, position, symbols)),
  prepareRename: withSymbols((symbols, { position }, { path }) =>
    prepareRename(path, position, symbols),
  ),
  references: withSymbols((symbols, { position, context }, { path }) =>
    references(path, position, context.includeDeclaration, symbols),
  ),
  rename: withSymbols((symbols, { position, newName }, { path }) =>
    rename(path, position, newName, symbols),
  ),
};

/** Completes without waiting until the whole file is loaded. */
const casesCompletion: Features['completion'] = withText(
  async (text, { position }, { path, ports, step }) => {
    const [user] = ports.usersOf(path);
    const suite = user === undefined ? undefined : await ports.documentAt(user);
    const context = {
      ...ports,
      ...ports.clientSettings(),
      ...(suite && { including: suite.yaml.value }),
      ...(user !== undefined && { suite: user }),
      workspace: ports.workspaceOf(path),
    };
    return completion(text, path, position, context, step);
  },
);

const textActions: Features['codeActions'] = withText((text, { context }, { path, ports }) =>
  codeActionsOfText(path, text, context.diagnostics, ports, context.only),
);

const evalFile: DocumentKind = {
  includes: isEvalFile,
  features: {
    ...symbolFeatures,
    codeActions: withDocument((document, { range, context }, { ports }) =>
      codeActions(document, range, context.diagnostics, ports, context.only),
    ),
    codeLenses: withDocument((document, _, { uri }) => codeLenses(document, uri)),
    completion: casesCompletion,
    documentLinks: withDocument(async (document, _, request) =>
      documentLinks(document, await openSymbols(request)),
    ),
    documentSymbols: withDocument(memoize(documentSymbols)),
    foldingRanges: withDocument(memoize(foldingRanges)),
    formatting: withDocument((document, { options }, { step }) =>
      runCooperatively(formatting(document, options), step),
    ),
    hover: withDocument(async (document, { position }, request) =>
      hover(document, position, request.ports, await openSymbols(request)),
    ),
    inlayHints: withDocument((document, { range }, { ports }) =>
      inlayHints(document, range, ports, ports.clientSettings().hints),
    ),
    onTypeFormatting: withDocument((document, { position, ch, options }) =>
      onTypeFormatting(document, position, ch, options),
    ),
    selectionRanges: withDocument((document, { positions }) =>
      selectionRanges(document, positions),
    ),
    semanticTokens: withDocument(memoize(semanticTokens)),
  },
};

const messagesFile: DocumentKind = {
  includes: isMessagesFile,
  features: {
    codeActions: textActions,
    completion: withText((text, { position }, { path, ports, step }) =>
      runCooperatively(messageCompletion(text, path, position, ports.clientSettings()), step),
    ),
    documentSymbols: withText((text, _, { path, step }) =>
      runCooperatively(messageSymbols(text, path), step),
    ),
    hover: withText((text, { position }, { path, ports, step }) =>
      runCooperatively(messageHover(text, path, position, ports), step),
    ),
  },
};

const judgePrompt: DocumentKind = {
  includes: (path, isUsed) => isUsed && path.endsWith('.md'),
  features: {
    ...symbolFeatures,
    codeActions: textActions,
    completion: withText(async (text, { position }, request) => {
      const { path, ports, signal, step } = request;
      const users = await ports.suitesAt(ports.usersOf(path), signal);
      const known = await promptContext(path, symbolPorts(users, request));
      const editorModels = await ports.editorModels();
      const context = { ...known, editorModels, ...ports.clientSettings() };
      return runCooperatively(promptCompletion(text, position, context), step);
    }),
    hover: async ({ position }, request) =>
      promptHover(request.path, position, await openSymbols(request)),
  },
};

/** A file of cases that a suite includes. It can have any name. */
const includedFile: DocumentKind = {
  includes: (path, isUsed) => isUsed && /\.ya?ml$/.test(path),
  features: { ...symbolFeatures, codeActions: textActions, completion: casesCompletion },
};

/** Any other file, such as a transcript, that a suite reports problems in. */
const otherFile: DocumentKind = { includes: () => true, features: { codeActions: textActions } };

/** All kinds of documents. The first kind that includes a file applies. */
const documentKinds = [evalFile, messagesFile, judgePrompt, includedFile, otherFile];

type Work<Input, Params, Result> = (
  input: Input,
  params: Params,
  request: RequestContext,
) => Result | Promise<Result>;

function withDocument<Params, Result>(work: Work<EvalDocument, Params, Result>) {
  return async (params: Params, request: RequestContext) => {
    const document = await request.ports.documentAt(request.path);
    return document && work(document, params, request);
  };
}

function withText<Params, Result>(work: Work<string, Params, Result>) {
  return async (params: Params, request: RequestContext) => {
    const text = await request.ports.readText(request.path);
    return text === undefined ? undefined : work(text, params, request);
  };
}

/** The symbols of all files. */
function withSymbols<Params, Result>(work: Work<SymbolPorts, Params, Result>) {
  return async (params: Params, request: RequestContext) => {
    const files = await request.ports.allFiles(request.signal);
    return work(symbolPorts(files, request), params, request);
  };
}

/** Doesn't read files, because open files have already been read. */
async function openSymbols(request: RequestContext): Promise<SymbolPorts> {
  return symbolPorts(await request.ports.openFiles(), request);
}

function symbolPorts(
  documents: readonly IndexedFile[],
  { ports, step }: RequestContext,
): SymbolPorts {
  return { ...ports, documents, step };
}

export type LanguageService = ReturnType<typeof createLanguageService>;

/** Answers editors' requests, independently of the protocol. */
export function createLanguageService(ports: LanguagePorts) {
  return {
    /**
     * @returns undefined if the result is empty
     * @throws the signal's reason when aborted, or `WorkLimitError`; time spent on other requests and on reading files
     * doesn't count
     */
    async request<Name extends RequestName>(
      name: Name,
      params: Requests[Name]['params'],
      signal: AbortSignal,
    ): Promise<Requests[Name]['result'] | undefined> {
      const { uri } = params.textDocument;
      const path = ports.pathOf(uri);
      const isUsed = ports.usersOf(path).length > 0;
      const kind = documentKinds.find((one) => one.includes(path, isUsed));
      const step = stepsOf(signal, LIMITS.work);
      return kind?.features[name]?.(params, { uri, path, ports, signal, step });
    },
    resolveCodeLens(lens: CodeLens): Promise<CodeLens> {
      const suiteAt = async (uri: string) => (await ports.documentAt(ports.pathOf(uri)))?.suite;
      return resolveLens(lens, suiteAt, ports.estimate);
    },
    workspaceSymbols: (query: string, signal: AbortSignal): Promise<WorkspaceSymbol[]> =>
      workspaceSymbols(query, ports.suites(), ports.uriOf, stepsOf(signal, LIMITS.work)),
  };
}
