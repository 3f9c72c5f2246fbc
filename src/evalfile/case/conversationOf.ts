import type { Known } from '../../assertions/contract.ts';
import { knownOf } from '../../assertions/known.ts';
import { type Conversation, type Turn, toConversation, turnsOf } from '../../core/conversation.ts';
import { isError } from '../../core/problem.ts';
import type { SaidBefore, TargetSpec, TranscriptOrigin, TurnsOrigin } from '../../core/suite.ts';
import { findTargetType } from '../../targets/registry.ts';
import { resolveTarget } from '../models.ts';
import { type Location, type Scope, within } from '../scope.ts';
import { checkContextKeys, type OfferedTools } from '../targetTools.ts';
import type { LoadedTranscript } from '../transcript.ts';
import { checkTranscripts } from '../variants/transcripts.ts';
import { fillIn } from './fillIn.ts';
import { checkHistory, historyOf } from './history.ts';
import { messagesAt } from './messagesAt.ts';
import { atTop, type ReadCase, type SoundInput, type SoundTurn } from './readCase.ts';

/** Where a case's conversation comes from, and what is known about it before the run. */
export interface KnownConversation {
  /** Absent if it cannot be had, for the reason that was reported. */
  readonly origin?: TurnsOrigin | TranscriptOrigin;
  readonly history?: SaidBefore;
  readonly known: Known;
  /** Absent where it is not known yet, or if a history cannot be read. */
  readonly sides?: readonly Turn['side'][];
}

/** The keys of a case that say where its conversation comes from. */
const ORIGINS = ['turns', 'transcript', 'transcripts'] as const;

/** @param recorded that of the variant, of a case with `transcripts` */
export async function conversationOf(
  read: ReadCase,
  offered: OfferedTools | undefined,
  recorded: LoadedTranscript | undefined,
): Promise<KnownConversation | undefined> {
  const { input, location, scope } = read;
  const { reporter, unsound } = scope;
  if (ORIGINS.some((key) => unsound.has(key))) return undefined;
  const given = ORIGINS.filter((key) => input[key] !== undefined);
  if (given.length !== 1) {
    const message =
      given.length === 0
        ? 'The case has no conversation. Add `turns` for the target to answer, or a `transcript` to judge.'
        : `A case has only one of ${given.map((key) => `\`${key}\``).join(' and ')}. Remove the others.`;
    reporter.sayOnKey('turns-or-transcript', message, location, {
      ...(given.length === 0 && { fix: { add: { to: location.path, key: 'transcript' } } }),
    });
    return undefined;
  }
  const sayUseless = (name: keyof SoundInput, works: string) => {
    if (input[name] === undefined) return;
    const key = within(location, name);
    const message = `\`${name}\` works only with ${works}. Remove it.`;
    reporter.sayOnKey('useless-key', message, key, { fix: { remove: key.path } });
  };
  if (input.turns) {
    if (input.history === undefined) sayUseless('roles', 'messages that were recorded');
    return scripted(read, offered);
  }
  sayUseless('stop_on_failure', '`turns`');
  sayUseless('history', '`turns`');
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

async function scripted(
  read: ReadCase,
  offered: OfferedTools | undefined,
): Promise<KnownConversation> {
  const { input, location, scope } = read;
  const context = input.context ?? {};
  const given = input.turns ?? [];
  const turns = given.map((item, index) => {
    const turn = within(location, 'turns', index);
    const { user = '', expected } = typeof item === 'string' ? { user: item } : (item ?? {});
    const textLocation = typeof item === 'string' ? turn : within(turn, 'user');
    return {
      user: fillIn(user, context, textLocation, scope),
      source: { path: location.document.path, range: location.document.entryRangeOf(turn.path) },
      ...(expected !== undefined && {
        expected: fillIn(expected, context, within(turn, 'expected'), scope),
      }),
    };
  });
  const resolved = await targetFor(input, offered, location, scope);
  if (resolved) checkHistory(read, resolved);
  if (resolved && !scope.unsound.has('context')) {
    checkContextKeys(resolved, context, location, scope);
  }
  const hasExpected = turns.some(({ expected }) => expected !== undefined);
  const history = await historyOf(read);
  const before = history && toConversation(history.messages);
  const origin = { kind: 'turns' as const, ...(history && { history }), turns };
  return {
    ...(resolved && { origin: { ...origin, target: resolved } }),
    ...(history && { history }),
    known: {
      ...(hasExpected || !given.some(mayExpect) ? { hasExpected } : {}),
      ...(resolved && systemTextKnown(resolved)),
      ...(before && knownBefore(before)),
    },
    ...((before || input.history === undefined) && {
      sides: [
        ...(before ? turnsOf(before).map(({ side }) => side) : []),
        ...turns.flatMap(() => ['user', 'assistant'] as const),
      ],
    }),
  };
}

/** What a history holds the conversation holds; of the rest of it nothing is known. */
function knownBefore(before: Conversation): Known {
  return Object.fromEntries(Object.entries(knownOf(before)).filter(([, holds]) => holds));
}

/** Whether a turn may say what a good reply holds, in a way that cannot be read. */
function mayExpect(turn: SoundTurn): boolean {
  return turn === undefined || (typeof turn !== 'string' && 'expected' in turn);
}

async function targetFor(
  input: SoundInput,
  offered: OfferedTools | undefined,
  location: Location,
  scope: Scope,
): Promise<TargetSpec | undefined> {
  if (input.target !== undefined) {
    return resolveTarget(input.target, within(location, 'target'), offered, scope);
  }
  if (scope.unsound.has('target')) return undefined;
  if (scope.file.target !== undefined) {
    return resolveTarget(scope.file.target, atTop('target', location, scope), offered, scope);
  }
  const message =
    '`turns` need a `target` to answer them. Set one in the case or at the top of the file.';
  scope.reporter.sayOnKey('missing-target', message, within(location, 'turns'), {
    fix: { add: { to: location.path, key: 'target' } },
  });
  return undefined;
}

/** A target that may reply with system texts may be told some that the file does not hold. */
function systemTextKnown({ system, type }: TargetSpec): Pick<Known, 'hasSystemText'> {
  if (system !== undefined) return { hasSystemText: true };
  return findTargetType(type)?.repliesWithSystemTexts ? {} : { hasSystemText: false };
}
