import { openEnd, toConversation } from '../../core/conversation.ts';
import { isError, type Problem } from '../../core/problem.ts';
import type { SaidBefore, TargetSpec } from '../../core/suite.ts';
import { findTargetType } from '../../targets/registry.ts';
import { within } from '../scope.ts';
import type { LoadedTranscript } from '../transcript.ts';
import { messagesAt } from './messagesAt.ts';
import type { ReadCase } from './readCase.ts';

/** What was said before the first live turn; undefined if there is nothing, or it is at fault. */
export async function historyOf(read: ReadCase): Promise<SaidBefore | undefined> {
  const { input, location, scope } = read;
  if (input.history === undefined || scope.unsound.has('history')) return undefined;
  const loaded = await messagesAt('history', read);
  if (!loaded) return undefined;
  const problems = problemsOf(loaded, input.simulate ? '`opening`' : '`turns`');
  for (const problem of problems) scope.reporter.add(problem, location.owner);
  if (problems.some(isError)) return undefined;
  const messages = loaded.messages.map((one) => ({ ...one, history: true as const }));
  return { messages, notes: loaded.notes };
}

/** Only the assistant has to speak in it: an agent may greet first. */
const OF_WHOLE = ['no-user-message', 'no-assistant-message', 'conversation-unfinished'];

/** @param live where the user's next words belong */
function problemsOf({ messages, problems }: LoadedTranscript, live: string): Problem[] {
  const own = problems.filter(({ code }) => !OF_WHOLE.includes(code));
  const last = messages.at(-1)?.source;
  const end = own.some(isError) ? undefined : openEnd(toConversation(messages));
  if (!end || !last) return own;
  const message =
    end === 'user'
      ? `A history ends with the assistant, and the next turn is the user's. Move what the user says last to ${live}.`
      : 'A history ends with what the assistant says. Add its reply after the tool call.';
  const range = problems.find(({ code }) => OF_WHOLE.includes(code))?.range ?? last.range;
  return [...own, { code: 'history-unfinished', message, severity: 'error', ...last, range }];
}

/** Tells a history that the target cannot be given. */
export function checkHistory({ input, location, scope }: ReadCase, target: TargetSpec): void {
  const { keepsSession } = findTargetType(target.type) ?? {};
  if (input.history === undefined || !keepsSession?.(target.params)) return;
  const key = within(location, 'history');
  const message = `"${target.name}" keeps the conversation in its own session, so it cannot be given a \`history\`. Remove it, or say those turns live.`;
  scope.reporter.sayOnKey('history-refused', message, key, { fix: { remove: key.path } });
}
