import type { Path } from '../core/data/data.ts';
import type { Fix, Problem, Range } from '../core/problem.ts';
import type { YamlDocument } from '../yaml/yamlDocument.ts';
import type { ValueProblem } from './valueProblems.ts';

/** A problem of a value that stands within another one, seen from there. */
export function problemUnder<Under extends ValueProblem>(base: Path, problem: Under): Under {
  if (base.length === 0) return problem;
  const { path, fix, missing } = problem;
  return {
    ...problem,
    path: [...base, ...path],
    ...(fix && { fix: fixUnder(base, fix) }),
    ...(missing && { missing: [...base, ...missing] }),
  };
}

function fixUnder(base: Path, fix: Fix): Fix {
  const { remove, add, beside, instead } = fix;
  return {
    ...fix,
    ...(remove && { remove: [...base, ...remove] }),
    ...(add && { add: { ...add, to: [...base, ...add.to] } }),
    ...(instead && { instead: { ...instead, path: [...base, ...instead.path] } }),
    ...(beside && { beside: { ...beside, to: [...base, ...beside.to] } }),
  };
}

/** @param base where the value stands in the document */
export function locateProblem(problem: ValueProblem, document: YamlDocument, base: Path): Problem {
  const {
    path,
    onKey,
    unquoted,
    blankAfter,
    fix: known,
    missing: _,
    ...rest
  } = problemUnder(base, problem);
  const range = onKey ? document.keyRangeOf(path) : document.rangeOf(path);
  const quote = unquoted && bareRange(document, path, unquoted);
  const start = document.offsetAt(range.start);
  const blank = blankAfter === undefined ? undefined : document.positionAt(start + blankAfter);
  const fix = { ...known, ...(quote && { quote }), ...(blank && { blank }) };
  return {
    ...rest,
    ...(Object.keys(fix).length > 0 && { fix }),
    severity: 'error',
    path: document.path,
    range: quote ?? range,
  };
}

/** Where bare words on one line stand; undefined for nothing, an alias or a mapping in braces. */
function bareRange(document: YamlDocument, path: Path, what: 'value' | 'entry'): Range | undefined {
  const last = document.scalarAt(path);
  const first = what === 'entry' ? document.scalarAt(path, 'key') : last;
  if (!first || !last || first.start === last.end) return undefined;
  const range = document.rangeOfOffsets(first.start, last.end);
  const whole = what === 'entry' ? document.rangeOf(path.slice(0, -1)) : range;
  const isBare = document.offsetAt(whole.start) === first.start;
  return isBare && range.start.line === range.end.line ? range : undefined;
}
