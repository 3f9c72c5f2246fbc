import {
  MOST_USER_TURNS,
  type ModelSpec,
  NO_SIMULATOR,
  type SimulatedUser,
} from '../../core/suite.ts';
import { overrideJudge, resolveModel } from '../models.ts';
import { within } from '../scope.ts';
import { fillIn } from './fillIn.ts';
import type { ReadCase } from './readCase.ts';

/** What judges a case. */
export interface CaseJudge {
  readonly judge: ModelSpec | undefined;
  /** Whether anything names a judge, be it a wrong one. */
  readonly judgeNamed: boolean;
}

/** The user that a model plays; undefined if it has no goal. */
export async function simulatedUserOf(
  { input, location, scope }: ReadCase,
  { judge, judgeNamed }: CaseJudge,
): Promise<SimulatedUser | undefined> {
  const { simulate: given = {}, context = {} } = input;
  const place = within(location, 'simulate');
  const { document } = location;
  const filled = <Value>(value: Value, key: string) =>
    fillIn(value, context, within(place, key), scope);
  const { goal, persona, opening = [], stop_when, guidelines, max_user_turns, seed } = given;
  const own = await resolveModel(given.model, within(place, 'model'), scope);
  const model = own ?? (await overrideJudge(judge, scope));
  if (!model && given.model === undefined && !judgeNamed) {
    scope.reporter.sayOnKey('no-simulator', NO_SIMULATOR, place, {
      severity: 'warning',
      fix: { add: { to: place.path, key: 'model' } },
    });
  }
  const texts = {
    goal: filled(goal, 'goal'),
    persona: filled(persona, 'persona'),
    stopWhen: filled(stop_when, 'stop_when'),
    guidelines: filled(guidelines, 'guidelines'),
  };
  const said = opening.map((text, index) => ({
    user: fillIn(text, context, within(place, 'opening', index), scope),
    source: {
      path: document.path,
      range: document.entryRangeOf(within(place, 'opening', index).path),
    },
  }));
  if (texts.goal === undefined) return undefined;
  const { persona: who, stopWhen, guidelines: rules } = texts;
  return {
    goal: texts.goal,
    opening: said,
    maxUserTurns: max_user_turns ?? MOST_USER_TURNS,
    source: { path: document.path, range: document.keyRangeOf(place.path) },
    ...(who !== undefined && { persona: who }),
    ...(stopWhen !== undefined && { stopWhen }),
    ...(rules !== undefined && { guidelines: rules }),
    ...(model && { model }),
    ...(seed !== undefined && { seed }),
  };
}
