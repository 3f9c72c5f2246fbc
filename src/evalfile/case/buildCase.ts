import { toConversation, turnsOf } from '../../core/conversation.ts';
import { memoize } from '../../core/data/data.ts';
import { LIMITS } from '../../core/limits.ts';
import { unwrapTools } from '../../core/message.ts';
import type { Assertion, MessageHistory, Repeat, SuiteCase } from '../../core/suite.ts';
import { sha256 } from '../../node/hashes.ts';
import type { AssertionInput } from '../assertion/assertionSchema.ts';
import { buildAssertion, type CaseContext } from '../assertion/buildAssertion.ts';
import { assertionKeys, checkKeys, collectAssertions } from '../assertion/keys.ts';
import { modelFromOptions, type OfferedTools, resolveModel } from '../modelsAndTargets.ts';
import type { CaseInput } from '../schema.ts';
import { reportOnKey, type Scope, sourceOf, topLevelAt, within } from '../scope.ts';
import { type Variant, type VariantInput, variantSetOf } from '../variants/variantSet.ts';
import { type CaseSource, inScope, type ReadCase, readCase } from './caseSources.ts';
import { conversationOf } from './conversationOf.ts';
import { fillIn } from './fillIn.ts';

/** SHA-256 hash of a case's text, in hexadecimal, for detecting stale verdicts. */
export const hashOfCase = memoize(({ location }: CaseSource): string => {
  const { document, path } = location;
  const { start, end } = document.entryRangeOf(path);
  return hashOfText(document.text.slice(document.offsetAt(start), document.offsetAt(end)));
});

/** Like `hashOfCase`, for text that isn't in a file yet. */
export function hashOfText(text: string): string {
  return sha256(text.trim());
}

interface BuiltParts {
  readonly suiteCase?: SuiteCase;
  readonly origin?: SuiteCase['origin'];
  readonly history?: MessageHistory;
}

export async function buildCase(source: CaseSource): Promise<BuiltParts> {
  const read = readCase(source);
  if (!read) return {};
  const variants = await variantSetOf(read);
  if (!variants) return buildOne(read, source);
  const [first, ...others] = variants.samples;
  const built = await buildOne(variants.common, source, first);
  const common = [built.suiteCase];
  for (const sample of others) {
    const { scope } = variants.common.location;
    const room = { left: LIMITS.filledCase, isExceeded: false };
    const again = inScope(variants.common, { ...scope, room });
    common.push((await buildOne(again, source, sample)).suiteCase);
  }
  const whole = common.filter((one) => one !== undefined);
  const [suiteCase] = whole;
  if (!suiteCase || whole.length < common.length) {
    const { suiteCase: _, ...parts } = built;
    return parts;
  }
  const open = async (variant: Variant, scope: Scope) =>
    (await buildOne(inScope(read, scope), source, await variant.read())).suiteCase;
  const expand = () => variants.expand(whole, open);
  const targets = whole.flatMap(({ origin }) => ('target' in origin ? [origin.target] : []));
  return { ...built, suiteCase: { ...suiteCase, ...(others.length > 0 && { targets }), expand } };
}

/** @param own the data of this variant */
async function buildOne(
  given: ReadCase,
  source: CaseSource,
  own: VariantInput = {},
): Promise<BuiltParts> {
  const { facts: said = {} } = own.recorded ?? {};
  const context = { ...given.input.context, ...said.context, ...own.values };
  const input = { ...given.input, context };
  const read: ReadCase = { ...given, input, targetVariant: own.target };
  const { location } = read;
  const { scope } = location;
  const { defaults = {} } = scope.file;
  const offered = said.tools
    ? { tools: unwrapTools(said.tools), location: within(location, 'transcripts') }
    : offeredTools(read);
  const judge = await judgeOf(read);
  const judgeNamed =
    scope.invalidKeys.has('judge') ||
    (input.judge ?? scope.file.judge ?? scope.options.defaultJudge ?? '') !== '';
  const known = await conversationOf(read, offered, { judge, judgeNamed }, own.recorded);
  const { origin, history, images } = known ?? {};
  const targetTools = (origin && origin.kind !== 'transcript' && origin.target.tools) || [];
  const role = input.role ?? scope.file.role;
  const facts = {
    id: input.id ?? '',
    topics: said.topics ?? input.topics ?? scope.file.topics ?? [],
    tools: offered?.tools ?? targetTools,
    context,
    expectations: {
      ...expectationsOf(defaults.expectations),
      ...expectationsOf(
        input.expectations && fillIn(input.expectations, context, within(location, 'expectations')),
      ),
      ...expectationsOf(said.expectations),
    },
    ...(role !== undefined && {
      role: fillIn(role, input.role === undefined ? {} : context, within(location, 'role')),
    }),
    // Nothing is filled in: data files aren't templates.
    ...(said.role !== undefined && { role: said.role }),
  };
  const about: CaseContext = {
    facts,
    judge,
    judgeNamed,
    together: input.together ?? scope.file.together,
    known: known?.known ?? {},
    tools: [...facts.tools, ...targetTools],
    targetAt: known?.targetAt,
    sides: known?.sides,
    historyTurns: history && turnsOf(toConversation(history.messages)).length,
  };
  const assertions = await assertionsOf(read, about);
  const threshold = input.threshold ?? defaults.threshold;
  const parts = { ...(origin && { origin }), ...(history && { history }) };
  if (!origin || !read.isWhole || !assertions) return parts;
  const suiteCase: SuiteCase = {
    ...facts,
    origin,
    assertions,
    tags: [...new Set([...(defaults.tags ?? []), ...(input.tags ?? []), ...(said.tags ?? [])])],
    only: input.only ?? false,
    source: { ...sourceOf(location), hash: hashOfCase(source) },
    repeat: repeatOf(input.repeat ?? defaults.repeat),
    stopOnFailure: input.stop_on_failure ?? false,
    ...(images && images.size > 0 && { images }),
    ...(input.description !== undefined && { description: input.description }),
    ...(input.skip !== undefined &&
      input.skip !== false && {
        skip: typeof input.skip === 'string' ? { reason: input.skip } : {},
      }),
    ...(judge && { judge }),
    ...(threshold !== undefined && { threshold }),
    ...(input.aggregate && { aggregate: input.aggregate }),
  };
  return { ...parts, suiteCase };
}

function offeredTools({ input, location }: ReadCase): OfferedTools | undefined {
  const { file, invalidKeys } = location.scope;
  if (invalidKeys.has('tools')) return undefined;
  const tools = input.tools ?? file.tools;
  const place = input.tools ? within(location, 'tools') : topLevelAt(location, 'tools');
  return tools && { tools: unwrapTools(tools), location: place };
}

function judgeOf({ input, location }: ReadCase) {
  const { scope } = location;
  const { file, options } = scope;
  if (options.judgeOverride?.judge !== undefined) {
    return modelFromOptions(options.judgeOverride.judge, scope);
  }
  if (scope.invalidKeys.has('judge')) return undefined;
  if (input.judge !== undefined) return resolveModel(input.judge, within(location, 'judge'));
  if (file.judge !== undefined) return resolveModel(file.judge, topLevelAt(location, 'judge'));
  return options.defaultJudge ? modelFromOptions(options.defaultJudge, scope) : undefined;
}

async function assertionsOf(
  { input, location, isValid }: ReadCase,
  about: CaseContext,
): Promise<readonly Assertion[] | undefined> {
  const all = collectAssertions(input, location);
  if (all.length === 0) {
    const { invalidKeys } = location.scope;
    if (['defaults', 'assert', 'turns'].some((key) => invalidKeys.has(key))) return undefined;
    const message =
      'The case checks nothing. Add `assert` to the case, to one of its turns, or to `defaults`.';
    reportOnKey('no-assertion', message, location, {
      fix: { add: { to: location.path, key: 'assert' } },
    });
    return undefined;
  }
  const keys = assertionKeys(all);
  const keyed = all.map((one, index) => ({ ...one, index, key: keys[index] ?? '' }));
  checkKeys(keyed);
  const built = await Promise.all(
    keyed.map(({ given, location: inner, ...slot }) =>
      isValid(inner.path.slice(location.path.length))
        ? buildAssertion(given as AssertionInput, slot, inner, about)
        : undefined,
    ),
  );
  return built.filter((one) => one !== undefined);
}

function expectationsOf(value: CaseInput['expectations']): Record<string, unknown> {
  return typeof value === 'string' ? { outcome: value } : { ...value };
}

function repeatOf(repeat: CaseInput['repeat'] = 1): Repeat {
  const { times, pass = 'all' } = typeof repeat === 'object' ? repeat : { times: repeat };
  return { times, pass: pass === 'all' ? 1 : pass === 'any' ? 1 / times : pass };
}
