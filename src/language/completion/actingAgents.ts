import { agentsIn, toConversation, turnsOf } from '../../core/conversation.ts';
import { mappingOf, valueAt } from '../../core/data/data.ts';
import { runCooperatively } from '../../node/cooperative.ts';
import type { CompletionRequest } from '../ports.ts';
import type { Cursor } from './cursor.ts';
import { type Choice, KINDS } from './items.ts';
import { readEntries } from './slice.ts';
import { messagesOfFile } from './transcriptFile.ts';

/** Maximum number of cases whose last results are read if the case at the cursor has none. */
const MAX_CASES = 10;

/** Agents in the conversations that a case refers to, and in the last results. @param known agents that are offered anyway */
export async function actingAgents(
  cursor: Cursor,
  request: CompletionRequest,
  known: readonly Choice[],
): Promise<Choice[]> {
  const inCase = cursor.path[0] === 'cases';
  const own = mappingOf(inCase ? await runCooperatively(cursor.wholeCase(), request.step) : {});
  const paths = [own.transcript, own.history].filter((one) => typeof one === 'string');
  const messages = await Promise.all(paths.map((one) => messagesOfFile(one, request)));
  const named = messages.flatMap((list) => agentsIn(turnsOf(toConversation(list))));
  const found = new Map(named.map((name) => [name, 'agent']));
  for (const name of await agentsThatRan(own.id ?? caseIdAt(cursor), request)) {
    if (!found.has(name)) found.set(name, 'agent in the last run');
  }
  for (const { label } of known) found.delete(label);
  return [...found].map(([label, detail]) => ({ label, detail, kind: KINDS.reference }));
}

function caseIdAt({ root, path }: Cursor): unknown {
  return valueAt(root, [...path.slice(0, 2), 'id']);
}

async function agentsThatRan(
  id: unknown,
  { lastRuns, path, suite = path, text, step }: CompletionRequest,
): Promise<string[]> {
  if (!lastRuns) return [];
  const own = typeof id === 'string' ? await lastRuns(suite, id) : [];
  if (own.length > 0) return own.flatMap((line) => agentsIn(turnsOf(line.conversation)));
  const entries = await runCooperatively(readEntries(text, 'id'), step);
  const ids = entries.map((one) => mappingOf(one).id).filter((one) => typeof one === 'string');
  const lines = await Promise.all(ids.slice(0, MAX_CASES).map((one) => lastRuns(suite, one)));
  return lines.flat().flatMap((line) => agentsIn(turnsOf(line.conversation)));
}
