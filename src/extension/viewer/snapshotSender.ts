import type * as vscode from 'vscode';
import { stackText } from '../../core/errors.ts';
import { oneAtATime } from '../../core/oneAtATime.ts';
import type { Snapshot, ToView } from '../../protocol/viewProtocol.ts';

/** Sends snapshots to a conversation view, and after one of them the turn to show. */
export class SnapshotSender {
  readonly #webview: vscode.Webview;
  readonly #log: vscode.LogOutputChannel;
  readonly #read: () => Promise<Snapshot | undefined>;
  #isReady = false;
  #turn: number | undefined;
  #last: Snapshot | undefined;

  /** @param read gives undefined where there is nothing to show yet */
  constructor(
    webview: vscode.Webview,
    log: vscode.LogOutputChannel,
    read: () => Promise<Snapshot | undefined>,
  ) {
    this.#webview = webview;
    this.#log = log;
    this.#read = read;
  }

  /** The last snapshot that was sent. */
  get last(): Snapshot | undefined {
    return this.#last;
  }

  /** @param turn that the next snapshot is shown at; undefined: where the view is */
  reveal(turn: number | undefined): void {
    this.#turn = turn;
  }

  /** The view takes messages from now on. */
  ready(): Promise<void> {
    this.#isReady = true;
    return this.send();
  }

  /** A slow reading of an earlier run must not be shown after that of a later one. */
  readonly send = oneAtATime(async () => {
    if (!this.#isReady) return;
    try {
      const snapshot = await this.#read();
      if (!snapshot) return;
      this.#last = snapshot;
      await this.#post({ kind: 'snapshot', snapshot });
      const turn = this.#turn;
      if (turn === undefined) return;
      // A hidden view takes no messages; it asks again when it is shown.
      const arrived = await this.#post({ kind: 'reveal-turn', turn });
      if (arrived && this.#turn === turn) this.#turn = undefined;
    } catch (error) {
      this.#log.error(stackText(error));
    }
  });

  #post(message: ToView): Thenable<boolean> {
    return this.#webview.postMessage(message);
  }
}
