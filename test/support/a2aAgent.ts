import type { TestContext } from 'node:test';
import type { AgentCard, Part } from '@a2a-js/sdk';
import { Role, TaskState } from '@a2a-js/sdk';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  type RequestContext,
  ServerCallContext,
} from '@a2a-js/sdk/server';
import { answerJson, beginEvents, type ServiceRequest, startService } from './service.ts';

export type Publish = (event: ReturnType<(typeof AgentEvent)[keyof typeof AgentEvent]>) => void;

/** Handles a message and publishes events. */
export type Execute = (context: RequestContext, publish: Publish) => void | Promise<void>;

export interface AgentOptions {
  /** Defaults to true. */
  readonly streaming?: boolean;
  /** With `0.3`, the card and the protocol are of that version. */
  readonly version?: '1.0' | '0.3';
  /** Path of the agent card; defaults to the root. */
  readonly below?: string;
  /** The endpoint in the card; defaults to the agent's own. */
  readonly endpoint?: string;
}

/** Starts an agent with the A2A SDK behind a real server. It stops after the test. */
export async function startAgent(
  t: Pick<TestContext, 'after'>,
  execute: Execute,
  { streaming = true, version = '1.0', below = '', endpoint }: AgentOptions = {},
) {
  const card = (origin: string) => cardOf(endpoint ?? `${origin}/rpc`, version, streaming);
  const executor: AgentExecutor = {
    async execute(context, bus) {
      await execute(context, (event) => bus.publish(event));
      bus.finished();
    },
    async cancelTask() {},
  };
  const handler = new DefaultRequestHandler(
    cardOf('http://localhost/rpc', version, streaming).native,
    new InMemoryTaskStore(),
    executor,
  );
  const rpc =
    version === '1.0'
      ? new JsonRpcTransportHandler(handler)
      : new LegacyJsonRpcTransportHandler(handler);
  const service = await startService(t, async (request, response) => {
    const origin = `http://${request.headers.host}`;
    if (request.path === `${below}/.well-known/agent-card.json`) {
      return answerJson(response, card(origin).written);
    }
    if (request.path !== '/rpc') return answerJson(response, { error: 'nothing here' }, 404);
    const context = new ServerCallContext({ requestedVersion: version });
    const answer = await rpc.handle(request.text, context);
    if (!(Symbol.asyncIterator in answer)) return answerJson(response, answer);
    const send = beginEvents(response);
    for await (const event of answer) send(event);
    response.end();
  });
  const calls = (): ServiceRequest[] => service.requests.filter(({ method }) => method === 'POST');
  return { url: service.url.replace(/\/chat$/, ''), requests: service.requests, calls };
}

function cardOf(url: string, version: '1.0' | '0.3', streaming: boolean) {
  const about = {
    name: 'Shop',
    description: 'Answers customers.',
    version: '1',
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
  };
  const native: AgentCard = {
    ...about,
    supportedInterfaces: [
      { url, protocolBinding: 'JSONRPC', tenant: '', protocolVersion: version },
    ],
    provider: undefined,
    capabilities: { streaming, extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    signatures: [],
  };
  const old = {
    ...about,
    protocolVersion: '0.3.0',
    url,
    preferredTransport: 'JSONRPC',
    capabilities: { streaming },
  };
  return { native, written: version === '1.0' ? native : old };
}

export const text = (value: string): Part => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType: 'text/plain',
});

export function message(
  { contextId, taskId }: RequestContext,
  parts: readonly Part[],
  task = false,
) {
  return {
    messageId: `m-${Math.random()}`,
    contextId,
    taskId: task ? taskId : '',
    role: Role.ROLE_AGENT,
    parts: [...parts],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

/** Publishes a task in progress. Returns functions that publish status updates and artifacts. */
export function working(context: RequestContext, publish: Publish) {
  const { contextId, taskId } = context;
  const ids = { contextId, taskId, metadata: undefined };
  const status = (state: TaskState, says?: string) => ({
    state,
    message: says === undefined ? undefined : message(context, [text(says)], true),
    timestamp: undefined,
  });
  publish(
    AgentEvent.task({
      id: taskId,
      contextId,
      status: status(TaskState.TASK_STATE_WORKING),
      artifacts: [],
      history: [],
      metadata: undefined,
    }),
  );
  return {
    say: (state: TaskState, says?: string) =>
      publish(AgentEvent.statusUpdate({ ...ids, status: status(state, says) })),
    give: (artifactId: string, parts: readonly Part[], append = false) =>
      publish(
        AgentEvent.artifactUpdate({
          ...ids,
          artifact: {
            artifactId,
            name: '',
            description: '',
            parts: [...parts],
            metadata: undefined,
            extensions: [],
          },
          append,
          lastChunk: false,
        }),
      ),
  };
}

/** The text of the user's message. */
export function saidTo({ userMessage }: RequestContext): string {
  return userMessage.parts
    .map(({ content }) => (content?.$case === 'text' ? content.value : ''))
    .join('');
}

export { AgentEvent, TaskState };
