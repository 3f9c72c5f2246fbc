import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { LineProgram, parseLine } from '../programs/lineProgram.ts';
import type { Program } from '../programs/programs.ts';
import { TargetError } from '../target.ts';

/** A connection to a server that reads and prints lines of JSON, with the same limits as for all programs. */
export class StdioTransport implements Transport {
  readonly #program: LineProgram;
  onmessage?: Transport['onmessage'];
  onclose?: Transport['onclose'];

  /** @param onFailure called once, when the program can no longer answer */
  constructor(
    program: Program,
    onOutput: (line: string) => void,
    onFailure: (why: TargetError) => void,
  ) {
    this.#program = new LineProgram({
      program,
      saysReady: false,
      isSingleConversation: true,
      onLine: (line) => this.#onLine(line),
      onFailure,
      onOutput,
    });
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    this.#program.send(message);
  }

  async close(): Promise<void> {
    this.onclose?.();
    if (this.#program.failure) await this.#program.kill();
    else await this.#program.close(0, new AbortController().signal);
  }

  #onLine(line: string): void {
    if (this.#program.isClosing) return;
    try {
      // The client checks whether this is a message.
      this.onmessage?.(parseLine(line) as JSONRPCMessage);
    } catch (error) {
      if (error instanceof TargetError) this.#program.fail(error);
    }
  }
}
