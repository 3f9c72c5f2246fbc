import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TurnItem } from '../../src/core/conversation.ts';
import type { Answer } from '../support/modelServer/steps.ts';

/** The conversation in every recording, for all frameworks. */
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
  /** Name of the agent that takes over. */
  readonly handoff?: string;
}

interface Call {
  readonly name: string;
  readonly arguments: object;
  readonly result: unknown;
}

export const USER_TEXTS: readonly string[] = script.turns.map(({ user }) => user);

/** The call with which an agent hands over to another agent, or asks it and answers the user itself. */
export type Handoff =
  | (Call & { readonly delegates?: false })
  | (Omit<Call, 'result'> & { readonly delegates: true });

/** A model's reply to an agent. */
export interface ModelReply {
  readonly instructions: string;
  readonly answer: Answer & { readonly id: string };
}

/** An item of the user's conversation. */
export type Entry =
  | { readonly user: string }
  | { readonly assistant: string }
  | { readonly call: Call };

/** An item with the agent that caused it: a text, the name of a called tool, or a handoff. */
export type Step =
  | { readonly by: string; readonly does: string }
  | { readonly from: string; readonly to: string };

interface Said extends Reply {
  /** Whether the user sees it. An agent that was only asked answers the other agent. */
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

/** The model's replies to the requests of all agents, in order. @param from index of the first turn */
export function modelReplies(handoff: Handoff, from = 0): ModelReply[] {
  let calls = 0;
  return script.turns
    .slice(from)
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

/** The conversation as the user sees it. */
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

/** The agents' actions that the user sees, in order. A handoff comes right after the call that triggers it. */
export function steps(handoff: Handoff): Step[] {
  return script.turns.flatMap(({ replies }) =>
    saidIn(replies, handoff)
      .filter(({ visible }) => visible)
      .flatMap(({ agent, text, calls = [], handoff: to }): Step[] => [
        ...(text === undefined ? [] : [{ by: agent, does: text }]),
        ...calls.map(({ name }) => ({ by: agent, does: name })),
        ...(to === undefined || handoff.delegates ? [] : [{ from: agent, to }]),
      ]),
  );
}

/** The steps in a turn's items. */
export function stepsIn(items: readonly TurnItem[]): object[] {
  return items.flatMap((item): object[] => {
    if (item.kind === 'system') return [];
    if (item.kind === 'handoff') {
      const { kind: _, call_id: __, ...ends } = item;
      return [ends];
    }
    const does = item.kind === 'text' ? item.text : item.call.name;
    return [item.agent === undefined ? { does } : { by: item.agent, does }];
  });
}

/** A step without names, as in an export that doesn't say which agent acts. */
export function withoutNames(step: Step): object {
  return 'to' in step ? { to: step.to } : { does: step.does };
}

function callOnly({ name, arguments: given, result }: Call): Call {
  return { name, arguments: given, result };
}
