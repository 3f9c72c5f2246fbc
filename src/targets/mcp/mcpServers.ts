import { groupBy } from '../../core/data/data.ts';
import type { Tool, ToolCall } from '../../core/message.ts';
import type { TargetSpec } from '../../core/suite.ts';
import type { TimeLimit } from '../../models/endpoint/timeLimit.ts';
import { mcpServersOf } from '../chat/mcpServers.ts';
import { TargetError, type TargetHost } from '../target.ts';
import { McpServer } from './mcpServer.ts';

/** A server's tool, and the name under which the model calls it. */
interface OfferedTool {
  readonly server: McpServer;
  readonly own: string;
  readonly tool: Tool;
}

/** The MCP servers of one conversation. */
export class McpServers {
  readonly #servers: readonly McpServer[];
  /** Each server's tools, under their own names. */
  readonly #listed = new Map<McpServer, readonly Tool[]>();
  #offered: ReadonlyMap<string, OfferedTool> = new Map();
  /** What a reply is waiting for: `The MCP server "shop" was still running find`. */
  #waitingFor: string | undefined;
  /** Becomes a new list after each change. */
  tools: readonly Tool[] = [];
  startup = 0;

  constructor(spec: TargetSpec, host: TargetHost) {
    this.#servers = mcpServersOf(spec).map(
      ([name, params]) => new McpServer(name, params, spec, host),
    );
  }

  /** @param timeout milliseconds per server @throws TargetError; the signal's reason when aborted */
  async start(timeout: number, signal: AbortSignal): Promise<void> {
    const began = performance.now();
    const starting = this.#servers.map(async (server) => {
      this.#listed.set(server, await server.start(timeout, signal));
    });
    await Promise.all(starting);
    this.#nameTools();
    this.startup = performance.now() - began;
  }

  /** Lists the tools of servers that have changed. @returns whether there are any such servers @throws TargetError */
  async refresh(signal: AbortSignal, limit: TimeLimit): Promise<boolean> {
    const changed = this.#servers.filter(({ hasChanged }) => hasChanged);
    for (const server of changed) {
      this.#waitingFor = `The MCP server "${server.name}" was still listing its tools`;
      this.#listed.set(server, await server.listTools({ signal, limit }));
    }
    this.#waitingFor = undefined;
    if (changed.length > 0) this.#nameTools();
    return changed.length > 0;
  }

  /** The result of a call; undefined if no server has the tool. @throws TargetError */
  async answer(
    { name, arguments: given }: ToolCall,
    signal: AbortSignal,
    limit: TimeLimit,
  ): Promise<string | undefined> {
    const offered = this.#offered.get(name);
    if (!offered) return undefined;
    const { server, own } = offered;
    this.#waitingFor = `The MCP server "${server.name}" was still running ${own}`;
    const result = await server.call(own, given, { signal, limit });
    this.#waitingFor = undefined;
    return result;
  }

  /** The error for a reply that is late because of a server; undefined if no server has an open request. */
  lateError(timeout: number): TargetError | undefined {
    if (this.#waitingFor === undefined) return undefined;
    const message = `${this.#waitingFor} after ${timeout} ms, the time limit of the reply. Raise the target's \`timeout\` if it needs longer.`;
    return new TargetError('target-timeout', message);
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }

  #nameTools(): void {
    // Uses the file's order, because the order in which servers start would change requests.
    const listed = this.#servers.flatMap((server) =>
      (this.#listed.get(server) ?? []).map((tool) => ({ server, own: tool.name, tool })),
    );
    this.#offered = nameTools(listed);
    this.tools = [...this.#offered.values()].map(({ tool }) => tool);
  }
}

/** Makes a name valid: endpoints accept only names of this form. */
function cleanName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
}

/**
 * The tools by the names that the model sees: the tools' own names, prefixed with the server's name if several servers
 * have a tool with that name.
 */
function nameTools(listed: readonly OfferedTool[]): ReadonlyMap<string, OfferedTool> {
  const sameName = groupBy(listed, ({ own }) => cleanName(own));
  const named = new Map<string, OfferedTool>();
  for (const one of listed) {
    const isShared = (sameName.get(cleanName(one.own))?.length ?? 0) > 1;
    const name = cleanName(isShared ? `${one.server.name}_${one.own}` : one.own);
    if (named.has(name)) {
      const message = `The MCP server "${one.server.name}" offers the tool "${one.own}", which the model would call "${name}", like another tool.`;
      throw new TargetError('target-error', message);
    }
    named.set(name, { ...one, tool: { ...one.tool, name } });
  }
  return named;
}
