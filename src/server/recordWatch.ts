import {
  type Connection,
  DidChangeWatchedFilesNotification,
  type FileSystemWatcher,
} from 'vscode-languageserver/node';
import { recordsIn } from '../store/append.ts';
import { findHome } from '../store/home.ts';
import { isVirtual, uriOf } from './addresses.ts';
import type { Workspace } from './workspace.ts';

/**
 * Watches records that stand outside of the workspace's folders, which the client does not watch by
 * itself: `repo/evals` is open, and its records stand in `repo/.turnlight`.
 */
export class RecordWatch {
  readonly #connection: Connection;
  readonly #workspace: Workspace;
  readonly #watched = new Set<string>();

  constructor(connection: Connection, workspace: Workspace) {
    this.#connection = connection;
    this.#workspace = workspace;
  }

  async watchFor(evalFile: string): Promise<void> {
    if (isVirtual(evalFile)) return;
    const { root } = await findHome(evalFile);
    if (this.#workspace.holds(root) || this.#watched.has(root)) return;
    this.#watched.add(root);
    const globPattern = { baseUri: uriOf(recordsIn(root)), pattern: '*.jsonl' };
    const watchers: FileSystemWatcher[] = [{ globPattern }];
    await this.#connection.client.register(DidChangeWatchedFilesNotification.type, { watchers });
  }
}
