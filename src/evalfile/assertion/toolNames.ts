import type { AssertionType } from '../../assertions/contract.ts';
import { isMapping, type Mapping, mappingOf, valueAt } from '../../core/data/data.ts';
import type { Tool } from '../../core/message.ts';
import { suggestionsOf } from '../../core/problem.ts';
import { nearest } from '../../core/text/closest.ts';
import { mentionsIn } from '../../schema/mentions.ts';
import { type Location, report, reportOnKey, within } from '../scope.ts';

/**
 * Warns if an assertion misspells the name of one of the case's tools or of a tool's argument. Otherwise,
 * `tool-not-called` would always pass.
 */
export function warnOfTools(
  { params }: AssertionType,
  given: Mapping,
  tools: readonly Tool[],
  location: Location,
): void {
  if (tools.length === 0) return;
  for (const { kind, text, path } of mentionsIn(params, given).names) {
    if (kind !== 'tool') continue;
    const tool = tools.find(({ name }) => name === text);
    if (tool) {
      warnOfArguments(
        tool,
        valueAt(given, [...path.slice(0, -1), 'args']),
        within(location, ...path.slice(0, -1), 'args'),
      );
      continue;
    }
    const near = nearest(
      text,
      tools.map(({ name }) => name),
    );
    if (near.length === 0) continue;
    const message = `There is no tool "${text}" in \`tools\`. Did you mean "${near[0]}"?`;
    report('unknown-tool', message, within(location, ...path), {
      severity: 'warning',
      ...suggestionsOf(near),
    });
  }
}

function warnOfArguments({ name, parameters }: Tool, args: unknown, location: Location): void {
  const known = parameters?.properties;
  if (!isMapping(known)) return;
  for (const key of Object.keys(mappingOf(args))) {
    const near = Object.hasOwn(known, key) ? [] : nearest(key, Object.keys(known));
    if (near.length === 0) continue;
    const message = `The tool "${name}" has no parameter "${key}". Did you mean "${near[0]}"?`;
    reportOnKey('unknown-argument', message, within(location, key), {
      severity: 'warning',
      ...suggestionsOf(near),
    });
  }
}
