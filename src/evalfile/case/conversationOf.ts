import { dirname, resolve } from 'node:path';
import type { Known } from '../../assertions/contract.ts';
import { knownOf } from '../../assertions/known.ts';
import { type Turn, toConversation, turnsOf } from '../../core/conversation.ts';
import type { TargetSpec, TranscriptOrigin, TurnsOrigin } from '../../core/suite.ts';
import { findTargetType } from '../../targets/registry.ts';
import { FileError } from '../files.ts';
import { resolveTarget } from '../models.ts';
import { resolvePath } from '../paths.ts';
import type { CaseInput } from '../schema.ts';
import { keyPlaceOf, placeOf, type Scope, type Spot, within } from '../scope.ts';
import { type LoadedTranscript, loadTranscript, readTranscript } from '../transcript.ts';
import { fillIn } from './caseText.ts';

const TRANSCRIPT_FILE = /\.(json|jsonl|ya?ml)$/;

const MAX_TRANSCRIPT = 20_000_000;

/** How a case's conversation comes to be, and what is known of it before it runs. */
export interface KnownConversation {
  readonly origin: TurnsOrigin | TranscriptOrigin;
  readonly known: Known;
  readonly sides: readonly Turn['side'][];
}

export async function conversationOf(
  input: CaseInput,
  target: { readonly value: unknown; readonly spot: Spot } | undefined,
  spot: Spot,
  scope: Scope,
): Promise<KnownConversation | undefined> {
  const { reporter } = scope;
  if ((input.turns === undefined) === (input.transcript === undefined)) {
    const message =
      input.turns === undefined
        ? 'The case has no conversation: give `turns` for the target to answer, or a `transcript` to judge.'
        : 'A case has either `turns` or `transcript`, not both.';
    reporter.say('turns-or-transcript', message, keyPlaceOf(spot), spot.owner, {
      ...(input.turns === undefined && { fix: { add: { to: spot.path, key: 'transcript' } } }),
    });
    return undefined;
  }
  if (input.turns) return scripted(input, target, spot, scope);
  if (input.stop_on_failure !== undefined) {
    const message = '`stop_on_failure` is about `turns`; a transcript has happened already.';
    const place = within(spot, 'stop_on_failure');
    reporter.say('useless-key', message, keyPlaceOf(place), spot.owner, {
      fix: { remove: place.path },
    });
  }
  const transcript = await transcriptOf(input.transcript, within(spot, 'transcript'), scope);
  if (!transcript) return undefined;
  const { messages, notes, problems } = transcript;
  for (const problem of problems) reporter.add(problem, spot.owner);
  if (problems.some(({ severity }) => severity === 'error')) return undefined;
  const conversation = toConversation(messages);
  return {
    origin: { kind: 'transcript', messages, notes },
    known: knownOf(conversation),
    sides: turnsOf(conversation).map(({ side }) => side),
  };
}

function scripted(
  input: CaseInput,
  target: { readonly value: unknown; readonly spot: Spot } | undefined,
  spot: Spot,
  scope: Scope,
): KnownConversation | undefined {
  if (!target) {
    if (scope.unsound.has('target')) return undefined;
    const message =
      '`turns` need a `target` that answers them: name one in the case or at the top of the file.';
    const place = keyPlaceOf(within(spot, 'turns'));
    scope.reporter.say('missing-target', message, place, spot.owner, {
      fix: { add: { to: spot.path, key: 'target' } },
    });
    return undefined;
  }
  const resolved = resolveTarget(target.value, target.spot, scope);
  const context = input.context ?? {};
  const turns = (input.turns ?? []).map((item, index) => {
    const place = within(spot, 'turns', index);
    const { user, expected } =
      typeof item === 'string' ? { user: item, expected: undefined } : item;
    const textSpot = typeof item === 'string' ? place : within(place, 'user');
    return {
      user: fillIn(user, context, textSpot, scope),
      source: { path: spot.document.path, range: spot.document.entryRangeOf(place.path) },
      ...(expected !== undefined && {
        expected: fillIn(expected, context, within(place, 'expected'), scope),
      }),
    };
  });
  if (!resolved) return undefined;
  return {
    origin: { kind: 'turns', target: resolved, turns },
    known: {
      hasExpected: turns.some(({ expected }) => expected !== undefined),
      ...systemTextKnown(resolved),
    },
    sides: turns.flatMap(() => ['user', 'assistant'] as const),
  };
}

/** A target that may reply with system texts may be told some that the file does not hold. */
function systemTextKnown({ system, type }: TargetSpec): Pick<Known, 'hasSystemText'> {
  if (system !== undefined) return { hasSystemText: true };
  return findTargetType(type)?.repliesWithSystemTexts ? {} : { hasSystemText: false };
}

async function transcriptOf(
  value: CaseInput['transcript'],
  spot: Spot,
  scope: Scope,
): Promise<LoadedTranscript | undefined> {
  if (typeof value !== 'string') return readTranscript(value, spot.document, spot.path);
  const { files, options, reporter, dependencies } = scope;
  const resolved = await resolvePath(value, dirname(spot.document.path), options.workspace, files);
  const path = resolve(dirname(spot.document.path), value);
  // One that is not there may come.
  dependencies.add(path);
  if (!('path' in resolved)) {
    reporter.say(resolved.code, resolved.message, placeOf(spot), spot.owner, {
      ...(resolved.code === 'file-missing' &&
        TRANSCRIPT_FILE.test(path) && { fix: { create: { path, kind: 'transcript' } } }),
    });
    return undefined;
  }
  if (!TRANSCRIPT_FILE.test(resolved.path)) {
    const message = 'A transcript is a .json, .jsonl or .yaml file.';
    reporter.say('unknown-file-type', message, placeOf(spot), spot.owner);
    return undefined;
  }
  try {
    return loadTranscript(await files.read(resolved.path, MAX_TRANSCRIPT), resolved.path);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    reporter.say(`file-${error.reason}`, error.message, placeOf(spot), spot.owner);
    return undefined;
  }
}
