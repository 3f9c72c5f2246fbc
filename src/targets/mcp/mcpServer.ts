import { setTimeout } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  type CallToolResult,
  McpError,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type {
  JsonSchemaValidator,
  jsonSchemaValidator,
} from '@modelcontextprotocol/sdk/validation/types.js';
import * as z from 'zod';
import { isMapping } from '../../core/data/data.ts';
import { errorText } from '../../core/errors.ts';
import { LIMITS, readable } from '../../core/limits.ts';
import type { Tool } from '../../core/message.ts';
import type { TargetSpec } from '../../core/suite.ts';
import { NO_TIME_LIMIT, type TimeLimit, withTimeLimit } from '../../models/endpoint/timeLimit.ts';
import { digestOf } from '../../node/hashes.ts';
import type { McpServerParams } from '../chat/mcpServers.ts';
import { fetchLimited, type PendingReply } from '../http/send.ts';
import { environmentFor, programPath } from '../programs/programSetup.ts';
import { QuotingError, TargetError, type TargetHost } from '../target.ts';
import { StdioTransport } from './stdioTransport.ts';

const MAX_TOOLS = 1_000;

/** Maximum milliseconds for a server to end its session. */
const CLOSE_TIMEOUT = 1_000;

/** Disables validation: a server's schemas may be hostile, and the client would compile them and run their patterns. */
const NO_VALIDATION: jsonSchemaValidator = {
  getValidator:
    <Data>(): JsonSchemaValidator<Data> =>
    (data) => ({ valid: true, data: data as Data, errorMessage: undefined }),
};

/** The client's error for an answer with an invalid form. */
const schemaErrorSchema = z.object({
  issues: z.array(
    z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() }),
  ),
});

interface Connection {
  readonly transport: Transport;
  /** Ends the session but not the connection. */
  readonly endSession?: () => Promise<void>;
}

/** The conversation and call that the request in progress belongs to. */
interface Current {
  readonly signal: AbortSignal;
  readonly limit: TimeLimit;
}

/** A connection to an MCP server for one conversation. Its errors name the server. */
export class McpServer {
  readonly name: string;
  readonly #params: McpServerParams;
  readonly #target: TargetSpec;
  readonly #host: TargetHost;
  readonly #client = new Client(
    { name: 'turnlight', version: '1.0.0' },
    { jsonSchemaValidator: NO_VALIDATION },
  );
  #connection: Connection | undefined;
  #current: Current | undefined;
  #failure: Error | undefined;
  #onFailure: ((why: Error) => void) | undefined;
  /** Whether the server has reported that its tools have changed. */
  #hasChanged = false;

  constructor(name: string, params: McpServerParams, target: TargetSpec, host: TargetHost) {
    this.name = name;
    this.#params = params;
    this.#target = target;
    this.#host = host;
    this.#client.onerror = (error) => {
      // The case's reason already says so.
      if (!(error instanceof TargetError)) this.#log(errorText(error));
    };
    this.#client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      this.#hasChanged = true;
    });
  }

  /**
   * Connects, and lists the server's tools under their own names.
   *
   * @param timeout milliseconds
   * @throws TargetError; the signal's reason when aborted
   */
  async start(timeout: number, signal: AbortSignal): Promise<readonly Tool[]> {
    const params = this.#params;
    const work = async (stop: AbortSignal, limit: TimeLimit) => {
      this.#connection = 'url' in params ? this.#service(params) : await this.#program(params);
      const { transport } = this.#connection;
      const current = { signal: stop, limit };
      await this.#ask('initialize', current, (options) => this.#client.connect(transport, options));
      return this.listTools(current);
    };
    return withTimeLimit(work, timeout, signal, () => {
      const message = `The MCP server "${this.name}" was not ready within ${timeout} ms. Raise the target's \`timeout\` if it needs longer.`;
      return new TargetError('target-not-ready', message);
    });
  }

  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  /** The server's tools under their own names. @throws TargetError */
  async listTools(current: Current): Promise<readonly Tool[]> {
    this.#hasChanged = false;
    const tools: Tool[] = [];
    let cursor: string | undefined;
    let length = 0;
    do {
      const params = cursor === undefined ? {} : { cursor };
      const page = await this.#ask('tools/list', current, (options) =>
        this.#client.listTools(params, options),
      );
      for (const { name, description, inputSchema } of page.tools) {
        const tool = {
          name,
          ...(description !== undefined && { description }),
          parameters: inputSchema,
          server: this.name,
        };
        tools.push(tool);
        length += JSON.stringify(tool).length;
        if (tools.length <= MAX_TOOLS && length <= LIMITS.reply) continue;
        const limits = `${readable(MAX_TOOLS)} tools with at most ${readable(LIMITS.reply)} characters in total`;
        const message = `The MCP server "${this.name}" offers too much: a server can have up to ${limits}.`;
        throw new TargetError('target-too-much-output', message);
      }
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return tools;
  }

  /** @returns the result as text; a tool's error is also a result @throws TargetError */
  async call(name: string, given: unknown, current: Current): Promise<string> {
    if (!isMapping(given)) return 'Error: The arguments must be a JSON object.';
    const what = `tools/call of ${name}`;
    try {
      const result = await this.#ask(what, current, (options) =>
        this.#client.callTool({ name, arguments: { ...given } }, undefined, options),
      );
      return textOfResult(result as CallToolResult);
    } catch (error) {
      if (error instanceof McpError) return `Error: ${error.message}`;
      throw error;
    }
  }

  async close(): Promise<void> {
    const { endSession } = this.#connection ?? {};
    if (endSession && !this.#failure) {
      const late = setTimeout(CLOSE_TIMEOUT, undefined, { ref: false });
      await Promise.race([endSession().catch(() => {}), late]);
    }
    await this.#connection?.transport.close();
  }

  async #program(params: Exclude<McpServerParams, { url: string }>): Promise<Connection> {
    const who = `The MCP server "${this.name}"`;
    const { programs, workspace } = this.#host;
    const [program = '', ...args] = params.command;
    const started = programs.start({
      program,
      args,
      cwd: await programPath(
        `The folder of the MCP server "${this.name}"`,
        this.#target.folder,
        'folder',
        workspace,
      ),
      env: environmentFor(who, params, this.#host),
      stdio: 'pipe',
    });
    const transport = new StdioTransport(
      started,
      (line) => this.#log(line),
      (why) => this.#fail(why),
    );
    return { transport };
  }

  #service({ url, headers = {} }: Extract<McpServerParams, { url: string }>): Connection {
    const { endpoints, scrubber } = this.#host;
    scrubber.addSecretsOf(headers);
    const account = digestOf(headers);
    const queue = endpoints.queueFor({ url, account, name: new URL(url).pathname });
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      fetch: async (input, init = {}) => {
        const own = Object.fromEntries(new Headers(init.headers));
        // Only answers are needed, not messages that can arrive at any time.
        if (init.method === 'GET' && !('last-event-id' in own)) {
          return new Response(null, { status: 405 });
        }
        if (!this.#current)
          throw new Error('Internal error: a server was asked without a request.');
        const request = {
          url: String(input),
          method: init.method ?? 'GET',
          headers: { ...own, ...headers },
          ...(typeof init.body === 'string' && { body: init.body }),
        };
        const pending: PendingReply = { ...this.#current, queue, scrubber };
        return fetchLimited(request, pending, (error) => {
          pending.inFlight?.end();
          if (error) this.#fail(error);
        });
      },
    });
    // The client's types don't allow for exact optional properties.
    return { transport: transport as Transport, endSession: () => transport.terminateSession() };
  }

  /** @param method how errors refer to the request */
  async #ask<Result>(
    method: string,
    current: Current,
    work: (options: RequestOptions) => Promise<Result>,
  ): Promise<Result> {
    if (this.#failure) throw this.#explain(this.#failure, method);
    this.#current = current;
    const failed = new Promise<never>((_, fail) => {
      this.#onFailure = fail;
    });
    try {
      const { signal } = current;
      return await Promise.race([work({ signal, timeout: NO_TIME_LIMIT }), failed]);
    } catch (error) {
      current.signal.throwIfAborted();
      throw this.#explain(error, method);
    }
  }

  #fail(why: Error): void {
    this.#failure ??= why;
    this.#onFailure?.(this.#failure);
  }

  #explain(error: unknown, method: string): unknown {
    const who = `The MCP server "${this.name}"`;
    if (error instanceof TargetError) return error.extend((message) => `${who} failed. ${message}`);
    // Tools report such errors to the model.
    if (error instanceof McpError && method.startsWith('tools/call')) return error;
    const [issue] = schemaErrorSchema.safeParse(error).data?.issues ?? [];
    const why = issue ? `${issue.path.join('.')}: ${issue.message}` : errorText(error);
    return new QuotingError(
      'target-malformed-reply',
      (quote) => `${who} gave no valid answer to ${method}: ${quote(why)}`,
    );
  }

  #log(line: string): void {
    this.#host.log.info(`[${this.#target.name}] ${this.name}: ${line}`);
  }
}

function textOfResult({ content, structuredContent, isError }: CallToolResult): string {
  const parts = content.map((part) => {
    switch (part.type) {
      case 'text':
        return part.text;
      case 'resource':
        return 'text' in part.resource ? part.resource.text : `[${part.resource.uri}]`;
      case 'resource_link':
        return `[${part.name}](${part.uri})`;
      default:
        return `[${part.type}]`;
    }
  });
  const isData = parts.length === 0 && structuredContent !== undefined;
  const text = isData ? JSON.stringify(structuredContent) : parts.join('\n\n');
  return isError && !/^error\b/i.test(text) ? `Error: ${text}` : text;
}
