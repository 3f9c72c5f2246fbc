import { freeNames, type Mapping } from '../../core/data/data.ts';
import { LIMITS, readable } from '../../core/limits.ts';
import type { ExpandedCase, SuiteCase } from '../../core/suite.ts';
import { inScope, type ReadCase } from '../case/caseSources.ts';
import { Reporter, report, type Scope, within } from '../scope.ts';
import type { RecordedConversation } from './dataSet.ts';
import { type Matrix, matrixOf } from './matrix.ts';
import { findRecorded } from './transcripts.ts';

/** One variant's data. */
export interface VariantInput {
  readonly recorded?: RecordedConversation;
  readonly values?: Mapping;
}

/** A variant of a case. */
export interface Variant {
  readonly name: string;
  readonly tags: readonly string[];
  read(): Promise<VariantInput>;
}

/** A case with several variants. */
interface VariantSet {
  /** The case, treating data that variants can override as unknown. */
  readonly common: ReadCase;
  /** One variant's data, used to check the case in the editor. */
  readonly sample: VariantInput;
  /**
   * Finds the variants.
   *
   * @param common the built case
   * @param open builds a variant; undefined if it has errors, which are reported in the scope
   */
  expand(
    common: SuiteCase,
    open: (variant: Variant, scope: Scope) => Promise<SuiteCase | undefined>,
  ): Promise<ExpandedCase>;
}

/** Data that a conversation in a data set can override. */
const VARIANT_FACTS = ['role', 'topics', 'tools', 'expectations', 'context'];

/** Undefined if the case has only one conversation. */
export async function variantSetOf(read: ReadCase): Promise<VariantSet | undefined> {
  const { input, location } = read;
  const { scope } = location;
  const matrix = await matrixOf(read);
  // The missing data is unknown, and causes no other problems.
  const isUnknown = (input.matrix !== undefined || scope.invalidKeys.has('matrix')) && !matrix;
  if (input.transcripts === undefined && !matrix && !isUnknown) return undefined;
  const unknown = input.transcripts ? VARIANT_FACTS : isUnknown ? ['context'] : [];
  const invalidKeys = new Set([...scope.invalidKeys, ...unknown]);
  const [first] = matrix?.combinations ?? [];
  return {
    common: inScope(read, { ...scope, invalidKeys }),
    sample: first ? { values: first.values } : {},
    async expand(common, open) {
      const finding = inScope(read, freshScope(scope));
      const { reporter } = finding.location.scope;
      const recorded = await recordedOf(finding);
      const variants = (recorded?.variants ?? [ONE]).flatMap((one) => withMatrix(one, matrix));
      const files = [
        ...(recorded?.files ?? []),
        ...(matrix?.file === undefined ? [] : [matrix.file]),
      ];
      if (variants.length > LIMITS.variants) {
        const message = `These are ${readable(variants.length)} variants; the limit is ${readable(LIMITS.variants)}. Split the case.`;
        report('too-many-variants', message, within(finding.location, 'matrix'));
        return { cases: [], files, problems: reporter.all() };
      }
      const isRecorded = recorded !== undefined && !matrix;
      const shared = { ...common, ...(isRecorded && { recorded: true as const }) };
      const cases = casesOf(variants, shared, scope, open);
      return { cases, files, problems: reporter.all() };
    },
  };
}

/** The conversation of a case without `transcripts`. */
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

/** A scope without cached reads, with its own problems. */
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
function casesOf(
  variants: readonly Variant[],
  common: SuiteCase,
  scope: Scope,
  open: Parameters<VariantSet['expand']>[1],
): SuiteCase[] {
  const { expand: _, ...shared } = common;
  const recorded = shared.recorded && { recorded: shared.recorded };
  const names = new Set<string>();
  const freeName = freeNames(
    new Set(variants.map(({ name }) => name)),
    (name, number) => `${name}-${number}`,
  );
  return variants.map((variant) => {
    const name = names.has(variant.name) ? freeName(variant.name) : variant.name;
    names.add(name);
    return {
      ...shared,
      variant: name,
      tags: [...new Set([...shared.tags, ...variant.tags])],
      open: async () => {
        const own = freshScope(scope);
        const suiteCase = await open(variant, own);
        const problems = own.reporter.all();
        return suiteCase && !own.reporter.hasErrors()
          ? { suiteCase: { ...suiteCase, ...recorded, variant: name }, problems }
          : { problems };
      },
    };
  });
}
