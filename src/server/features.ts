import {
  type Connection,
  type Position,
  ResponseError,
  type ServerCapabilities,
  type TextDocuments,
} from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { Estimate } from '../core/estimate.ts';
import { visibleLine } from '../core/presentation/visibleText.ts';
import type { SuiteCase } from '../core/suite.ts';
import type { CodeActionPorts } from '../language/features/codeActions/actions.ts';
import {
  codeActionKinds,
  codeActions,
  codeActionsOfText,
} from '../language/features/codeActions/codeActions.ts';
import { codeLenses, fileOfLens, resolveLens } from '../language/features/codeLens.ts';
import { completion } from '../language/features/completion.ts';
import { definition } from '../language/features/definition.ts';
import { documentLinks } from '../language/features/documentLinks.ts';
import { documentSymbols } from '../language/features/documentSymbols.ts';
import { foldingRanges } from '../language/features/foldingRanges.ts';
import { formatting } from '../language/features/formatting.ts';
import { hover, promptHover } from '../language/features/hover.ts';
import { type HintSettings, inlayHints } from '../language/features/inlayHints.ts';
import { messageCompletion } from '../language/features/messageCompletion.ts';
import { messageHover } from '../language/features/messageHover.ts';
import { messageSymbols } from '../language/features/messageSymbols.ts';
import { ON_TYPE, onTypeFormatting } from '../language/features/onTypeFormatting.ts';
import { promptCompletion } from '../language/features/promptCompletion.ts';
import { references } from '../language/features/references.ts';
import { prepareRename, rename } from '../language/features/rename.ts';
import { selectionRanges } from '../language/features/selectionRanges.ts';
import { SEMANTIC_TOKENS, semanticTokens } from '../language/features/semanticTokens.ts';
import { workspaceSymbols } from '../language/features/workspaceSymbols.ts';
import { isMessagesFile } from '../language/messagesFile.ts';
import type { NameHoverPorts } from '../language/nameMarkdown.ts';
import type { Estimating, EvalDocument } from '../language/ports.ts';
import { promptContext } from '../language/promptContext.ts';
import { isEvalFile, pathOf, uriOf } from './addresses.ts';
import { listFolder } from './clientFiles.ts';
import type { Publisher } from './publisher.ts';
import type { RecordRenames } from './recordRenames.ts';
import type { Workspace } from './workspace.ts';

export const FEATURES: ServerCapabilities = {
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

/** What the client can and what it wants; known once it has said so. */
export interface ClientWishes {
  snippets: boolean;
  hints: HintSettings;
}

export interface FeatureParts {
  readonly connection: Connection;
  readonly documents: TextDocuments<TextDocument>;
  readonly workspace: Workspace;
  readonly publisher: Publisher;
  readonly renames: RecordRenames;
  readonly wishes: ClientWishes;
}

/** Answers the requests of an editor. One that fails is logged and answered with nothing. */
export function serveFeatures(parts: FeatureParts): void {
  const { connection, documents, workspace, publisher, renames, wishes } = parts;

  const guarded = async <Result>(nothing: Result, work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ResponseError) throw error;
      connection.console.error(String(error instanceof Error ? error.stack : error));
      return nothing;
    }
  };
  /** About an open eval file, parsed once for each version. */
  const about = <Result>(
    uri: string,
    nothing: Result,
    work: (document: EvalDocument) => Result | Promise<Result>,
  ): Promise<Result> => {
    const open = documents.get(uri);
    if (!open || !isEvalFile(uri)) return Promise.resolve(nothing);
    return guarded(nothing, async () => work(await workspace.document(open)));
  };
  const lastRuns = (suite: string, id: string) => workspace.lastRuns(suite, id);
  const isPrompt = (uri: string) => uri.endsWith('.md') && publisher.isUsed(pathOf(uri));
  const isPart = (uri: string) => /\.ya?ml$/.test(uri) && publisher.isUsed(pathOf(uri));
  const named = (uri: string) => isEvalFile(uri) || isPrompt(uri) || isPart(uri);
  const namePorts = (all: readonly EvalDocument[]): NameHoverPorts => ({
    documents: all,
    files: workspace.files,
    readText: (path) => workspace.readText(path),
    readHead: (path) => workspace.readText(path),
    uriOf,
    workspaceOf: (path) => workspace.folderOf(path),
  });
  const around = async () => namePorts(await workspace.openDocuments());
  const everywhere = async () => namePorts(await workspace.allDocuments());
  const estimates = rememberedEstimates();

  /** About an open file of messages, which has features of its own. */
  const messages = <Result>(uri: string, work: (text: string, path: string) => Result) => {
    const open = documents.get(uri);
    if (!open || !isMessagesFile(uri)) return undefined;
    return work(open.getText(), pathOf(uri));
  };

  connection.onHover(({ textDocument: { uri }, position }) => {
    if (isMessagesFile(uri)) {
      const said = async () => messages(uri, (text, path) => messageHover(text, path, position));
      return guarded(null, async () => (await said()) ?? null);
    }
    if (isPrompt(uri)) {
      const said = async () => promptHover(pathOf(uri), position, await around());
      return guarded(null, async () => (await said()) ?? null);
    }
    const said = async (document: EvalDocument) =>
      hover(document, position, lastRuns, await around());
    return about(uri, null, async (document) => (await said(document)) ?? null);
  });
  connection.onCompletion(({ textDocument: { uri }, position }) =>
    guarded([], async () => complete(uri, position)),
  );
  // The text as it is typed, without waiting for the whole of it to be read.
  const complete = async (uri: string, position: Position) => {
    const open = documents.get(uri);
    if (!open) return [];
    const path = pathOf(uri);
    const { snippets } = wishes;
    if (isPrompt(uri)) {
      const users = await workspace.suitesAt(publisher.usersOf(path));
      const known = await promptContext(path, namePorts(users));
      return promptCompletion(open.getText(), path, position, { snippets, ...known });
    }
    if (isMessagesFile(uri)) return messageCompletion(open.getText(), path, position, { snippets });
    if (!isEvalFile(uri) && !isPart(uri)) return [];
    const [user] = publisher.usersOf(path);
    const suite = user === undefined ? undefined : await workspace.documentAt(user);
    return completion(open.getText(), path, position, {
      snippets,
      ...(suite && { including: suite.yaml.value }),
      workspace: workspace.folderOf(path),
      listFolder: (folder) => listFolder(connection, folder),
      readFile: async (file) => (await workspace.readText(file)) ?? Promise.reject(new Error(file)),
    });
  };
  connection.onDefinition(({ textDocument: { uri }, position }) =>
    guarded([], async () =>
      named(uri) ? definition(pathOf(uri), position, await everywhere()) : [],
    ),
  );
  connection.onReferences(({ textDocument: { uri }, position, context }) =>
    guarded([], async () =>
      named(uri)
        ? references(pathOf(uri), position, context.includeDeclaration, await everywhere())
        : [],
    ),
  );
  connection.onPrepareRename(({ textDocument: { uri }, position }) =>
    guarded(null, async () => {
      if (!named(uri)) return null;
      const found = await prepareRename(pathOf(uri), position, await everywhere());
      return found && 'message' in found ? refuse(found.message) : (found ?? null);
    }),
  );
  connection.onRenameRequest(({ textDocument: { uri }, position, newName }) =>
    guarded(null, async () => {
      if (!named(uri)) return null;
      const found = await rename(pathOf(uri), position, newName, await everywhere());
      if (!found) return null;
      if ('message' in found) return refuse(found.message);
      renames.expect(found.renamedCases);
      return found.edit;
    }),
  );
  connection.onDocumentLinks(({ textDocument: { uri } }) =>
    about(uri, [], async (document) => documentLinks(document, await around())),
  );
  connection.onCodeLens(({ textDocument: { uri } }) =>
    about(uri, [], (document) => codeLenses(document, uri)),
  );
  connection.onCodeLensResolve((lens) =>
    about(fileOfLens(lens) ?? '', lens, ({ suite }) => resolveLens(lens, suite, estimates)),
  );
  const symbols = remembered(documentSymbols);
  connection.onDocumentSymbol(({ textDocument: { uri } }) =>
    isMessagesFile(uri)
      ? guarded([], async () => messages(uri, messageSymbols) ?? [])
      : about(uri, [], symbols),
  );
  connection.onWorkspaceSymbol(({ query }) =>
    guarded([], async () => workspaceSymbols(query, publisher.suites, uriOf)),
  );
  const folds = remembered(foldingRanges);
  connection.onFoldingRanges(({ textDocument: { uri } }) => about(uri, [], folds));
  connection.onSelectionRanges(({ textDocument: { uri }, positions }) =>
    about(uri, [], (document) => selectionRanges(document, positions)),
  );
  const tokens = remembered(semanticTokens);
  connection.languages.semanticTokens.on(({ textDocument: { uri } }) =>
    about(uri, { data: [] }, tokens),
  );
  connection.languages.inlayHint.on(({ textDocument: { uri }, range }) =>
    about(uri, [], (document) => inlayHints(document, range, lastRuns, wishes.hints)),
  );
  connection.onDocumentFormatting(({ textDocument: { uri }, options }) =>
    about(uri, [], (document) => formatting(document, options)),
  );
  connection.onDocumentOnTypeFormatting(({ textDocument: { uri }, position, ch, options }) =>
    about(uri, [], (document) => onTypeFormatting(document, position, ch, options)),
  );
  const fixPorts: CodeActionPorts = {
    uriOf,
    exists: (path) => workspace.files.exists(path),
    read: (path) => workspace.readText(path),
    lastConversation: async (suite, id) => (await lastRuns(suite, id))[0]?.conversation,
  };
  connection.onCodeAction(({ textDocument: { uri }, range, context: { diagnostics, only } }) => {
    const open = documents.get(uri);
    if (open && !isEvalFile(uri)) {
      const fixes = async () => codeActionsOfText(uri, open.getText(), diagnostics, only);
      return guarded([], fixes);
    }
    return about(uri, [], (document) => codeActions(document, range, diagnostics, fixPorts, only));
  });
}

/** LSP's `RequestFailed`. */
const REQUEST_FAILED = -32803;

function refuse(message: string): never {
  throw new ResponseError(REQUEST_FAILED, visibleLine(message));
}

/** Editors ask again for what depends on the text alone, such as after a change of focus. */
function remembered<Result>(
  work: (document: EvalDocument) => Result,
): (document: EvalDocument) => Result {
  const known = new WeakMap<EvalDocument, Result>();
  return (document) => {
    const found = known.get(document) ?? work(document);
    known.set(document, found);
    return found;
  };
}

/** The estimate of a case is the same as long as its suite is: each version of it is a new object. */
function rememberedEstimates(): Estimating {
  const known = new WeakMap<SuiteCase, Promise<Estimate>>();
  return (suiteCase) => {
    const found = known.get(suiteCase) ?? estimate(suiteCase);
    known.set(suiteCase, found);
    return found;
  };
}

/** The tokenizer's tables are large: they are loaded when the first lens is shown. */
async function estimate(suiteCase: SuiteCase): Promise<Estimate> {
  const { estimateCase } = await import('../judge/estimate.ts');
  return estimateCase(suiteCase);
}
