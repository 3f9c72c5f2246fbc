import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ownFolders } from '../support/answersFolder.ts';
import { CHECKOUT } from '../support/host/install.ts';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
  readonly params?: unknown;
}

/** A minimal LSP client: a header, an empty line, and JSON. */
class Frames {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #messages: Message[] = [];
  #buffer = Buffer.alloc(0);
  #heard: () => void = () => {};

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    child.stdout.on('data', (data: Buffer) => this.#read(data));
  }

  send(message: object): void {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    this.#child.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    // Two writes, since a frame can arrive in pieces.
    this.#child.stdin.write(body.subarray(0, 10));
    this.#child.stdin.write(body.subarray(10));
  }

  async next(fits: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const index = this.#messages.findIndex(fits);
      if (index >= 0) return this.#messages.splice(index, 1)[0] as Message;
      await new Promise<void>((done) => {
        this.#heard = done;
      });
    }
  }

  #read(data: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, data]);
    for (;;) {
      const end = this.#buffer.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = this.#buffer.subarray(0, end).toString('ascii');
      const length = Number(/Content-Length: (\d+)/i.exec(head)?.[1]);
      const start = end + 4;
      if (this.#buffer.length < start + length) return;
      this.#messages.push(JSON.parse(this.#buffer.subarray(start, start + length).toString()));
      this.#buffer = this.#buffer.subarray(start + length);
      this.#heard();
    }
  }
}

describe('the packaged command line', { timeout: 60_000 }, () => {
  it('serves an editor over raw LSP frames', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'turnlight-frames-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const text =
      'cases:\n  - id: größe\n    transcript: [{user: Hi 👋}, {assistant: Hello}]\n    asert: [x]\n';
    await writeFile(join(folder, 'a.eval.yaml'), text);
    const child = spawn(process.execPath, [join(CHECKOUT, 'dist/cli.js'), 'lsp', '--stdio'], {
      env: ownFolders(process.env),
    });
    t.after(() => child.kill());
    const frames = new Frames(child);
    const uri = pathToFileURL(join(folder, 'a.eval.yaml')).toString();

    const rootUri = pathToFileURL(folder).toString();
    frames.send({
      id: 1,
      method: 'initialize',
      params: { processId: null, rootUri, capabilities: {} },
    });
    const { result } = await frames.next(({ id }) => id === 1);
    assert.equal(
      Reflect.get(Object(Reflect.get(Object(result), 'capabilities')), 'hoverProvider'),
      true,
    );
    frames.send({ method: 'initialized', params: {} });
    // The server accepts any language id.
    const textDocument = { uri, languageId: 'yaml', version: 7, text };
    frames.send({ method: 'textDocument/didOpen', params: { textDocument } });
    const published = await frames.next(
      ({ method, params }) =>
        method === 'textDocument/publishDiagnostics' &&
        JSON.stringify(params).includes('"version":7'),
    );
    assert.match(JSON.stringify(published.params), /Did you mean \\"assert\\"\?/);

    const position = { line: 2, character: 6 };
    frames.send({
      id: 2,
      method: 'textDocument/hover',
      params: { textDocument: { uri }, position },
    });
    const hover = await frames.next(({ id }) => id === 2);
    assert.match(JSON.stringify(hover.result), /\*\*transcript\*\*/);

    frames.send({ id: 3, method: 'shutdown' });
    await frames.next(({ id }) => id === 3);
    const ended = new Promise<number | null>((done) => child.on('exit', (code) => done(code)));
    frames.send({ method: 'exit' });
    assert.equal(await ended, 0);
  });
});
