import type * as z from 'zod';
import { changedAt, mappingOf, type Path } from '../core/data/data.ts';
import type { Problem } from '../core/problem.ts';
import type { Leaf } from '../schema/issues.ts';
import { asMeant, documentAsMeant } from '../schema/misspelt.ts';
import { locateProblem, problemsOfMeant } from '../schema/valueProblems.ts';
import type { YamlDocument } from '../yaml/yamlDocument.ts';
import { foreignNames } from './foreignNames.ts';

interface Checked {
  /**
   * The value as it was meant: with every misspelt key as the one it stands for, and no unknown one;
   * with defaults if nothing is wrong.
   */
  readonly value: unknown;
  /** Finds ranges by the intended keys. */
  readonly document: YamlDocument;
  readonly problems: readonly Problem[];
  /** Where that value is not as it should be: paths from it. */
  readonly unsound: readonly Path[];
}

/** @param base path of the value in the document */
export function checked(
  schema: z.ZodType,
  value: unknown,
  document: YamlDocument,
  base: Path = [],
): Checked {
  const meant = asMeant(schema, value, foreignNames);
  const misspelt = meant.misspelt.map((one) => ({ ...one, owner: [...base, ...one.owner] }));
  return {
    value: meant.leaves.reduce(withoutUnknown, meant.value),
    document: documentAsMeant(document, misspelt),
    problems: problemsOfMeant(schema, meant, { foreign: foreignNames }).map((problem) =>
      locateProblem(problem, document, base),
    ),
    unsound: meant.leaves
      .filter(({ issue }) => issue.code !== 'unrecognized_keys')
      .map(({ path }) => path),
  };
}

function withoutUnknown(value: unknown, { issue, path }: Leaf): unknown {
  if (issue.code !== 'unrecognized_keys') return value;
  const keys = new Set(issue.keys);
  return changedAt(value, path, (mapping) =>
    Object.fromEntries(Object.entries(mappingOf(mapping)).filter(([key]) => !keys.has(key))),
  );
}
