import { valueAt } from '../../core/data.ts';
import { sha256 } from '../../core/digest.ts';
import type { Assertion, Repeat, SuiteCase } from '../../core/suite.ts';
import type { AboutCase } from '../assertion/aboutCase.ts';
import { buildAssertion } from '../assertion/buildAssertion.ts';
import { checkKeys } from '../assertion/checkKeys.ts';
import { assertionKeys } from '../assertion/key.ts';
import { checked } from '../checked.ts';
import { outsideModel, resolveModel } from '../models.ts';
import { type AssertionInput, type CaseInput, caseSchema } from '../schema.ts';
import { keyPlaceOf, type Scope, type Spot, within } from '../scope.ts';
import type { CaseSource } from './caseSources.ts';
import { fillIn } from './caseText.ts';
import { conversationOf } from './conversationOf.ts';

/** SHA-256 of a case's text, hexadecimal: what tells a stale verdict. */
export function hashOfCase({ spot }: CaseSource): string {
  const { document, path } = spot;
  const { start, end } = document.entryRangeOf(path);
  return hashOfText(document.text.slice(document.offsetAt(start), document.offsetAt(end)));
}

/** As `hashOfCase`, of a text that is not in a file yet. */
export function hashOfText(text: string): string {
  return sha256(text.trim());
}

/** A case ready to run; undefined where it cannot run, for the reasons that were reported. */
export async function buildCase(source: CaseSource, scope: Scope): Promise<SuiteCase | undefined> {
  const { raw, spot } = source;
  const parsed = caseSchema.safeParse(withoutMessages(raw));
  if (!parsed.success) {
    const { problems } = checked(caseSchema, withoutMessages(raw), spot.document, spot.path);
    for (const problem of problems) scope.reporter.add(problem, spot.owner);
    return undefined;
  }
  const input: CaseInput = { ...parsed.data, ...transcriptOf(raw) };
  const { defaults = {} } = scope.file;
  const context = input.context ?? {};
  const known = await conversationOf(input, targetOf(input, spot, scope), spot, scope);
  const judge = judgeOf(input, spot, scope);
  const role = input.role ?? scope.file.role;
  const facts = {
    id: input.id,
    topics: input.topics ?? scope.file.topics ?? [],
    tools: (input.tools ?? scope.file.tools ?? []).map((tool) =>
      'function' in tool ? tool.function : tool,
    ),
    context,
    expectations: {
      ...expectationsOf(defaults.expectations),
      ...expectationsOf(
        input.expectations &&
          fillIn(input.expectations, context, within(spot, 'expectations'), scope),
      ),
    },
    ...(role !== undefined && {
      role: fillIn(role, input.role === undefined ? {} : context, within(spot, 'role'), scope),
    }),
  };
  const about: AboutCase = {
    facts,
    judge,
    judgeNamed:
      scope.unsound.has('judge') ||
      (input.judge ?? scope.file.judge ?? scope.options.defaultJudge ?? '') !== '',
    known: known?.known ?? {},
    sides: known?.sides,
    turnCount: known?.sides.length,
  };
  const assertions = await assertionsOf(input, spot, about, scope);
  const threshold = input.threshold ?? defaults.threshold;
  if (!known || !assertions) return undefined;
  return {
    ...facts,
    origin: known.origin,
    assertions,
    tags: [...new Set([...(defaults.tags ?? []), ...(input.tags ?? [])])],
    only: input.only ?? false,
    source: {
      path: spot.document.path,
      range: spot.document.entryRangeOf(spot.path),
      hash: hashOfCase(source),
    },
    repeat: repeatOf(input.repeat ?? defaults.repeat),
    stopOnFailure: input.stop_on_failure ?? false,
    ...(input.description !== undefined && { description: input.description }),
    ...(input.skip !== undefined &&
      input.skip !== false && {
        skip: typeof input.skip === 'string' ? { reason: input.skip } : {},
      }),
    ...(judge && { judge }),
    ...(threshold !== undefined && { threshold }),
  };
}

/** Messages are checked by their dialects, which say more than the schema can. */
function withoutMessages(raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null || !('transcript' in raw)) return raw;
  if (typeof raw.transcript === 'string') return raw;
  return { ...raw, transcript: undefined };
}

function transcriptOf(raw: unknown): Pick<CaseInput, 'transcript'> {
  const transcript = valueAt(raw, ['transcript']);
  return transcript === undefined ? {} : { transcript: transcript as never };
}

function targetOf(input: CaseInput, spot: Spot, { file, document }: Scope) {
  if (input.target !== undefined) return { value: input.target, spot: within(spot, 'target') };
  if (file.target === undefined) return undefined;
  const owner = spot.owner === undefined ? {} : { owner: spot.owner };
  return { value: file.target, spot: { document, path: ['target'], ...owner } };
}

function judgeOf(input: CaseInput, spot: Spot, scope: Scope) {
  const { file, document, options } = scope;
  if (options.judgeOverride?.judge !== undefined) {
    return outsideModel(options.judgeOverride.judge, scope);
  }
  if (input.judge !== undefined) return resolveModel(input.judge, within(spot, 'judge'), scope);
  if (file.judge !== undefined) {
    const owner = spot.owner === undefined ? {} : { owner: spot.owner };
    return resolveModel(file.judge, { document, path: ['judge'], ...owner }, scope);
  }
  return options.defaultJudge ? outsideModel(options.defaultJudge, scope) : undefined;
}

/** Defaults first, then the case's own, then those under its turns. */
async function assertionsOf(
  input: CaseInput,
  spot: Spot,
  about: AboutCase,
  scope: Scope,
): Promise<readonly Assertion[] | undefined> {
  const all: { given: AssertionInput; spot: Spot; scriptedTurn?: number }[] = [];
  const owner = spot.owner === undefined ? {} : { owner: spot.owner };
  const defaults: Spot = { document: scope.document, path: ['defaults', 'assert'], ...owner };
  for (const [index, one] of (scope.file.defaults?.assert ?? []).entries()) {
    all.push({ given: one, spot: within(defaults, index) });
  }
  for (const [index, one] of (input.assert ?? []).entries()) {
    all.push({ given: one, spot: within(spot, 'assert', index) });
  }
  for (const [turn, item] of (input.turns ?? []).entries()) {
    if (typeof item === 'string') continue;
    for (const [index, one] of (item.assert ?? []).entries()) {
      const place = within(spot, 'turns', turn, 'assert', index);
      all.push({ given: one, spot: place, scriptedTurn: turn });
    }
  }
  if (all.length === 0) {
    // What `defaults` was to check is not known.
    if (scope.unsound.has('defaults')) return undefined;
    const message =
      'Nothing is checked here: add `assert` to the case, to one of its turns or to `defaults`.';
    scope.reporter.say('no-assertion', message, keyPlaceOf(spot), spot.owner, {
      fix: { add: { to: spot.path, key: 'assert' } },
    });
    return undefined;
  }
  const keys = assertionKeys(all);
  const keyed = all.map((one, index) => ({ ...one, index, key: keys[index] ?? '' }));
  checkKeys(keyed, scope.reporter);
  const built = await Promise.all(
    keyed.map(({ given, spot: place, ...belongs }) =>
      buildAssertion(given, belongs, place, about, scope),
    ),
  );
  return built.filter((one) => one !== undefined);
}

function expectationsOf(value: CaseInput['expectations']): Record<string, unknown> {
  return typeof value === 'string' ? { outcome: value } : { ...value };
}

function repeatOf(repeat: CaseInput['repeat']): Repeat {
  const { times, pass = 'all' } =
    typeof repeat === 'object' ? repeat : { times: repeat ?? 1, pass: 'all' as const };
  return { times, pass: pass === 'all' ? 1 : pass === 'any' ? 1 / times : pass };
}
