import { memoize, valueAt } from '../../core/data/data.ts';
import { withoutCases } from '../../evalfile/loadedSuite.ts';
import type { EvalDocument, IndexedFile } from '../ports.ts';
import { symbolsOf } from './symbolTable.ts';

/** What is worth knowing of a file of cases when others are looked at; nothing in it holds its nodes. */
export const indexedFile = memoize(({ yaml, suite }: EvalDocument): IndexedFile => {
  const cases = valueAt(yaml.value, ['cases']);
  return {
    path: yaml.path,
    suite: withoutCases(suite),
    symbols: symbolsOf(yaml),
    caseCount: Array.isArray(cases) ? cases.length : 0,
  };
});
