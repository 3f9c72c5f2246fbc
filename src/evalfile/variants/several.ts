import { freeNames, type Mapping } from '../../core/data/data.ts';
import { LIMITS, readable } from '../../core/limits.ts';
import type { ExpandedCase, SuiteCase } from '../../core/suite.ts';
import type { ReadCase } from '../case/caseSources.ts';
import { Reporter, type Scope, within } from '../scope.ts';
import type { RecordedConversation } from './dataSet.ts';
import { type Matrix, matrixOf } from './matrix.ts';
import { findRecorded } from './transcripts.ts';

/** What only one variant of a case has. */
export interface VariantInput {
  readonly recorded?: RecordedConversation;
  /** Of its `matrix`. */
  readonly values?: Mapping;
}

/** A conversation that a case stands for. */
export interface Variant {
  readonly name: string;
  readonly tags: readonly string[];
  read(): Promise<VariantInput>;
}

/** A case that stands for several conversations. */
interface VariantSet {
  /** The case without what its variants may say themselves: that is unknown. */
  readonly common: ReadCase;
  /** What is known of one of the variants: what holds of it is checked while the file is written. */
  readonly sample: VariantInput;
  /**
   * Finds the variants.
   *
   * @param common the case as it was built
   * @param open builds one of them; undefined where something is wrong, which is reported in the scope
   */
  expand(
    common: SuiteCase,
    open: (variant: Variant, scope: Scope) => Promise<SuiteCase | undefined>,
  ): Promise<ExpandedCase>;
}

/** What a conversation of a data set may say in place of its case. */
const VARIANT_FACTS = ['role', 'topics', 'tools', 'expectations', 'context'];

/** Undefined if the case is one conversation, or does not say where several come from. */
export async function variantSetOf(read: ReadCase): Promise<VariantSet | undefined> {
  const { input, scope } = read;
  const matrix = await matrixOf(read);
  // What is missing of it is not known, and nothing else is wrong for it.
  const isUnknown = (input.matrix !== undefined || scope.invalidKeys.has('matrix')) && !matrix;
  if (input.transcripts === undefined && !matrix && !isUnknown) return undefined;
  const unknown = input.transcripts ? VARIANT_FACTS : isUnknown ? ['context'] : [];
  const invalidKeys = new Set([...scope.invalidKeys, ...unknown]);
  const [first] = matrix?.combinations ?? [];
  return {
    common: { ...read, scope: { ...scope, invalidKeys } },
    sample: first ? { values: first.values } : {},
    async expand(common, open) {
      const finding = freshScope(scope);
      const recorded = await recordedOf(read, finding);
      const variants = (recorded?.variants ?? [ONE]).flatMap((one) => withMatrix(one, matrix));
      const files = [
        ...(recorded?.files ?? []),
        ...(matrix?.file === undefined ? [] : [matrix.file]),
      ];
      if (variants.length > LIMITS.variants) {
        const message = `These are ${readable(variants.length)} variants; the limit is ${readable(LIMITS.variants)}. Split the case.`;
        finding.reporter.report('too-many-variants', message, within(read.location, 'matrix'));
        return { cases: [], files, problems: finding.reporter.all() };
      }
      const isRecorded = recorded !== undefined && !matrix;
      const cases = casesOf(
        variants,
        { ...common, ...(isRecorded && { recorded: true }) },
        scope,
        open,
      );
      return { cases, files, problems: finding.reporter.all() };
    },
  };
}

/** What a case without `transcripts` is in all its combinations. */
const ONE: Variant = { name: '', tags: [], read: async () => ({}) };

async function recordedOf({ input, location }: ReadCase, finding: Scope) {
  const { transcripts, roles } = input;
  if (transcripts === undefined) return undefined;
  const found = await findRecorded(transcripts, roles, within(location, 'transcripts'), finding);
  const variants = found.map(
    ({ name, tags, read }): Variant => ({
      name,
      tags,
      read: async () => ({ recorded: await read() }),
    }),
  );
  return { variants, files: [...new Set(found.map(({ path }) => path))] };
}

/** A conversation with each combination of values. */
function withMatrix(one: Variant, matrix: Matrix | undefined): Variant[] {
  if (!matrix) return [one];
  return matrix.combinations.map(({ name, values }) => ({
    ...one,
    name: one.name === '' ? name : `${one.name}/${name}`,
    read: async () => ({ ...(await one.read()), values }),
  }));
}

/** The suite is read: what comes now is looked up anew, and told by itself. */
function freshScope(scope: Scope): Scope {
  return {
    ...scope,
    files: scope.uncachedFiles,
    reporter: new Reporter(),
    dependencies: new Set(),
  };
}

/** Names are made to differ: `refund`, `refund-2`. */
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
