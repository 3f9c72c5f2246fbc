import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '../support/modelServer/steps.ts';

/** What happens in every recording, whatever framework runs the agents. */
export const SCRIPT_FILE = join(import.meta.dirname, 'script.json');

const script = JSON.parse(readFileSync(SCRIPT_FILE, 'utf8')) as Script;

interface Script {
  readonly agents: Readonly<Record<string, { readonly instructions: string }>>;
  readonly turns: readonly { readonly user: string; readonly replies: readonly Reply[] }[];
}

interface Reply {
  readonly agent: string;
  readonly text?: string;
  readonly calls?: readonly Call[];
  /** The agent that takes over. */
  readonly handoff?: string;
}

interface Call {
  readonly name: string;
  readonly arguments: object;
  readonly result: unknown;
}

export const USER_TEXTS: readonly string[] = script.turns.map(({ user }) => user);

/** The call by which an agent hands over, or asks the other agent and answers the user itself. */
export type Handoff =
  | (Call & { readonly delegates?: false })
  | (Omit<Call, 'result'> & { readonly delegates: true });

/** A reply as the model of an agent gives it. */
export interface ModelReply {
  readonly instructions: string;
  readonly answer: Answer & { readonly id: string };
}

/** An item of the conversation that happened. */
export type Entry =
  | { readonly user: string }
  | { readonly assistant: string }
  | { readonly call: Call };

interface Said extends Reply {
  /** True if the user sees it: an agent that was only asked talks to the other agent. */
  readonly visible: boolean;
}

/** What every agent says in a turn, in order. */
function saidIn(replies: readonly Reply[], handoff: Handoff): Said[] {
  if (!handoff.delegates) {
    return replies.map((reply) => ({
      ...reply,
      ...(reply.handoff && { calls: [handoff] }),
      visible: true,
    }));
  }
  const agent = script.turns[0]?.replies[0]?.agent ?? '';
  const asks = replies.find((reply) => reply.handoff);
  const last = replies.at(-1);
  if (!asks || !last) return replies.map((reply) => ({ ...reply, agent, visible: true }));
  return [
    { ...asks, calls: [{ ...handoff, result: last.text }], visible: true },
    ...replies.filter((reply) => reply !== asks).map((reply) => ({ ...reply, visible: false })),
    { ...last, agent, visible: true },
  ];
}

/** The model's replies to the requests of all agents, in order. */
export function modelReplies(handoff: Handoff): ModelReply[] {
  let calls = 0;
  return script.turns
    .flatMap(({ replies }) => saidIn(replies, handoff))
    .map((said, index) => ({
      instructions: script.agents[said.agent]?.instructions ?? '',
      answer: {
        id: `${index + 1}`,
        ...(said.text !== undefined && { text: said.text }),
        ...(said.calls && {
          toolCalls: said.calls.map(({ name, arguments: given }) => {
            calls += 1;
            return { id: `call_${calls}`, name, arguments: given };
          }),
        }),
      },
    }));
}

/** The conversation that the user had. */
export function conversation(handoff: Handoff): Entry[] {
  return script.turns.flatMap(({ user, replies }) => [
    { user },
    ...saidIn(replies, handoff)
      .filter(({ visible }) => visible)
      .flatMap(({ text, calls = [] }) => [
        ...(text === undefined ? [] : [{ assistant: text }]),
        ...calls.map((call) => ({ call: callOnly(call) })),
      ]),
  ]);
}

/** The agent of each text and call in it. */
export function speakers(handoff: Handoff): string[] {
  return script.turns.flatMap(({ replies }) =>
    saidIn(replies, handoff)
      .filter(({ visible }) => visible)
      .flatMap(({ agent, text, calls = [] }) => [
        ...(text === undefined ? [] : [agent]),
        ...calls.map(() => agent),
      ]),
  );
}

function callOnly({ name, arguments: given, result }: Call): Call {
  return { name, arguments: given, result };
}
