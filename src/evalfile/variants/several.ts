import { freeNames } from '../../core/data.ts';
import type { ExpandedCase, SuiteCase } from '../../core/suite.ts';
import type { ReadCase } from '../case/readCase.ts';
import { Reporter, type Scope, within } from '../scope.ts';
import type { RecordedConversation } from './dataSet.ts';
import { findRecorded } from './transcripts.ts';

/** What only one variant of a case has. */
export interface Own {
  readonly recorded?: RecordedConversation;
}

/** A conversation that a case stands for. */
export interface Variant {
  readonly name: string;
  readonly tags: readonly string[];
  read(): Promise<Own>;
}

/** A case that stands for several conversations. */
export interface Several {
  /** The case without what its variants may say themselves: that is unknown. */
  readonly common: ReadCase;
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
const OWN_FACTS = ['role', 'topics', 'tools', 'expectations', 'context'];

/** Undefined if the case is one conversation, or does not say where several come from. */
export function severalIn(read: ReadCase): Several | undefined {
  const { input, location, scope } = read;
  const { transcripts, roles } = input;
  if (transcripts === undefined) return undefined;
  const unsound = new Set([...scope.unsound, ...OWN_FACTS]);
  return {
    common: { ...read, scope: { ...scope, unsound } },
    async expand(common, open) {
      const finding = laterIn(scope);
      const place = within(location, 'transcripts');
      const found = await findRecorded(transcripts, roles, place, finding);
      const variants = found.map(({ name, tags, read: readRecorded }) => ({
        name,
        tags,
        read: async (): Promise<Own> => ({ recorded: await readRecorded() }),
      }));
      return {
        cases: casesOf(variants, common, scope, open),
        files: [...new Set(found.map(({ path }) => path))],
        problems: finding.reporter.all(),
      };
    },
  };
}

/** The suite is read: what comes now is looked up anew, and told by itself. */
function laterIn(scope: Scope): Scope {
  return { ...scope, files: scope.later, reporter: new Reporter(), dependencies: new Set() };
}

/** Names are made to differ: `refund`, `refund-2`. */
function casesOf(
  variants: readonly Variant[],
  common: SuiteCase,
  scope: Scope,
  open: Parameters<Several['expand']>[1],
): SuiteCase[] {
  const { expand: _, ...shared } = common;
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
        const own = laterIn(scope);
        const suiteCase = await open(variant, own);
        const problems = own.reporter.all();
        return suiteCase && !own.reporter.hasErrors()
          ? { suiteCase: { ...suiteCase, variant: name }, problems }
          : { problems };
      },
    };
  });
}
