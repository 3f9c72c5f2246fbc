import { knownOf } from '../../assertions/caseNeeds.ts';
import type { Known } from '../../assertions/contract.ts';
import { type Conversation, type Turn, toConversation, turnsOf } from '../../core/conversation.ts';
import type { SaidBefore, TargetSpec } from '../../core/suite.ts';
import { renderTemplate, templateVariables } from '../../core/text/template.ts';
import { declaredReporting, findTargetType } from '../../targets/registry.ts';
import { resolveTarget } from '../models.ts';
import { type Location, within } from '../scope.ts';
import { checkContextKeys, type OfferedTools } from '../targetTools.ts';
import { fillIn, textual } from './fillIn.ts';
import { checkHistory, historyOf } from './history.ts';
import type { KnownConversation } from './knownConversation.ts';
import { atTop, type ReadCase, type SoundTurn } from './readCase.ts';
import { type CaseJudge, simulatedUserOf } from './simulated.ts';

/** The user's turns as they are written. */
export async function scripted(
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
  const hasExpected = turns.some(({ expected }) => expected !== undefined);
  const { target, targetAt, known, history, before } = await liveCase(read, 'turns', offered);
  return {
    ...(target && { origin: { kind: 'turns', target, ...(history && { history }), turns } }),
    ...(history && { history }),
    targetAt,
    known: {
      ...(hasExpected || !given.some(mayExpect) ? { hasExpected } : {}),
      ...known,
    },
    ...(before && { sides: [...before, ...turns.flatMap(() => ['user', 'assistant'] as const)] }),
  };
}

/** A user that a model plays. How much is said only the run tells. */
export async function simulated(
  read: ReadCase,
  offered: OfferedTools | undefined,
  judge: CaseJudge,
): Promise<KnownConversation> {
  const user = await simulatedUserOf(read, judge);
  const { target, targetAt, known, history } = await liveCase(read, 'simulate', offered);
  return {
    ...(target &&
      user && { origin: { kind: 'simulate', target, ...(history && { history }), user } }),
    ...(history && { history }),
    targetAt,
    known: { hasExpected: false, ...known },
  };
}

interface LiveCase {
  readonly target: TargetSpec | undefined;
  readonly targetAt: Location;
  readonly history: SaidBefore | undefined;
  /** The sides of the history's turns; undefined if it cannot be read. */
  readonly before: readonly Turn['side'][] | undefined;
  readonly known: Known;
}

/** What every live conversation has. @param key that says what the user does */
async function liveCase(
  read: ReadCase,
  key: 'turns' | 'simulate',
  offered: OfferedTools | undefined,
): Promise<LiveCase> {
  const written = await targetFor(read, key, offered);
  const target = written && withSystem(written, read);
  if (target) checkHistory(read, target);
  if (target && !read.scope.unsound.has('context')) {
    checkContextKeys(target, read.input.context ?? {}, read.location, read.scope);
  }
  const history = await historyOf(read);
  const said = toConversation(history?.messages ?? []);
  const isKnown = history !== undefined || read.input.history === undefined;
  const reporting = target && declaredReporting(target);
  return {
    target,
    targetAt: targetPlace(read),
    history,
    before: isKnown ? turnsOf(said).map(({ side }) => side) : undefined,
    known: {
      ...(target && systemTextKnown(target)),
      ...(reporting && { reporting }),
      ...knownBefore(said),
    },
  };
}

/** The target with the values of the case's context in its `system`. */
function withSystem(target: TargetSpec, { input, location, scope }: ReadCase): TargetSpec {
  const { name, system } = target;
  if (system === undefined || scope.unsound.has('context')) return target;
  const context = input.context ?? {};
  const unknown = templateVariables(system).find((one) => !Object.hasOwn(context, one.name));
  if (unknown) {
    const message = `The \`system\` of the target "${name}" uses {{${unknown.name}}}, but the case's \`context\` has no key \`${unknown.name}\`. Add it to \`context\`.`;
    scope.reporter.sayOnKey('unknown-variable', message, location);
    return target;
  }
  return { ...target, system: renderTemplate(system, (key) => textual(context[key])) };
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
  { input, location, scope }: ReadCase,
  key: 'turns' | 'simulate',
  offered: OfferedTools | undefined,
): Promise<TargetSpec | undefined> {
  if (input.target !== undefined) {
    return resolveTarget(input.target, within(location, 'target'), offered, scope);
  }
  if (scope.unsound.has('target')) return undefined;
  if (scope.file.target !== undefined) {
    return resolveTarget(scope.file.target, atTop('target', location, scope), offered, scope);
  }
  const needs =
    key === 'turns'
      ? '`turns` need a `target` to answer them'
      : '`simulate` needs a `target` that answers';
  const message = `${needs}. Set one in the case or at the top of the file.`;
  scope.reporter.sayOnKey('missing-target', message, within(location, key), {
    fix: { add: { to: location.path, key: 'target' } },
  });
  return undefined;
}

/** Where the mapping of the target is: a name stands for one under `targets`. */
function targetPlace({ input, location, scope }: ReadCase): Location {
  const name = input.target ?? scope.file.target;
  if (typeof name === 'string')
    return { ...atTop('targets', location, scope), path: ['targets', name] };
  return input.target ? within(location, 'target') : atTop('target', location, scope);
}

/** A target that may reply with system texts may be told some that the file does not hold. */
function systemTextKnown({ system, type }: TargetSpec): Pick<Known, 'hasSystemText'> {
  if (system !== undefined) return { hasSystemText: true };
  return findTargetType(type)?.repliesWithSystemTexts ? {} : { hasSystemText: false };
}
