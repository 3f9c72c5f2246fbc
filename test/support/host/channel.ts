import { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { PATIENCE } from '../until.ts';

/** The environment variable with the port that companions connect to. */
export const TEST_PORT = 'TURNLIGHT_TEST_PORT';

/** A function to run in the window, and its arguments. */
export interface Request {
  readonly id: number;
  readonly source: string;
  readonly args: readonly unknown[];
}

export interface Reply {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

type VsCode = typeof import('vscode');

/** A connection to the companion extension in one window. */
export class Companion {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('The window is gone.'));
      this.#waiting.clear();
    });
  }

  /**
   * Runs a function in the window, with VS Code's API. The function is sent as source code, so it can only use its
   * arguments. Arguments and the result are sent as JSON.
   */
  evaluate<Args extends readonly unknown[], Result>(
    run: (vscode: VsCode, ...args: Args) => Result,
    ...args: Args
  ): Promise<Awaited<Result>> {
    this.#last += 1;
    const request: Request = { id: this.#last, source: run.toString(), args };
    return new Promise<Awaited<Result>>((resolve, reject) => {
      const source = request.source.slice(0, 200);
      const timer = setTimeout(() => reject(new Error(`No answer to ${source}`)), PATIENCE);
      this.#waiting.set(request.id, {
        resolve: (value) => {
          clearTimeout(timer);
          resolve(value as Awaited<Result>);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
      this.#socket.write(`${JSON.stringify(request)}\n`);
    });
  }

  receive({ id, value, error }: Reply): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(value);
    else waiting?.reject(new Error(error));
  }
}

/** Accepts connections from VS Code's companions, one for each window. A window is identified by its folder. */
export class Companions {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #here = new Map<string, Companion>();
  readonly #awaited = new Map<string, (companion: Companion) => void>();

  private constructor(server: Server) {
    this.#server = server;
    const address = server.address();
    this.port = typeof address === 'object' && address ? address.port : 0;
    server.on('connection', (socket) => this.#meet(socket));
  }

  static async listen(): Promise<Companions> {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return new Companions(server);
  }

  /** Resolves with the window's companion as soon as it connects. */
  async of(folder: string): Promise<Companion> {
    return this.#here.get(folder) ?? this.next(folder);
  }

  /** Resolves with the next companion that connects from a folder, for example after the window was reloaded. */
  next(folder: string): Promise<Companion> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`No window of ${folder} came up.`)), PATIENCE);
      this.#awaited.set(folder, (companion) => {
        clearTimeout(late);
        resolve(companion);
      });
    });
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #meet(socket: Socket): void {
    this.#sockets.add(socket);
    const companion = new Companion(socket);
    let folder: string | undefined;
    createInterface({ input: socket }).on('line', (line) => {
      const message = JSON.parse(line);
      if (folder !== undefined) {
        companion.receive(message);
        return;
      }
      folder = String(message.folder);
      this.#here.set(folder, companion);
      this.#awaited.get(folder)?.(companion);
      this.#awaited.delete(folder);
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.#sockets.delete(socket);
      if (folder !== undefined && this.#here.get(folder) === companion) this.#here.delete(folder);
    });
  }
}
