import type * as lsp from 'vscode-languageserver-protocol';
import type { CodeLens, WorkspaceSymbol } from 'vscode-languageserver-types';
import { remembered } from '../core/data/data.ts';
import { LIMITS } from '../core/limits.ts';
import { inSteps, type Step, stepsOf } from '../node/cooperative.ts';
import { isEvalFile, isMessagesFile } from '../protocol/names.ts';
import { codeActions, codeActionsOfText } from './codeActions/codeActions.ts';
import { completion } from './completion/completion.ts';
import { messageCompletion } from './completion/messageCompletion.ts';
import { promptCompletion, promptContext } from './completion/promptCompletion.ts';
import { codeLenses, resolveLens } from './features/codeLens.ts';
import { documentLinks } from './features/documentLinks.ts';
import { documentSymbols, messageSymbols } from './features/documentSymbols.ts';
import { foldingRanges } from './features/foldingRanges.ts';
import { formatting, onTypeFormatting } from './features/formatting.ts';
import { inlayHints } from './features/inlayHints.ts';
import { definition, references } from './features/references.ts';
import {
  prepareRename,
  type Refusal,
  type RenameTarget,
  type Renaming,
  rename,
} from './features/rename.ts';
import { selectionRanges } from './features/selectionRanges.ts';
import { semanticTokens } from './features/semanticTokens.ts';
import { workspaceSymbols } from './features/workspaceSymbols.ts';
import { hover, promptHover } from './hover/hover.ts';
import { messageHover } from './hover/messageHover.ts';
import type { EvalDocument, IndexedFile, LanguagePorts } from './ports.ts';
import type { SymbolPorts } from './symbols/sameSymbol.ts';

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

/** Of every file in which symbols of a suite stand. */
const symbolFeatures: Features = {
  definition: async ({ position }, about) =>
    definition(about.path, position, await everywhere(about)),
  prepareRename: async ({ position }, about) =>
    prepareRename(about.path, position, await everywhere(about)),
  references: async ({ position, context }, about) =>
    references(about.path, position, context.includeDeclaration, await everywhere(about)),
  rename: async ({ position, newName }, about) =>
    rename(about.path, position, newName, await everywhere(about)),
};

/** Without waiting for the whole of the file to be read. */
const casesCompletion: Features['completion'] = ofText(
  async (text, { position }, { path, ports, step }) => {
    const [user] = ports.usersOf(path);
    const suite = user === undefined ? undefined : await ports.documentAt(user);
    const context = {
      ...ports,
      ...ports.wishes(),
      ...(suite && { including: suite.yaml.value }),
      workspace: ports.workspaceOf(path),
    };
    return completion(text, path, position, context, step);
  },
);

const textActions: Features['codeActions'] = ofText((text, { context }, { path, ports }) =>
  codeActionsOfText(path, text, context.diagnostics, ports, context.only),
);

const evalFile: DocumentKind = {
  includes: isEvalFile,
  features: {
    ...symbolFeatures,
    codeActions: ofDocument((document, { range, context }, { ports }) =>
      codeActions(document, range, context.diagnostics, ports, context.only),
    ),
    codeLenses: ofDocument((document, _, { uri }) => codeLenses(document, uri)),
    completion: casesCompletion,
    documentLinks: ofDocument(async (document, _, about) =>
      documentLinks(document, await amongOpen(about)),
    ),
    documentSymbols: ofDocument(remembered(documentSymbols)),
    foldingRanges: ofDocument(remembered(foldingRanges)),
    formatting: ofDocument((document, { options }, { step }) =>
      inSteps(formatting(document, options), step),
    ),
    hover: ofDocument(async (document, { position }, about) =>
      hover(
        document,
        position,
        about.ports.lastRuns,
        await amongOpen(about),
        about.ports.lastVariants,
        about.ports.casesNow,
        about.ports.pastRuns,
      ),
    ),
    inlayHints: ofDocument((document, { range }, { ports }) =>
      inlayHints(
        document,
        range,
        ports.lastRuns,
        ports.wishes().hints,
        ports.lastVariants,
        ports.casesNow,
      ),
    ),
    onTypeFormatting: ofDocument((document, { position, ch, options }) =>
      onTypeFormatting(document, position, ch, options),
    ),
    selectionRanges: ofDocument((document, { positions }) => selectionRanges(document, positions)),
    semanticTokens: ofDocument(remembered(semanticTokens)),
  },
};

const messagesFile: DocumentKind = {
  includes: isMessagesFile,
  features: {
    codeActions: textActions,
    completion: ofText((text, { position }, { path, ports, step }) =>
      inSteps(messageCompletion(text, path, position, ports.wishes()), step),
    ),
    documentSymbols: ofText((text, _, { path, step }) => inSteps(messageSymbols(text, path), step)),
    hover: ofText((text, { position }, { path, step }) =>
      inSteps(messageHover(text, path, position), step),
    ),
  },
};

const judgePrompt: DocumentKind = {
  includes: (path, isUsed) => isUsed && path.endsWith('.md'),
  features: {
    ...symbolFeatures,
    codeActions: textActions,
    completion: ofText(async (text, { position }, about) => {
      const { path, ports, signal, step } = about;
      const users = await ports.suitesAt(ports.usersOf(path), signal);
      const known = await promptContext(path, among(users, about));
      const editorModels = await ports.editorModels();
      const context = { ...known, editorModels, ...ports.wishes() };
      return inSteps(promptCompletion(text, position, context), step);
    }),
    hover: async ({ position }, about) => promptHover(about.path, position, await amongOpen(about)),
  },
};

/** A file of cases that a suite includes, whatever it is called. */
const includedFile: DocumentKind = {
  includes: (path, isUsed) => isUsed && /\.ya?ml$/.test(path),
  features: {
    ...symbolFeatures,
    codeActions: textActions,
    completion: casesCompletion,
  },
};

/** Such as a transcript: what suites say of it can be mended in it. */
const otherFile: DocumentKind = {
  includes: () => true,
  features: { codeActions: textActions },
};

/** The first that includes a file is its kind. */
export const documentKinds: readonly DocumentKind[] = [
  evalFile,
  messagesFile,
  judgePrompt,
  includedFile,
  otherFile,
];

/** Of the whole document, once it is read. */
function ofDocument<Params, Answer>(
  work: (document: EvalDocument, params: Params, about: About) => Answer | Promise<Answer>,
) {
  return async (params: Params, about: About): Promise<Answer | undefined> => {
    const document = await about.ports.documentAt(about.path);
    return document && work(document, params, about);
  };
}

/** Of the text as it is typed. */
function ofText<Params, Answer>(
  work: (text: string, params: Params, about: About) => Answer | Promise<Answer>,
) {
  return async (params: Params, about: About): Promise<Answer | undefined> => {
    const text = await about.ports.readText(about.path);
    return text === undefined ? undefined : work(text, params, about);
  };
}

async function everywhere(about: About): Promise<SymbolPorts> {
  return among(await about.ports.allFiles(about.signal), about);
}

/** Without the files that are not open, which takes no time. */
async function amongOpen(about: About): Promise<SymbolPorts> {
  return among(await about.ports.openFiles(), about);
}

function among(documents: readonly IndexedFile[], { ports, step }: About): SymbolPorts {
  return { ...ports, documents, step };
}

export type LanguageService = ReturnType<typeof createLanguageService>;

/** Answers all that editors ask, without knowing how they ask. */
export function createLanguageService(ports: LanguagePorts) {
  return {
    /**
     * Asks about a document, by its kind.
     *
     * @returns undefined if there is nothing to say
     * @throws the signal's reason once it is aborted, and `TookTooLong`: what other requests and the
     *   reading of files take does not count
     */
    async ask<Name extends RequestName>(
      name: Name,
      params: Requests[Name]['params'],
      signal: AbortSignal,
    ): Promise<Requests[Name]['answer'] | undefined> {
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
