import type { Tool } from '../core/message.ts';
import type { TargetSpec } from '../core/suite.ts';
import { findTargetType } from '../targets/registry.ts';
import { type Location, type Scope, within } from './scope.ts';

/** Tools that a case offers to its target, and where they stand. */
export interface OfferedTools {
  readonly tools: readonly Tool[];
  readonly location: Location;
}

/**
 * Tells tools of which nothing can answer the calls, before a model is paid for making them.
 *
 * @param location of the target
 */
export function checkTools(
  target: TargetSpec,
  location: Location,
  offered: OfferedTools | undefined,
  { reporter }: Scope,
): void {
  const sent = target.tools
    ? { tools: target.tools, location: within(location, 'tools') }
    : offered;
  if (!sent) return;
  const place = { ...sent.location, owner: location.owner };
  const lost = findTargetType(target.type)?.unansweredTools?.(target.params, sent.tools) ?? [];
  // A fix is an edit of the problem's own document.
  const fixable = sent.location.document === location.document;
  if (lost.length > 0 && target.params.tool_results === undefined) {
    const message = `Nothing answers these tools when "${target.name}" calls them. Add \`tool_results\`, or a \`tool_module\` with a function for each tool.`;
    reporter.sayOnKey('unanswered-tool', message, place, {
      ...(fixable && { fix: { add: { to: location.path, key: 'tool_results' } } }),
    });
    return;
  }
  for (const tool of lost) {
    const message = `Nothing answers ${tool.name} when "${target.name}" calls it. Add it to the target's \`tool_results\`, or set a \`tool_module\`.`;
    const to = [...location.path, 'tool_results'];
    reporter.say('unanswered-tool', message, within(place, sent.tools.indexOf(tool)), {
      ...(fixable && { fix: { add: { to, key: tool.name } } }),
    });
  }
}

/** Tells a `cache` that cannot be: a service that was not told one turn does not know it in the next. */
export function checkCache(target: TargetSpec, location: Location, { reporter }: Scope): void {
  const keepsSession = findTargetType(target.type)?.keepsSession?.(target.params);
  if (target.params.cache !== true || !keepsSession) return;
  const key = within(location, 'cache');
  const message = `"${target.name}" keeps the conversation in its own session, so its replies cannot come from the cache. Remove \`cache\`.`;
  reporter.sayOnKey('cache-refused', message, key, { fix: { remove: key.path } });
}

/** Tells keys of the case's context that the target names and that the case does not have. */
export function checkContextKeys(
  { name, type, params }: TargetSpec,
  context: Readonly<Record<string, unknown>>,
  location: Location,
  { reporter }: Scope,
): void {
  for (const key of findTargetType(type)?.contextKeys?.(params) ?? []) {
    if (Object.hasOwn(context, key)) continue;
    const message = `The target "${name}" needs the key \`${key}\` of the case's \`context\`, and the case has none.`;
    reporter.sayOnKey('unknown-variable', message, location);
  }
}
