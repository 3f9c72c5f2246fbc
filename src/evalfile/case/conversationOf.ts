import { traitsOf } from '../../assertions/caseNeeds.ts';
import type { ConversationTraits } from '../../assertions/contract.ts';
import { openEnd, type Turn, toConversation, turnsOf } from '../../core/conversation.ts';
import { type Mapping, mappingOf } from '../../core/data/data.ts';
import type { Image, ImageSources } from '../../core/image.ts';
import { errorAt, isError, type Problem } from '../../core/problem.ts';
import {
  DEFAULT_USER_TURNS,
  type MessageHistory,
  type ModelSpec,
  NO_SIMULATOR,
  type ScriptedTurn,
  type SimulatedUser,
  type SuiteCase,
  type TargetSpec,
} from '../../core/suite.ts';
import { formatList } from '../../core/text/format.ts';
import { templateVariables } from '../../core/text/template.ts';
import { ownParts } from '../../messages/content.ts';
import { readParts } from '../../messages/parts.ts';
import { runCooperatively } from '../../node/cooperative.ts';
import { declaredReporting, findTargetType } from '../../targets/registry.ts';
import { ImageReader, messagesWithImages } from '../images.ts';
import {
  checkContextKeys,
  type OfferedTools,
  overrideJudge,
  resolveModel,
  resolveTarget,
} from '../modelsAndTargets.ts';
import { readReferenced } from '../referencedFiles.ts';
import { type Location, report, reportOnKey, sourceOf, topLevelAt, within } from '../scope.ts';
import { type LoadedTranscript, readTranscript, readTranscriptFile } from '../transcript.ts';
import { checkTranscripts } from '../variants/transcripts.ts';
import type { ReadCase, ValidTurn } from './caseSources.ts';
import { fillIn, fillKnown } from './fillIn.ts';

/** The keys that define a case's conversation. */
const ORIGINS = ['turns', 'simulate', 'transcript', 'transcripts'] as const;

/**
 * Builds the conversation of a case from the key that defines it.
 *
 * @param recorded the conversation of a variant, for a case with `transcripts`
 */
export async function conversationOf(
  read: ReadCase,
  offered: OfferedTools | undefined,
  judge: CaseJudge,
  recorded: LoadedTranscript | undefined,
): Promise<KnownConversation | undefined> {
  const { input, location } = read;
  const { reporter, invalidKeys } = location.scope;
  if (ORIGINS.some((key) => invalidKeys.has(key))) return undefined;
  const given = ORIGINS.filter((key) => input[key] !== undefined);
  if (given.length !== 1) {
    const [first, second] = given;
    if (first === undefined || second === undefined) {
      const message =
        'The case has no conversation. Add `turns` or `simulate` for the target to answer, or a `transcript` or `transcripts` to judge.';
      const fix = { add: { to: location.path, key: 'transcript' } };
      reportOnKey('turns-or-transcript', message, location, { fix });
    } else {
      const keys = given.map((key) => `\`${key}\``);
      const message = `Use either ${formatList(keys, 'or')} in a case, not ${given.length === 2 ? 'both' : 'several'}.`;
      const key = within(location, second);
      reportOnKey('turns-or-transcript', message, key, { fix: { remove: key.path } });
    }
    return undefined;
  }
  const live = input.turns !== undefined || input.simulate !== undefined;
  if (!input.turns) reportUnusedKey('stop_on_failure', '`turns`', read);
  if (!live) reportUnusedKey('variants', '`turns` or `simulate`', read);
  if (live && input.history === undefined) {
    reportUnusedKey('roles', 'recorded messages', read);
  }
  const images = new ImageReader();
  if (input.turns) return scriptedConversation(read, offered, images);
  if (input.simulate) return simulatedConversation(read, offered, judge, images);
  reportUnusedKey('history', '`turns` or `simulate`', read);
  if (input.transcripts && !recorded) {
    await checkTranscripts(input.transcripts, within(location, 'transcripts'));
    return { origin: { kind: 'transcript', messages: [], notes: [] }, known: {} };
  }
  const transcript = recorded ?? (await messagesAt('transcript', read));
  if (!transcript) return undefined;
  const { notes, problems } = transcript;
  for (const problem of problems) reporter.add(problem, location.owner);
  if (problems.some(isError)) return undefined;
  const messages = await messagesWithImages(transcript, images, location);
  const conversation = toConversation(messages);
  return {
    origin: { kind: 'transcript', messages, notes },
    images: images.sources,
    known: traitsOf(conversation),
    sides: turnsOf(conversation).map(({ side }) => side),
  };
}

function reportUnusedKey(
  name: 'stop_on_failure' | 'history' | 'roles' | 'variants',
  works: string,
  { input, location }: ReadCase,
): void {
  if (input[name] === undefined) return;
  const key = within(location, name);
  const message = `\`${name}\` works only with ${works}. Remove it.`;
  reportOnKey('useless-key', message, key, { fix: { remove: key.path } });
}

/** Where a case's conversation comes from, and what is known about it before the run. */
interface KnownConversation {
  /** Absent after reporting an error. */
  readonly origin?: SuiteCase['origin'];
  readonly history?: MessageHistory;
  readonly images?: ImageSources;
  readonly known: ConversationTraits;
  readonly targetAt?: Location | undefined;
  /** Absent if unknown before the run, or if the history can't be read. */
  readonly sides?: readonly Turn['side'][];
}

async function scriptedConversation(
  read: ReadCase,
  offered: OfferedTools | undefined,
  images: ImageReader,
): Promise<KnownConversation> {
  const { input, location } = read;
  const context = input.context ?? {};
  const given = input.turns ?? [];
  const turns: ScriptedTurn[] = [];
  for (const [index, item] of given.entries()) {
    const turn = within(location, 'turns', index);
    const { user = '', expected } = typeof item === 'string' ? { user: item } : (item ?? {});
    const textLocation = typeof item === 'string' ? turn : within(turn, 'user');
    turns.push({
      ...(typeof user === 'string'
        ? { user: fillIn(user, context, textLocation) }
        : await turnInParts(user, context, textLocation, images)),
      source: sourceOf(turn),
      ...(expected !== undefined && {
        expected: fillIn(expected, context, within(turn, 'expected')),
      }),
    });
  }
  const hasExpected = turns.some(({ expected }) => expected !== undefined);
  const { target, targetAt, known, history, before } = await liveCase(
    read,
    'turns',
    offered,
    images,
  );
  return {
    ...(target && { origin: { kind: 'turns', target, ...(history && { history }), turns } }),
    ...(history && { history }),
    images: images.sources,
    targetAt,
    known: { ...((hasExpected || !given.some(mayHaveExpected)) && { hasExpected }), ...known },
    ...(before && { sides: [...before, ...turns.flatMap(() => ['user', 'assistant'] as const)] }),
  };
}

/** A scripted turn that is written as a list of parts. */
async function turnInParts(
  parts: readonly unknown[],
  context: Mapping,
  location: Location,
  reader: ImageReader,
): Promise<Pick<ScriptedTurn, 'user' | 'images'>> {
  const user = parts.map((part, index) => {
    const entries = Object.entries(mappingOf(part)).map(([key, value]) => {
      const isFilled = key === 'text' || key === 'alt';
      return [key, isFilled ? fillIn(value, context, within(location, index, key)) : value];
    });
    return Object.fromEntries(entries) as Mapping;
  });
  const read = readParts({ role: 'user', user }, 'user', ownParts, 'user');
  const [said] = 'problems' in read ? [] : read.messages;
  if (!said) report('empty-content', 'The message is empty.', location);
  const images: Image[] = [];
  for (const given of said?.images ?? []) {
    const image = await reader.read(given, within(location, ...given.at.slice(1)));
    if (image) images.push(image);
  }
  return { user: said?.message.content ?? '', ...(images.length > 0 && { images }) };
}

/** A conversation with a simulated user. Its length isn't known in advance. */
async function simulatedConversation(
  read: ReadCase,
  offered: OfferedTools | undefined,
  judge: CaseJudge,
  images: ImageReader,
): Promise<KnownConversation> {
  const user = await simulatedUserOf(read, judge);
  const { target, targetAt, known, history } = await liveCase(read, 'simulate', offered, images);
  return {
    ...(target &&
      user && { origin: { kind: 'simulate', target, ...(history && { history }), user } }),
    ...(history && { history }),
    images: images.sources,
    targetAt,
    known: { hasExpected: false, ...known },
  };
}

interface LiveCase {
  readonly target: TargetSpec | undefined;
  readonly targetAt: Location;
  readonly history: MessageHistory | undefined;
  /** The sides of the history's turns; undefined if it can't be read. */
  readonly before: readonly Turn['side'][] | undefined;
  readonly known: ConversationTraits;
}

/** The parts that all live conversations have in common. @param key the key that defines the user's turns */
async function liveCase(
  read: ReadCase,
  key: 'turns' | 'simulate',
  offered: OfferedTools | undefined,
  images: ImageReader,
): Promise<LiveCase> {
  const written = await targetFor(read, key, offered);
  const target = written && withSystem(written, read);
  if (target) checkHistory(read, target);
  if (target && !read.location.scope.invalidKeys.has('context')) {
    checkContextKeys(target, read.input.context ?? {}, read.location);
  }
  const history = await readHistory(read, images);
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
      ...(target &&
        findTargetType(target.type)?.offersTools?.(target.params) && { offersTools: true }),
      // Only the history is known about the whole conversation.
      ...Object.fromEntries(Object.entries(traitsOf(said)).filter(([, isTrue]) => isTrue)),
    },
  };
}

/** The target with its `system` filled in from the case's context. */
function withSystem(target: TargetSpec, read: ReadCase): TargetSpec {
  const { input, location } = read;
  const { name, system } = target;
  if (system === undefined || location.scope.invalidKeys.has('context')) return target;
  const context = input.context ?? {};
  const unknown = templateVariables(system).find((one) => !Object.hasOwn(context, one.name));
  if (unknown) {
    const message = `The \`system\` of the target "${name}" uses {{${unknown.name}}}, but the case's \`context\` has no key \`${unknown.name}\`. Add it to \`context\`.`;
    reportOnKey('unknown-variable', message, location);
    return target;
  }
  const { targetVariant } = read;
  const isChanged = targetVariant?.changes.system !== undefined;
  const place = isChanged ? targetVariant.location : targetPlace(read);
  return { ...target, system: fillKnown(system, context, within(place, 'system')) };
}

/** Whether an invalid turn may have an `expected`. */
function mayHaveExpected(turn: ValidTurn): boolean {
  return turn === undefined || (typeof turn !== 'string' && 'expected' in turn);
}

async function targetFor(
  read: ReadCase,
  key: 'turns' | 'simulate',
  offered: OfferedTools | undefined,
): Promise<TargetSpec | undefined> {
  const { location, targetVariant } = read;
  const written = writtenTarget(read);
  if (written) return resolveTarget(written.value, written.at, offered, targetVariant);
  const { invalidKeys } = location.scope;
  if (invalidKeys.has('target') || invalidKeys.has('variants')) return undefined;
  const needs =
    key === 'turns'
      ? '`turns` need a `target` to answer them'
      : '`simulate` needs a `target` that answers';
  const message = `${needs}. Set one in the case or at the top of the file.`;
  reportOnKey('missing-target', message, within(location, key), {
    fix: { add: { to: location.path, key: 'target' } },
  });
  return undefined;
}

/** The case's target as written: a name or a mapping; undefined if it's not set, or invalid. */
function writtenTarget({ input, location, targetVariant }: ReadCase) {
  const { file, invalidKeys, options } = location.scope;
  if (options.target !== undefined) {
    return { value: options.target, at: topLevelAt({ scope: location.scope }) };
  }
  if (targetVariant?.changes.target !== undefined) {
    return { value: targetVariant.changes.target, at: within(targetVariant.location, 'target') };
  }
  if (input.target !== undefined) return { value: input.target, at: within(location, 'target') };
  if (file.target === undefined || invalidKeys.has('target')) return undefined;
  return { value: file.target, at: topLevelAt(location, 'target') };
}

/** The location of the target's mapping. */
function targetPlace(read: ReadCase): Location {
  const { location } = read;
  const { value, at } = writtenTarget(read) ?? { at: topLevelAt(location, 'target') };
  return typeof value === 'string' ? topLevelAt(location, 'targets', value) : at;
}

/** Facts about system texts; unknown if the target's replies may contain system messages. */
function systemTextKnown({ system, type }: TargetSpec): Pick<ConversationTraits, 'hasSystemText'> {
  if (system !== undefined) return { hasSystemText: true };
  return findTargetType(type)?.repliesWithSystemTexts ? {} : { hasSystemText: false };
}

interface CaseJudge {
  readonly judge: ModelSpec | undefined;
  /** Whether a judge is set, even an invalid one. */
  readonly judgeNamed: boolean;
}

async function simulatedUserOf(
  { input, location }: ReadCase,
  { judge, judgeNamed }: CaseJudge,
): Promise<SimulatedUser | undefined> {
  const { simulate: given = {}, context = {} } = input;
  const place = within(location, 'simulate');
  const filled = <Value>(value: Value, key: string) => fillIn(value, context, within(place, key));
  const { opening = [], max_user_turns, seed } = given;
  const own = await resolveModel(given.model, within(place, 'model'));
  const model = own ?? (await overrideJudge(judge, location.scope));
  if (!model && given.model === undefined && !judgeNamed) {
    reportOnKey('no-simulator', NO_SIMULATOR, place, {
      severity: 'warning',
      fix: { add: { to: place.path, key: 'model' } },
    });
  }
  const goal = filled(given.goal, 'goal');
  const persona = filled(given.persona, 'persona');
  const stopWhen = filled(given.stop_when, 'stop_when');
  const guidelines = filled(given.guidelines, 'guidelines');
  const said = opening.map((text, index) => {
    const at = within(place, 'opening', index);
    return { user: fillIn(text, context, at), source: sourceOf(at) };
  });
  if (goal === undefined) return undefined;
  return {
    goal,
    opening: said,
    maxUserTurns: max_user_turns ?? DEFAULT_USER_TURNS,
    source: { path: location.document.path, range: location.document.keyRangeOf(place.path) },
    ...(persona !== undefined && { persona }),
    ...(stopWhen !== undefined && { stopWhen }),
    ...(guidelines !== undefined && { guidelines }),
    ...(model && { model }),
    ...(seed !== undefined && { seed }),
  };
}

/** The messages before the first live turn; undefined if there are none or they're invalid. */
async function readHistory(
  read: ReadCase,
  images: ImageReader,
): Promise<MessageHistory | undefined> {
  const { input, location } = read;
  const { invalidKeys, reporter } = location.scope;
  if (input.history === undefined || invalidKeys.has('history')) return undefined;
  const loaded = await messagesAt('history', read);
  if (!loaded) return undefined;
  const problems = problemsOf(loaded, input.simulate ? '`opening`' : '`turns`');
  for (const problem of problems) reporter.add(problem, location.owner);
  if (problems.some(isError)) return undefined;
  const withImages = await messagesWithImages(loaded, images, location);
  const messages = withImages.map((one) => ({ ...one, history: true as const }));
  return { messages, notes: loaded.notes };
}

/** Problems that matter only for whole conversations: a history can be just an agent's greeting. */
const OF_WHOLE = ['no-user-message', 'no-assistant-message', 'conversation-unfinished'];

/** @param live the key that defines the user's next turns */
function problemsOf({ messages, problems }: LoadedTranscript, live: string): Problem[] {
  const own = problems.filter(({ code }) => !OF_WHOLE.includes(code));
  const last = messages.at(-1)?.source;
  const end = own.some(isError) ? undefined : openEnd(toConversation(messages));
  if (!end || !last) return own;
  const message =
    end === 'user'
      ? `A history must end with a message from the assistant, because the user speaks next. Move the user's last message to ${live}.`
      : 'A history must end with a message from the assistant. Add its reply after the tool call.';
  const range = problems.find(({ code }) => OF_WHOLE.includes(code))?.range ?? last.range;
  return [...own, errorAt(last.path, range, 'history-unfinished', message)];
}

/** Reports a history if the target doesn't accept one. */
function checkHistory({ input, location }: ReadCase, target: TargetSpec): void {
  const { keepsSession } = findTargetType(target.type) ?? {};
  if (input.history === undefined || !keepsSession?.(target.params)) return;
  const key = within(location, 'history');
  const message = `"${target.name}" keeps the conversation in its own session, so it can't take a \`history\`. Remove \`history\`, or make its turns live.`;
  reportOnKey('history-refused', message, key, { fix: { remove: key.path } });
}

/** The messages in a case or in the file that it refers to; undefined if the file can't be read. */
async function messagesAt(
  key: 'transcript' | 'history',
  { input, location }: ReadCase,
): Promise<LoadedTranscript | undefined> {
  const { [key]: value, roles } = input;
  const at = within(location, key);
  if (typeof value !== 'string') {
    return readTranscript(value, at.document, at.path, 'refused', roles);
  }
  const found = await readReferenced(value, at, 'transcript');
  if (!found) return undefined;
  return runCooperatively(readTranscriptFile(found.text, found.path, roles), at.scope.step);
}
