import { freeNames, type Mapping } from '../../core/data/data.ts';
import { LIMITS, readable } from '../../core/limits.ts';
import type { ExpandedCase, SuiteCase } from '../../core/suite.ts';
import { inScope, type ReadCase, type TargetVariant } from '../case/caseSources.ts';
import { Reporter, report, type Scope, within } from '../scope.ts';
import type { RecordedConversation } from './dataSet.ts';
import { type Matrix, matrixOf } from './matrix.ts';
import { targetVariantsOf } from './targetVariants.ts';
import { findRecorded } from './transcripts.ts';

/** Data for one variant. */
export interface VariantInput {
  readonly recorded?: RecordedConversation;
  readonly values?: Mapping;
  readonly target?: TargetVariant;
}

/** A variant of a case. */
export interface Variant {
  readonly name: string;
  readonly tags: readonly string[];
  readonly target?: TargetVariant;
  read(): Promise<VariantInput>;
}

/** A case with several variants. */
interface VariantSet {
  /** The case, with the data that variants can override treated as unknown. */
  readonly common: ReadCase;
  /** Data of one recorded variant for each target variant, used to check the case in the editor. */
  readonly samples: readonly [VariantInput, ...VariantInput[]];
  /**
   * Finds the variants.
   *
   * @param common the built case for each sample
   * @param open builds a variant; undefined if it has errors, which are reported in the scope
   */
  expand(
    common: readonly SuiteCase[],
    open: (variant: Variant, scope: Scope) => Promise<SuiteCase | undefined>,
  ): Promise<ExpandedCase>;
}

/** Data that a dataset's conversations can override. */
const VARIANT_FACTS = ['role', 'topics', 'tools', 'expectations', 'context'];

/** Undefined if the case has only one variant. */
export async function variantSetOf(read: ReadCase): Promise<VariantSet | undefined> {
  const { input, location } = read;
  const { scope } = location;
  const matrix = await matrixOf(read);
  // The missing data is unknown, so it doesn't cause other problems.
  const isUnknown = (input.matrix !== undefined || scope.invalidKeys.has('matrix')) && !matrix;
  const targets = targetVariantsOf(read);
  const isOne = input.transcripts === undefined && !matrix && !isUnknown;
  if (isOne && targets.length === 0) return undefined;
  const unknown = input.transcripts ? VARIANT_FACTS : isUnknown ? ['context'] : [];
  const invalidKeys = new Set([...scope.invalidKeys, ...unknown]);
  const [first] = matrix?.combinations ?? [];
  const sample = first ? { values: first.values } : {};
  const [firstTarget, ...others] = targets.map((target) => ({ ...sample, target }));
  return {
    common: inScope(read, { ...scope, invalidKeys }),
    samples: [firstTarget ?? sample, ...others],
    async expand(common, open) {
      const finding = inScope(read, freshScope(scope));
      const { reporter } = finding.location.scope;
      const recorded = await recordedOf(finding);
      const all = (recorded?.variants ?? [ONE]).flatMap((one) => withMatrix(one, matrix));
      const variants = uniqueNames(all).flatMap((one) => withTargets(one, targets));
      const files = [
        ...(recorded?.files ?? []),
        ...(matrix?.file === undefined ? [] : [matrix.file]),
      ];
      if (variants.length > LIMITS.variants) {
        const message = `The case has ${readable(variants.length)} variants; the limit is ${readable(LIMITS.variants)}. Split the case.`;
        const place = matrix ? within(finding.location, 'matrix') : finding.location;
        report('too-many-variants', message, place);
        return { cases: [], files, problems: reporter.all() };
      }
      const isRecorded = recorded !== undefined && !matrix;
      const shared = common.map((one) => ({
        ...one,
        ...(isRecorded && { recorded: true as const }),
      }));
      const cases = casesOf(variants, shared, scope, open);
      return { cases, files, problems: reporter.all() };
    },
  };
}

/** The single conversation of a case without `transcripts`. */
const ONE: Variant = { name: '', tags: [], read: async () => ({}) };

async function recordedOf({ input, location }: ReadCase) {
  const { transcripts, roles } = input;
  if (transcripts === undefined) return undefined;
  const found = await findRecorded(transcripts, roles, within(location, 'transcripts'));
  const variants = found.map(
    ({ name, tags, read }): Variant => ({
      name,
      tags,
      read: async () => ({ recorded: await read() }),
    }),
  );
  return { variants, files: [...new Set(found.map(({ path }) => path))] };
}

function withMatrix(one: Variant, matrix: Matrix | undefined): Variant[] {
  if (!matrix) return [one];
  return matrix.combinations.map(({ name, values }) => ({
    ...one,
    name: one.name === '' ? name : `${one.name}/${name}`,
    read: async () => ({ ...(await one.read()), values }),
  }));
}

function withTargets(one: Variant, targets: readonly TargetVariant[]): Variant[] {
  if (targets.length === 0) return [one];
  return targets.map((target) => ({
    ...one,
    name: one.name === '' ? target.name : `${one.name}/${target.name}`,
    target,
    read: async () => ({ ...(await one.read()), target }),
  }));
}

/** A copy of the scope without cached reads, and with its own problems. */
function freshScope(scope: Scope): Scope {
  return {
    ...scope,
    files: scope.uncachedFiles,
    reporter: new Reporter(),
    room: { left: LIMITS.filledCase, isExceeded: false },
    dependencies: new Set(),
  };
}

/** Makes names unique: `refund`, `refund-2`. */
function uniqueNames(variants: readonly Variant[]): Variant[] {
  const names = new Set<string>();
  const freeName = freeNames(
    new Set(variants.map(({ name }) => name)),
    (name, number) => `${name}-${number}`,
  );
  return variants.map((variant) => {
    const name = names.has(variant.name) ? freeName(variant.name) : variant.name;
    names.add(name);
    return { ...variant, name };
  });
}

/** @param common the case for each target variant */
function casesOf(
  variants: readonly Variant[],
  common: readonly SuiteCase[],
  scope: Scope,
  open: Parameters<VariantSet['expand']>[1],
): SuiteCase[] {
  return variants.flatMap((variant) => {
    const { name, target } = variant;
    const shared = common[target ? target.of.indexOf(target.name) : 0];
    if (!shared) return [];
    const { expand: _, targets: _targets, ...rest } = shared;
    const own = {
      variant: name,
      ...(shared.recorded && { recorded: shared.recorded }),
      ...(target && { targetVariant: { name: target.name, of: target.of } }),
    };
    const openOne = async () => {
      const inner = freshScope(scope);
      const suiteCase = await open(variant, inner);
      const problems = inner.reporter.all();
      return suiteCase && !inner.reporter.hasErrors()
        ? { suiteCase: { ...suiteCase, ...own }, problems }
        : { problems };
    };
    const tags = [...new Set([...shared.tags, ...variant.tags])];
    return { ...rest, ...own, tags, open: openOne };
  });
}
