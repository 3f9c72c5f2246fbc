import { TextDocument } from 'vscode-languageserver-textdocument';
import { NO_ESTIMATE } from '../../../src/core/estimate.ts';
import type { Files } from '../../../src/evalfile/files.ts';
import type { ClientSettings } from '../../../src/language/ports.ts';
import { createLanguageService, type LanguageService } from '../../../src/language/service.ts';
import {
  createSuiteIndex,
  createWorkspace,
  type Workspace,
} from '../../../src/server/workspace.ts';
import { WORKSPACE } from '../evalFiles.ts';

export interface TestedService {
  readonly service: LanguageService;
  readonly workspace: Workspace;
  /** Types a text into a file, which then counts as open. */
  type(path: string, text: string): void;
  /** Closes the file, so its contents on disk apply again. */
  close(path: string): void;
}

const CLIENT_SETTINGS: ClientSettings = {
  snippets: false,
  hints: { turnNumbers: true, scores: true },
};

/** The language service over a workspace's files, without a server. */
export function serviceOver(files: Files, folder = WORKSPACE): TestedService {
  const open = new Map<string, TextDocument>();
  const index = createSuiteIndex(() => {});
  const workspace = createWorkspace(() => [...open.values()], files, index);
  workspace.setFolders([folder]);
  const service = createLanguageService({
    ...workspace,
    listFolder: async () => [],
    lastRuns: async () => [],
    lastVariants: async () => [],
    editorModels: async () => [],
    setVariables: async () => [],
    estimate: async () => NO_ESTIMATE,
    clientSettings: () => CLIENT_SETTINGS,
    pathOf: (uri) => uri.replace('file://', ''),
    docsLink: (page) => page,
    uriOf: (path) => `file://${path}`,
  });
  const type = (path: string, text: string) => {
    const version = (open.get(path)?.version ?? 0) + 1;
    open.set(path, TextDocument.create(`file://${path}`, 'yaml', version, text));
  };
  return { service, workspace, type, close: (path) => void open.delete(path) };
}
