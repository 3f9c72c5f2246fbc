import { REPORTS, type Report, type Reporting } from '../core/conversation.ts';
import type { TargetSpec } from '../core/suite.ts';
import { a2aTarget } from './a2a.ts';
import { chatTarget } from './chat.ts';
import { commandTarget } from './command.ts';
import { httpTarget } from './http.ts';
import { reportsSchema } from './keys.ts';
import { moduleTarget } from './module.ts';
import type { TargetType } from './target.ts';

/** All target types. To add one, create a file in this folder and add a line here. */
export const targetTypes: readonly TargetType[] = [
  chatTarget,
  moduleTarget,
  commandTarget,
  httpTarget,
  a2aTarget,
];

export function findTargetType(type: string): TargetType | undefined {
  return targetTypes.find((one) => one.type === type);
}

/** The reports that are known before the target replies; undefined if only its replies show what they contain. */
export function declaredReporting(target: TargetSpec): Reporting | undefined {
  const own = ownReporting(target);
  // Spans can contain any report.
  return own?.isDeclared || !target.params.traces ? own : undefined;
}

/** The reports that its replies are known to contain, regardless of what its spans show. */
export function ownReporting({ name, type, params }: TargetSpec): Reporting | undefined {
  const { reportKeys: keys, reportsAll } = findTargetType(type) ?? {};
  const { data: given } = reportsSchema.safeParse(params.reports);
  if (given !== undefined) {
    const reports = given === 'all' ? REPORTS : given;
    return { target: name, reports, isDeclared: true, keys: {} };
  }
  if (reportsAll) return { target: name, reports: REPORTS, isDeclared: false, keys: {} };
  if (!keys) return undefined;
  const reports = REPORTS.filter((one) => params[keys[one] ?? ''] !== undefined);
  return { target: name, reports, isDeclared: false, keys };
}

/** @param contained the reports that its replies contain */
export function reportingOf(target: TargetSpec, contained: readonly Report[]): Reporting {
  const declared = ownReporting(target);
  if (declared?.isDeclared) return declared;
  const { reports, keys } = declared ?? { reports: [], keys: {} };
  const all = [...new Set([...reports, ...contained])];
  return { target: target.name, reports: all, isDeclared: false, keys };
}
