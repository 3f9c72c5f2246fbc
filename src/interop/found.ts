import { agentsIn, toConversation, turnsOf } from '../core/conversation.ts';
import { groupBy } from '../core/data/data.ts';
import { readable } from '../core/limits.ts';
import { formatList, truncateList } from '../core/text/format.ts';
import { visibleLine } from '../core/text/visibleText.ts';
import { readMessages } from '../messages/readMessages.ts';
import type { Layout } from '../report/findings/layout.ts';
import { callsIn } from './exchanges.ts';
import type { Draft, DraftCase, Importer, Ledger } from './importer.ts';

/** What a file is, and what was found in it. */
export interface Found {
  /** The importer's name, such as `OpenTelemetry traces`. */
  readonly format: string;
  readonly versions: readonly string[];
  readonly producers: readonly string[];
  readonly rows: readonly FoundRow[];
}

interface FoundRow {
  readonly what: string;
  readonly count: number;
  readonly details: string;
}

/** Maximum number of characters of a name from the file. */
const MAX_NAME = 100;

export function foundIn(draft: Draft, { name }: Importer, ledger: Ledger): Found {
  const { cases, versions = [], producers = [] } = draft;
  const recorded = cases.map(messagesOf).filter((messages) => messages !== undefined);
  const turns = recorded.flatMap((messages) =>
    turnsOf(toConversation(messages.map((message) => ({ message })))),
  );
  const calls = recorded.flatMap(callsIn);
  const agents = agentsIn(turns);
  const tasks = groupBy(cases, ({ task }) => task);
  const tried = [...tasks].filter(([task, { length }]) => task !== undefined && length > 1);
  const feedback = cases.flatMap((one) => one.feedback ?? []);
  const rows = [
    rowOf('conversations', recorded.length),
    { what: 'repeated tasks', count: tried.length, details: trialsText(tried) },
    rowOf('live cases', cases.length - recorded.length),
    rowOf('turns', turns.length),
    rowOf(
      'tool calls',
      calls.length,
      calls.map((call) => call.name),
    ),
    rowOf('agents', agents.length, agents),
    rowOf(
      'feedback',
      feedback.length,
      feedback.map((one) => one.name),
    ),
    ...ledger.skipped.map(({ what, why, count }) => ({
      what: `skipped ${what}`,
      count,
      details: why,
    })),
  ].filter(({ count }, index) => count > 0 || index === 0);
  return { format: name, versions, producers, rows };
}

function messagesOf({ keys }: DraftCase) {
  const { messages, problems } = readMessages(keys.transcript);
  return problems.length > 0 ? undefined : messages.map(({ message }) => message);
}

function trialsText(tried: readonly (readonly [unknown, readonly DraftCase[]])[]): string {
  const trials = tried.reduce((sum, [, { length }]) => sum + length, 0);
  return `${readable(trials)} trials; each task becomes one case`;
}

function rowOf(what: string, count: number, names: readonly string[] = []): FoundRow {
  return { what, count, details: shortList(names) };
}

function shortList(names: Iterable<string>): string {
  return truncateList([...new Set(names)].map((name) => visibleLine(name, MAX_NAME)));
}

/** Such as `OpenTelemetry traces, OpenInference, from LangGraph`. */
function formatText({ format, versions, producers }: Found): string {
  const of = [...new Set(versions)].map((one) => visibleLine(one, MAX_NAME));
  const from = producers.length === 0 ? [] : [`from ${shortList(producers)}`];
  return [format, ...(of.length === 0 ? [] : [formatList(of)]), ...from].join(', ');
}

/** @param shown the path of the file */
export function foundReport(shown: string, found: Found, layout: Layout): string {
  const rows = found.rows.map(({ what, count, details }) => [what, String(count), details]);
  const table = layout.table(['Found', 'Number', 'Details'], rows);
  return [layout.text(`${shown}: ${formatText(found)}`), table].join('\n\n');
}
