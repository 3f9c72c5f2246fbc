import { knownOf } from '../../assertions/caseNeeds.ts';
import { toConversation, turnsOf } from '../../core/conversation.ts';
import { isError } from '../../core/problem.ts';
import { within } from '../scope.ts';
import type { OfferedTools } from '../targetTools.ts';
import type { LoadedTranscript } from '../transcript.ts';
import { checkTranscripts } from '../variants/transcripts.ts';
import type { KnownConversation } from './knownConversation.ts';
import { scripted, simulated } from './live.ts';
import { messagesAt } from './messagesAt.ts';
import type { ReadCase } from './readCase.ts';
import type { CaseJudge } from './simulated.ts';

/** The keys of a case that say where its conversation comes from. */
const ORIGINS = ['turns', 'simulate', 'transcript', 'transcripts'] as const;

/**
 * Where the conversation of a case comes from, which one of its keys says.
 *
 * @param recorded that of the variant, of a case with `transcripts`
 */
export async function conversationOf(
  read: ReadCase,
  offered: OfferedTools | undefined,
  judge: CaseJudge,
  recorded: LoadedTranscript | undefined,
): Promise<KnownConversation | undefined> {
  const { input, location, scope } = read;
  const { reporter, unsound } = scope;
  if (ORIGINS.some((key) => unsound.has(key))) return undefined;
  const given = ORIGINS.filter((key) => input[key] !== undefined);
  if (given.length !== 1) {
    const message =
      given.length === 0
        ? 'The case has no conversation. Add `turns` or `simulate` for the target to answer, or a `transcript` or `transcripts` to judge.'
        : `A case has only one of ${given.map((key) => `\`${key}\``).join(' and ')}. Remove the others.`;
    reporter.sayOnKey('turns-or-transcript', message, location, {
      ...(given.length === 0 && { fix: { add: { to: location.path, key: 'transcript' } } }),
    });
    return undefined;
  }
  const live = input.turns !== undefined || input.simulate !== undefined;
  if (!input.turns) sayUseless('stop_on_failure', '`turns`', read);
  if (live && input.history === undefined) {
    sayUseless('roles', 'messages that were recorded', read);
  }
  if (input.turns) return scripted(read, offered);
  if (input.simulate) return simulated(read, offered, judge);
  sayUseless('history', '`turns` or `simulate`', read);
  if (input.transcripts && !recorded) {
    await checkTranscripts(input.transcripts, within(location, 'transcripts'), scope);
    return { origin: { kind: 'transcript', messages: [], notes: [] }, known: {} };
  }
  const transcript = recorded ?? (await messagesAt('transcript', read));
  if (!transcript) return undefined;
  const { messages, notes, problems } = transcript;
  for (const problem of problems) reporter.add(problem, location.owner);
  if (problems.some(isError)) return undefined;
  const conversation = toConversation(messages);
  return {
    origin: { kind: 'transcript', messages, notes },
    known: knownOf(conversation),
    sides: turnsOf(conversation).map(({ side }) => side),
  };
}

function sayUseless(
  name: 'stop_on_failure' | 'history' | 'roles',
  works: string,
  { input, location, scope }: ReadCase,
): void {
  if (input[name] === undefined) return;
  const key = within(location, name);
  const message = `\`${name}\` works only with ${works}. Remove it.`;
  scope.reporter.sayOnKey('useless-key', message, key, { fix: { remove: key.path } });
}
