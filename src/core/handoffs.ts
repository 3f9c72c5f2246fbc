import { parseJson } from './data/data.ts';
import type { ToolCall } from './message.ts';

/** The parts of an assistant turn's item that are relevant here. */
interface Step {
  readonly kind: string;
  readonly agent?: string | undefined;
  readonly call?: ToolCall;
  readonly result?: string | undefined;
  /** Set if another call made it. Consulting an agent isn't a handoff. */
  readonly within?: string | undefined;
}

/** One agent hands over to another. */
export interface Handoff {
  readonly kind: 'handoff';
  /** The agent that hands over; absent if the items don't name it. */
  readonly from?: string | undefined;
  readonly to: string;
  /** The call that triggers it, if any. */
  readonly call_id?: string | undefined;
}

/**
 * Adds the handoffs to the items of a turn, each after the last item of the agent that hands over:
 *
 *     triage    calls transfer_to_refunds
 *               handoff from triage to refunds
 *     refunds   I refunded the lamp.
 *
 * If another agent continues the turn, that is a handoff, with or without a call. If nobody continues it, or the items
 * name no agent, a call is a handoff only if its result uses a framework's wording for handoffs, because other tools
 * have similar names, such as `transfer_to_human`.
 */
export function withHandoffs<Item extends Step>(items: readonly Item[]): (Item | Handoff)[] {
  const placed: (Item | Handoff)[] = [];
  let acting: string | undefined;
  let calls: Transfer[] = [];
  /** Number of placed items, up to the last item from an agent. */
  let done = 0;
  /** The first confirmed call of another agent since the last handoff. */
  let sure: Transfer | undefined;
  const handOver = (to: string, id?: string) => {
    const from = acting !== undefined && { from: acting };
    placed.splice(done, 0, {
      kind: 'handoff',
      ...from,
      to,
      ...(id !== undefined && { call_id: id }),
    });
    done += 1;
    calls = [];
    sure = undefined;
  };
  for (const item of items) {
    const { kind, agent } = item;
    if (kind === 'handoff') return [...items];
    if (kind === 'system' || item.within !== undefined) {
      placed.push(item);
      continue;
    }
    if (agent !== undefined && acting !== undefined && agent !== acting) {
      handOver(agent, calls.find((call) => leadsTo(call, agent))?.id);
    } else if (agent === undefined && acting !== undefined && sure) {
      const { to, id } = sure;
      handOver(to, id);
      acting = to;
    }
    acting = agent ?? acting;
    placed.push(item);
    done = placed.length;
    const call = transferBy(item);
    if (!call) continue;
    calls.push(call);
    if (!call.isConfirmed || call.to === acting) continue;
    if (acting === undefined) handOver(call.to, call.id);
    else sure ??= call;
  }
  if (sure) handOver(sure.to, sure.id);
  return placed;
}

/** A call that may be a handoff. */
interface Transfer {
  readonly id: string;
  /** An agent's name, or a form of it: `refund_agent` for "Refund agent". */
  readonly to: string;
  /** Whether it is a handoff even if no agent continues the turn. If so, `to` is the agent's exact name. */
  readonly isConfirmed: boolean;
}

function leadsTo({ to }: Transfer, agent: string): boolean {
  return to === agent || inSnakeCase(to) === inSnakeCase(agent);
}

/** Derives a tool name from an agent's name, as frameworks do. */
function inSnakeCase(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '_');
}

/** `transfer_to_refunds`, `transfer_back_to_triage`, `handoff_to_refunds` */
const TRANSFER = /^(?:transfer|hand_?off)_(?:back_)?to_(.+)$/i;

/** Longer results are searched only up to this length. */
const MAX_RESULT = 500;

function transferBy({ call, result, agent }: Step): Transfer | undefined {
  if (!call) return undefined;
  const { id, name } = call;
  const [, suffix] = TRANSFER.exec(name) ?? [];
  const said = result === undefined || result.length > MAX_RESULT ? undefined : namedBy(result);
  if (said !== undefined) return { id, to: said, isConfirmed: suffix !== undefined };
  if (suffix === undefined) return undefined;
  // ADK has one tool for all agents, and its result contains no useful information.
  const given: unknown = Object(call.arguments).agent_name;
  const isOfAdk = name === 'transfer_to_agent' && typeof given === 'string' && given !== '';
  if (!isOfAdk) return { id, to: suffix, isConfirmed: false };
  return { id, to: given, isConfirmed: agent !== undefined && result !== undefined };
}

/** The agent that a result names, using the wording of the OpenAI Agents SDK or LangGraph. */
function namedBy(result: string): string | undefined {
  const [, named] = /^Successfully transferred (?:back )?to (\S.*)$/.exec(result) ?? [];
  if (named !== undefined || !/^\{\s*"assistant"/.test(result)) return named;
  const value = Object(parseJson(result));
  const { assistant } = value;
  const isAlone = Object.keys(value).length === 1;
  return isAlone && typeof assistant === 'string' && assistant.trim() !== ''
    ? assistant
    : undefined;
}
