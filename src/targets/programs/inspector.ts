import type { Readable } from 'node:stream';

/** Attaches a debugger to a program that waits for it. @param port of its inspector, on this machine alone */
export type Attach = (port: number) => Promise<void>;

/** Before the script's own path: the program waits until a debugger lets it go on. */
export const WAIT_FOR_DEBUGGER = '--inspect-brk=127.0.0.1:0';

const LISTENING = /^Debugger listening on ws:\/\/127\.0\.0\.1:(\d+)\//m;

/** Resolves with the port that Node names before the program begins. */
export function inspectorPort(stderr: Readable): Promise<number> {
  return new Promise((found) => {
    let text = '';
    const read = (data: Buffer) => {
      text += String(data);
      const port = LISTENING.exec(text)?.[1];
      if (port === undefined) return;
      stderr.off('data', read);
      found(Number(port));
    };
    stderr.on('data', read);
  });
}
