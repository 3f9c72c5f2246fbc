import { remembered } from '../core/data/data.ts';
import { inSteps } from '../core/steps.ts';
import { isEvalFile, isMessagesFile } from '../protocol/fileNames.ts';
import { codeActions, codeActionsOfText } from './codeActions/codeActions.ts';
import { completion } from './completion/completion.ts';
import { messageCompletion } from './completion/messageCompletion.ts';
import { promptCompletion } from './completion/promptCompletion.ts';
import { codeLenses } from './features/codeLens.ts';
import { definition } from './features/definition.ts';
import { documentLinks } from './features/documentLinks.ts';
import { documentSymbols } from './features/documentSymbols.ts';
import { foldingRanges } from './features/foldingRanges.ts';
import { formatting } from './features/formatting.ts';
import { inlayHints } from './features/inlayHints.ts';
import { messageSymbols } from './features/messageSymbols.ts';
import { onTypeFormatting } from './features/onTypeFormatting.ts';
import { references } from './features/references.ts';
import { prepareRename, rename } from './features/rename.ts';
import { selectionRanges } from './features/selectionRanges.ts';
import { semanticTokens } from './features/semanticTokens.ts';
import { hover, promptHover } from './hover/hover.ts';
import { messageHover } from './hover/messageHover.ts';
import type { EvalDocument, IndexedFile } from './ports.ts';
import type { About, DocumentKind, Features } from './requests.ts';
import { promptContext } from './symbols/promptContext.ts';
import type { SymbolPorts } from './symbols/sameSymbol.ts';

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
