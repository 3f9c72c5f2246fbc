import { agentOf, type HandoffItem, type Turn } from '../conversation.ts';
import { visibleLine } from '../text/visibleText.ts';

const MAX_NAME = 60;

/** A name from a target or a trace, safe to show. */
export function agentName(name: string): string {
  return visibleLine(name, MAX_NAME);
}

type Ends = Pick<HandoffItem, 'from' | 'to'>;

/** `handoff from “triage” to “refunds”` */
export function handoffText(ends: Ends): string {
  return `handoff ${endsText(ends)}`;
}

/** `from “triage” to “refunds”` */
export function endsText({ from, to }: Ends): string {
  const by = from === undefined ? '' : `from “${agentName(from)}” `;
  return `${by}to “${agentName(to)}”`;
}

const MAX_LISTED = 10;

/** `user`, `assistant (triage, refunds)` */
export function speakerText({ side, items }: Pick<Turn, 'side' | 'items'>): string {
  const names = [...new Set(items.flatMap((item) => agentOf(item) ?? []))];
  return names.length === 0 ? side : `${side} (${listedAgents(names, String).join(', ')})`;
}

/** The first names, and how many more there are. */
export function listedAgents(names: readonly string[], quote: (name: string) => string): string[] {
  const rest = names.length - MAX_LISTED;
  const shown = names.slice(0, MAX_LISTED).map((one) => quote(agentName(one)));
  return rest > 0 ? [...shown, `${rest} more`] : shown;
}
