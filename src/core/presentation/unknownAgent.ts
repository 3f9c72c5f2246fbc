import { closest } from '../text/closest.ts';
import { formatList } from '../text/format.ts';
import { agentName, listedAgents } from './agents.ts';

/** `the conversation has no agent “refund” (agents: “triage” and “refunds”; did you mean “refunds”?)` */
export function unknownAgentText(name: string, agents: readonly string[]): string {
  const known = formatList(listedAgents(agents, (one) => `“${one}”`));
  const meant = closest(name, agents);
  const hint = meant === undefined ? '' : `; did you mean “${agentName(meant)}”?`;
  const about = agents.length === 0 ? 'it names no agent' : `agents: ${known}${hint}`;
  return `the conversation has no agent “${agentName(name)}” (${about})`;
}
