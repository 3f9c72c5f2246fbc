import { isStale } from '../assertions/questionHash.ts';
import { memoize } from '../core/data/data.ts';
import { caseKey } from '../core/identity.ts';
import { isError } from '../core/problem.ts';
import type { Change, VariantOutcome } from '../core/record/caseHistory.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import {
  type ExpandedCase,
  type SuiteCase,
  type TargetSpec,
  withoutSources,
} from '../core/suite.ts';
import { stepsOf } from '../node/cooperative.ts';
import { BROKEN_HASH, digestOf, inputHash, shortHash } from '../node/hashes.ts';
import { filesOf, targetDigest } from '../targets/digest.ts';
import type { Files } from './files.ts';
import type { LoadedSuite, OutlineCase } from './loadedSuite.ts';

/** Compares the records of a case with the current case. */
export interface CaseChanges {
  /** How the case differs from a recorded line; undefined if it's unchanged, as far as is known. */
  changeOf(line: CaseLine): Promise<Change | undefined>;
  /** The results of variants that still exist, with their changes. */
  currentOutcomes(outcomes: readonly VariantOutcome[]): Promise<readonly VariantOutcome[]>;
}

export type ChangeDetector = (suite: LoadedSuite, found: OutlineCase) => CaseChanges;

/** Maximum number of cases to cache. */
const MAX_CASES = 50;

/** If a case has more variants than this, only the variants that are shown individually are compared. */
const MAX_READ = 1_000;

/** The variants of a case. */
interface Names {
  /** Identifies where the variants come from. */
  readonly several: string | undefined;
  readonly files: readonly string[];
  readonly stamps: string;
  /** Absent if the files can't be read. */
  readonly names?: ReadonlySet<string | undefined>;
}

/** Identifies the state of a case and its files. */
interface CaseDigest {
  readonly digest: string;
  readonly stamps: string;
}

interface Inputs extends CaseDigest {
  /** Short input hashes by variant; undefined if there are too many variants. */
  readonly inputs: ReadonlyMap<string, string> | undefined;
}

interface ComparedCase extends CaseDigest {
  readonly change: Change | undefined;
}

/** Digest of everything that affects a case's results. Locations don't. */
const digestOfCase = memoize((suiteCase: SuiteCase) => digestOf(withoutSources(suiteCase)));

/** Compares only the text, for use when files can't be read. */
export const textChangeDetector: ChangeDetector = (_suite, { hash }) => ({
  changeOf: async ({ source }) => (source.hash === hash ? undefined : 'case'),
  currentOutcomes: async (outcomes) =>
    outcomes.map((one) => (one.hash === hash ? one : { ...one, change: 'case' })),
});

/**
 * How a case differs from a recorded line; undefined if it's unchanged, as far as is known.
 *
 * @param now the case or variant, ready to run; undefined if the case has errors
 */
export async function changeOf(
  line: CaseLine,
  { hash }: OutlineCase,
  now: SuiteCase | 'broken' | undefined,
): Promise<Change | undefined> {
  if (line.source.hash !== hash) return 'case';
  // If a case has errors, only its text can be compared.
  if (!now) return undefined;
  const { fault } = line;
  if (now === 'broken') return fault || line.input_hash === undefined ? undefined : 'input';
  if (fault) return 'input';
  const isSame = line.input_hash === undefined || line.input_hash === (await inputOf(now));
  return isSame ? (isStale(line, now) ? 'questions' : undefined) : 'input';
}

/**
 * Compares the text, the inputs, and the questions. Files whose stamp hasn't changed aren't read again, and no file is
 * read if the text has changed.
 */
export function changeDetector(files: Pick<Files, 'stamp'>): ChangeDetector & { reset(): void } {
  const names = new Map<string, Names>();
  const known = new Map<string, Inputs>();
  const compared = new WeakMap<CaseLine, ComparedCase>();
  const stampsOf = async (paths: readonly string[]) =>
    JSON.stringify(await Promise.all(paths.map((path) => files.stamp?.(path))));

  const now: ChangeDetector = (suite, found) => {
    const suiteCase = suite.suite?.cases.find(({ id }) => id === found.id);
    const key = caseKey({ suite: suite.path, id: found.id ?? '' });
    let expanding: Promise<ExpandedCase> | undefined;
    const expand = () => {
      expanding ??= suiteCase?.expand?.();
      return expanding;
    };

    const namesNow = async (): Promise<Names | undefined> => {
      const before = names.get(key);
      const isSame = before && before.several === found.several;
      if (isSame && before.stamps === (await stampsOf(before.files))) return before;
      const expanded = await expand();
      if (!expanded) return undefined;
      const { files, problems, cases } = expanded;
      const made: Names = {
        several: found.several,
        files,
        stamps: await stampsOf(files),
        ...(!problems.some(isError) && { names: new Set(cases.map(({ variant }) => variant)) }),
      };
      keep(names, key, made);
      return made;
    };
    const groundOf = async (one: SuiteCase): Promise<CaseDigest> => {
      const named = one.expand ? await namesNow() : undefined;
      const target = targetOf(one);
      const { targets = target ? [target] : [] } = one;
      const stamps = await stampsOf([...(named?.files ?? []), ...targets.flatMap(filesOf)]);
      return { digest: digestOfCase(one), stamps };
    };
    const opened = async (variant: string | undefined): Promise<SuiteCase | undefined> => {
      const expanded = await expand();
      const one = expanded?.cases.find((each) => each.variant === variant);
      return expanded ? (await one?.open?.())?.suiteCase : suiteCase;
    };
    const inputs = async (common: SuiteCase): Promise<Inputs['inputs']> => {
      const ground = await groundOf(common);
      const before = known.get(key);
      if (before && isUnchanged(before, ground)) return before.inputs;
      const { cases = [] } = (await expand()) ?? {};
      const step = stepsOf();
      const read = new Map<string, string>();
      for (const one of cases.length > MAX_READ ? [] : cases) {
        await step();
        const { suiteCase: whole } = (await one.open?.()) ?? {};
        read.set(one.variant ?? '', whole ? shortHash(await inputOf(whole)) : BROKEN_HASH);
      }
      const made = { ...ground, inputs: read.size > 0 ? read : undefined };
      keep(known, key, made);
      return made.inputs;
    };
    return {
      async changeOf(line) {
        const { variant, source } = line;
        const there = variant !== undefined && suiteCase?.expand ? await namesNow() : undefined;
        if (variant !== undefined && there?.names && !there.names.has(variant)) return 'gone';
        if (!suiteCase || source.hash !== found.hash) return changeOf(line, found, suiteCase);
        const ground = await groundOf(suiteCase);
        const before = compared.get(line);
        if (before && isUnchanged(before, ground)) return before.change;
        const change = await changeOf(line, found, (await opened(variant)) ?? 'broken');
        compared.set(line, { ...ground, change });
        return change;
      },
      async currentOutcomes(outcomes) {
        if (outcomes.length === 0) return outcomes;
        const there = suiteCase?.expand ? await namesNow() : undefined;
        const names = there?.names;
        const left = names ? outcomes.filter(({ variant }) => names.has(variant)) : outcomes;
        const isRead = suiteCase && left.some(({ hash }) => hash === found.hash);
        const read = isRead ? await inputs(suiteCase) : undefined;
        return left.map((one) => {
          if (one.hash !== found.hash) return { ...one, change: 'case' };
          const input = read?.get(one.variant);
          const isSame = !read || (one.inputs ?? []).every((own) => own === input);
          return isSame ? one : { ...one, change: 'input' };
        });
      },
    };
  };
  return Object.assign(now, {
    /** Called when files were added or deleted, because a pattern may now match different files. */
    reset(): void {
      names.clear();
    },
  });
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_CASES && oldest !== undefined) map.delete(oldest);
}

function isUnchanged(before: CaseDigest, { digest, stamps }: CaseDigest): boolean {
  return before.digest === digest && before.stamps === stamps;
}

function targetOf({ origin }: SuiteCase): TargetSpec | undefined {
  return origin.kind === 'transcript' ? undefined : origin.target;
}

async function inputOf(suiteCase: SuiteCase): Promise<string> {
  const target = targetOf(suiteCase);
  return inputHash(suiteCase, target && (await targetDigest(target, suiteCase.tools)));
}
