import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type Message as AgentMessage, Role } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { errorText } from '../../core/errors.ts';
import type { Message } from '../../core/message.ts';
import { redactUrl, sanitizeText } from '../../models/connectionErrors.ts';
import { isLoopback } from '../../models/destination.ts';
import {
  fetchLimited,
  type PendingReply,
  RemoteSession,
  type RemoteSetup,
  StatusError,
  targetError,
} from '../http/send.ts';
import { readReply } from '../reply.ts';
import { prependCalls, readReportedCalls } from '../reportedCalls.ts';
import { type OnText, TargetError, type TargetReply } from '../target.ts';
import { type ReadSources, TaskReply } from './taskReply.ts';

const CARD = '/.well-known/agent-card.json';

/** Milliseconds between checks of a task that continues after the answer. */
const POLL_INTERVAL = 500;

/** A conversation with an agent: one context and, while the agent needs more input, one task. */
export class A2aSession extends RemoteSession<RemoteSetup> {
  #client: Client | undefined;
  #request: PendingReply | undefined;
  #contextId = '';
  #taskId = '';
  #sources: ReadSources = new Map();

  async reply(
    messages: readonly Message[],
    signal: AbortSignal,
    onText: OnText = () => {},
  ): Promise<TargetReply> {
    const text = messages.at(-1)?.content ?? '';
    const reply = await this.run(signal, (request) => {
      this.#request = request;
      return this.#ask(text, request.signal, onText).catch((error) =>
        this.#explain(error, request.signal),
      );
    });
    this.#contextId = reply.contextId;
    this.#taskId = reply.isOpen ? reply.taskId : '';
    this.countReply(reply.text.length);
    this.#sources = reply.sources;
    return this.#withReport(reply);
  }

  #withReport({ text, report }: TaskReply): TargetReply {
    const calls = readReportedCalls(report.calls, this.replies);
    if (calls.problem !== undefined) {
      const message = `The agent's tool calls can't be read. ${calls.problem}`;
      throw new TargetError('target-malformed-reply', message);
    }
    const { messages } =
      text === '' && calls.messages.length > 0 ? { messages: [] } : readReply(text);
    const { usage } = report;
    return {
      messages: prependCalls(calls.messages, messages),
      ...(calls.notes.length > 0 && { notes: [...calls.notes] }),
      ...(usage && { usage }),
    };
  }

  async #ask(text: string, signal: AbortSignal, onText: OnText): Promise<TaskReply> {
    this.#client ??= await this.#connect();
    const client = this.#client;
    const unset = { configuration: undefined, metadata: undefined };
    const request = { tenant: '', message: this.#message(text), ...unset };
    const reply = new TaskReply(this.#sources);
    // If the agent doesn't stream, this is its only answer.
    for await (const event of client.sendMessageStream(request, { signal })) {
      reply.add(event);
      const streamed = reply.takeText();
      if (streamed !== undefined) onText(streamed);
    }
    while (reply.isWorking && reply.taskId !== '') {
      await setTimeout(POLL_INTERVAL, undefined, { signal });
      const asked = { tenant: '', id: reply.taskId };
      const task = await client.getTask(asked, { signal });
      reply.add({ payload: { $case: 'task', value: task } });
    }
    reply.check();
    return reply;
  }

  #message(text: string): AgentMessage {
    const { conversationId, context } = this.host;
    const content = { $case: 'text', value: text } as const;
    return {
      messageId: randomUUID(),
      contextId: this.#contextId,
      taskId: this.#taskId,
      role: Role.ROLE_USER,
      parts: [{ content, metadata: undefined, filename: '', mediaType: 'text/plain' }],
      metadata: { conversation: conversationId, ...context },
      extensions: [],
      referenceTaskIds: [],
    };
  }

  /** Connects. Uses protocol 0.3 if the agent's card says so. */
  async #connect(): Promise<Client> {
    const { url, headers } = this.setup;
    const pending = () => {
      if (!this.#request) throw new Error('Internal error: an agent was called without a request.');
      return this.#request;
    };
    const fetchImpl = createAgentFetch(url, headers, pending, () => this.traceHeaders());
    const options = { fetchImpl, legacyCompat: { enabled: true } };
    const factory = new ClientFactory({
      transports: [new JsonRpcTransportFactory(options), new RestTransportFactory(options)],
      cardResolver: new DefaultAgentCardResolver(options),
    });
    if (new URL(url).pathname.endsWith('.json')) return factory.createFromUrl(url, '');
    try {
      return await factory.createFromUrl(`${url.replace(/\/$/, '')}${CARD}`, '');
    } catch (error) {
      // If a host has only one agent, its card may be at the root.
      if (!(error instanceof StatusError) || error.status !== 404) throw error;
      if (new URL(url).pathname === '/') throw error;
      return factory.createFromUrl(new URL(CARD, url).href, '');
    }
  }

  #explain(error: unknown, signal: AbortSignal): never {
    signal.throwIfAborted();
    if (error instanceof TargetError) throw error;
    const words = sanitizeText(errorText(error), this.host.scrubber);
    throw targetError(
      `Communication with the agent at ${redactUrl(this.setup.url)} failed: ${words}`,
    );
  }
}

/**
 * A `fetch` for the agent's client, with the limits and retries that all targets have, and this target's headers. An
 * agent's card chooses where messages go; if that is another host, requests with headers fail, because nobody has
 * allowed that host to receive them.
 *
 * @param url the target's URL
 * @param traceHeaders trace headers for the current turn; not secret
 */
function createAgentFetch(
  url: string,
  headers: Readonly<Record<string, string>>,
  pending: () => PendingReply,
  traceHeaders: () => Readonly<Record<string, string>>,
): typeof fetch {
  return async (input, init = {}) => {
    const to = input instanceof Request ? input.url : String(input);
    if (Object.keys(headers).length > 0 && !isSameHost(to, url)) {
      const message = `The card of the agent at ${redactUrl(url)} names an endpoint on another host, ${redactUrl(to)}, which does not get the target's \`headers\`. Set \`url\` to that host, or remove \`headers\`.`;
      throw targetError(message);
    }
    const own = Object.fromEntries(new Headers(init.headers));
    const request = {
      url: to,
      method: init.method ?? 'GET',
      headers: { ...own, ...headers, ...traceHeaders() },
      ...(typeof init.body === 'string' && { body: init.body }),
    };
    return fetchLimited(request, pending());
  };
}

function isSameHost(one: string, other: string): boolean {
  const [a, b] = [new URL(one), new URL(other)];
  if (a.origin === b.origin) return true;
  // `localhost` and `127.0.0.1` are the same server.
  const isLocal = [a, b].every(({ hostname }) => isLoopback(hostname));
  return isLocal && a.port === b.port && a.protocol === b.protocol;
}
