import type { Path } from '../core/data.ts';
import type { Fix, Problem } from '../core/problem.ts';
import type { YamlDocument } from '../yaml/yamlDocument.ts';
import type { ValueProblem } from './valueProblems.ts';

/** A problem of a value that stands within another one, seen from there. */
export function problemUnder<Under extends ValueProblem>(base: Path, problem: Under): Under {
  if (base.length === 0) return problem;
  const { path, fix } = problem;
  return { ...problem, path: [...base, ...path], ...(fix && { fix: fixUnder(base, fix) }) };
}

function fixUnder(base: Path, fix: Fix): Fix {
  const { remove, add, beside } = fix;
  return {
    ...fix,
    ...(remove && { remove: [...base, ...remove] }),
    ...(add && { add: { ...add, to: [...base, ...add.to] } }),
    ...(beside && { beside: { ...beside, to: [...base, ...beside.to] } }),
  };
}

/** @param base where the value stands in the document */
export function placedProblem(problem: ValueProblem, document: YamlDocument, base: Path): Problem {
  const { path, onKey, ...rest } = problemUnder(base, problem);
  const range = onKey ? document.keyRangeOf(path) : document.rangeOf(path);
  return { ...rest, severity: 'error', path: document.path, range };
}
