import type { ServerResponse } from 'node:http';
import { mappingOf } from '../../../src/core/data/data.ts';
import { answerJson, beginEvents, type Service, startService } from '../service.ts';

/** Answers a tool call instead of the server. */
export type Fault = (response: ServerResponse, id: unknown) => void;

interface Options {
  /** Whether answers are event streams. */
  readonly streams?: boolean;
  readonly fault?: Fault;
}

const SESSION = 'session-1';

export function resultOf(id: unknown, result: object): object {
  return { jsonrpc: '2.0', id, result };
}

const RESULTS: Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => object>> = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'shop', version: '1' },
  }),
  'tools/list': () => ({ tools: [{ name: 'find', inputSchema: { type: 'object' } }] }),
  'tools/call': (params) => ({
    content: [{ type: 'text', text: `found ${JSON.stringify(params.arguments)}` }],
  }),
};

/** Starts a tiny MCP server over Streamable HTTP, with a session. Its tool `find` echoes its arguments. */
export function startMcpService(
  t: Parameters<typeof startService>[0],
  { streams = false, fault }: Options = {},
): Promise<Service> {
  return startService(t, ({ method: verb, headers, body }, response) => {
    const { id, method, params } = mappingOf(body);
    if (method !== 'initialize' && headers['mcp-session-id'] !== SESSION) {
      return answerJson(response, 'no session', 400);
    }
    if (verb === 'DELETE' || id === undefined) return response.writeHead(202).end();
    if (method === 'tools/call' && fault) return fault(response, id);
    const answer = resultOf(id, RESULTS[String(method)]?.(mappingOf(params)) ?? {});
    response.setHeader('mcp-session-id', SESSION);
    if (!streams) return answerJson(response, answer);
    beginEvents(response)(answer, 'message');
    return response.end();
  });
}
