import type * as z from 'zod';
import type { Path } from '../core/data.ts';
import type { Problem } from '../core/problem.ts';
import { asMeant, documentAsMeant } from '../schema/misspelt.ts';
import { placedProblem } from '../schema/placedProblems.ts';
import { problemsOfMeant } from '../schema/valueProblems.ts';
import type { YamlDocument } from '../yaml/yamlDocument.ts';
import { foreignNames } from './foreignNames.ts';

/** A value of the format that was held against its schema. */
export interface Checked {
  /** The value as it was meant: with every misspelt key as the one it stands for. */
  readonly value: unknown;
  /** Finds places by the keys that were meant. */
  readonly document: YamlDocument;
  readonly problems: readonly Problem[];
  /** Where the value is not as it should be: paths from it. */
  readonly unsound: readonly Path[];
}

/** @param base where the value stands in the document */
export function checked(
  schema: z.ZodType,
  value: unknown,
  document: YamlDocument,
  base: Path = [],
): Checked {
  const meant = asMeant(schema, value, foreignNames);
  const misspelt = meant.misspelt.map((one) => ({ ...one, owner: [...base, ...one.owner] }));
  return {
    value: meant.value,
    document: documentAsMeant(document, misspelt),
    problems: problemsOfMeant(schema, meant, { foreign: foreignNames }).map((problem) =>
      placedProblem(problem, document, base),
    ),
    unsound: meant.leaves.map(({ path }) => path),
  };
}
