import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { turnsOf } from '../../../src/core/conversation.ts';
import type { CaseLine } from '../../../src/core/record/runRecord.ts';
import { readRecord } from '../../../src/store/records/runRecord.ts';
import { turnlightProcess } from '../../support/commandLine.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { recordsOf } from '../../support/resuming.ts';
import { install, MCP } from '../install.ts';

// Runs MCP's reference servers as tools of a chat target, with a local endpoint for its model.

describe('a chat target with the reference servers of MCP', () => {
  let folder = '';
  let service: ChildProcess | undefined;
  let model: Awaited<ReturnType<typeof startModelServer>> | undefined;
  let line: CaseLine | undefined;

  /** Starts an HTTP server. @returns its port */
  async function serve(program: string): Promise<number> {
    const port = 20_000 + (process.pid % 20_000);
    service = spawn(process.execPath, [program, 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let text = '';
    const { stderr } = service;
    return new Promise((started, failed) => {
      stderr?.on('data', (piece) => {
        text += piece;
        if (text.includes('listening')) started(port);
      });
      service?.on('exit', () => failed(new Error(`The server did not start: ${text}`)));
    });
  }

  before(async () => {
    const packages = await install(MCP);
    const program = (name: string) => join(packages, 'node_modules/.bin', name);
    const everything = program('mcp-server-everything');
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-mcp-')));
    await writeFile(join(folder, 'notes.txt'), 'Refunds take 5 days.');
    const port = await serve(everything);
    const calls = [
      { name: 'read_text_file', arguments: { path: join(folder, 'notes.txt') } },
      { name: 'write_file', arguments: { path: join(folder, 'new.txt'), content: 'x' } },
      { name: 'local_get-sum', arguments: { a: 1, b: 2 } },
      { name: 'remote_echo', arguments: { message: 'hi' } },
      { name: 'remote_get-sum', arguments: { a: 'one' } },
      { name: 'local_trigger-long-running-operation', arguments: { duration: 1, steps: 2 } },
    ];
    model = await startModelServer((body) =>
      body.messages.at(-1)?.role === 'user' ? { toolCalls: calls } : 'Done.',
    );
    const target = {
      type: 'chat',
      model: 'openai:m',
      mcp_servers: {
        files: { command: [process.execPath, program('mcp-server-filesystem'), folder] },
        local: { command: [process.execPath, everything] },
        remote: { url: `http://127.0.0.1:${port}/mcp` },
      },
      approve: { write_file: 'refuse' },
      timeout: 60_000,
    };
    const check = { type: 'contains', value: 'Done.' };
    const suite = { target, cases: [{ id: 'a', turns: ['Hi'], assert: [check] }] };
    await writeFile(join(folder, 'mcp.eval.yaml'), JSON.stringify(suite));
    const { code, err } = await turnlightProcess(folder, ['run'], {
      OPENAI_API_KEY: 'test-key',
      OPENAI_BASE_URL: model.baseUrl,
    });
    assert.equal(code, 0, err);
    const [record = ''] = await recordsOf(folder);
    [line] = (await readRecord(record)).cases;
  });
  after(async () => {
    service?.kill();
    if (service?.exitCode === null) await once(service, 'exit');
    await model?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('gets results from programs and a service, and a refused call never runs', async () => {
    const results = (line ? turnsOf(line.conversation) : []).flatMap(({ items }) =>
      items.flatMap((item) => (item.kind === 'tool-call' ? [item.result ?? ''] : [])),
    );
    const [read, written, sum, echo, failed, operation] = results;
    assert.equal(read, 'Refunds take 5 days.');
    assert.equal(written, 'The user refused this call.');
    await assert.rejects(readFile(join(folder, 'new.txt')));
    assert.equal(sum, 'The sum of 1 and 2 is 3.');
    assert.equal(echo, 'Echo: hi');
    assert.match(failed ?? '', /^Error: .*expected number/s);
    assert.match(operation ?? '', /Long running operation completed/);
  });

  it('shows the tools of all servers', () => {
    const tools = line?.facts?.tools ?? [];
    assert.deepEqual([...new Set(tools.map(({ server }) => server))], ['files', 'local', 'remote']);
    assert.ok(tools.every(({ name, parameters }) => /^[\w-]+$/.test(name) && parameters));
  });
});
