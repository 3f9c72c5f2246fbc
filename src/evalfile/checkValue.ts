import type * as z from 'zod';
import { mappingOf, type Path, withValueAt } from '../core/data/data.ts';
import type { Problem } from '../core/problem.ts';
import type { Leaf } from '../schema/issues.ts';
import { correctKeys, withCorrectedKeys } from '../schema/misspelled.ts';
import { locateProblem, problemsOfCorrected } from '../schema/valueProblems.ts';
import type { YamlDocument } from '../yaml/yamlDocument.ts';
import { foreignNames } from './foreignNames.ts';

interface CheckedValue {
  /** The value with corrected keys and without unknown keys. If it's valid, defaults are filled in. */
  readonly value: unknown;
  /** Finds ranges by corrected keys. */
  readonly document: YamlDocument;
  readonly problems: readonly Problem[];
  /** Paths of invalid values. */
  readonly invalidPaths: readonly Path[];
}

/** @param base the value's path in the document */
export function checkValue(
  schema: z.ZodType,
  value: unknown,
  document: YamlDocument,
  base: Path = [],
): CheckedValue {
  const meant = correctKeys(schema, value, foreignNames);
  const misspelled = meant.misspelled.map((one) => ({ ...one, owner: [...base, ...one.owner] }));
  return {
    value: meant.leaves.reduce(withoutUnknown, meant.value),
    document: withCorrectedKeys(document, misspelled),
    problems: problemsOfCorrected(schema, meant, { foreign: foreignNames }).map((problem) =>
      locateProblem(problem, document, base),
    ),
    invalidPaths: meant.leaves
      .filter(({ issue }) => issue.code !== 'unrecognized_keys')
      .map(({ path }) => path),
  };
}

function withoutUnknown(value: unknown, { issue, path }: Leaf): unknown {
  if (issue.code !== 'unrecognized_keys') return value;
  const keys = new Set(issue.keys);
  return withValueAt(value, path, (mapping) =>
    Object.fromEntries(Object.entries(mappingOf(mapping)).filter(([key]) => !keys.has(key))),
  );
}
