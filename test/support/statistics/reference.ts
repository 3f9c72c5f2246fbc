import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from '../host/install.ts';

const SCRIPT = join(import.meta.dirname, 'reference.py');

/** The Python of the environment that CONTRIBUTING.md describes. */
const PYTHON = join(CHECKOUT, '.cache/statistics/bin/python');

/** The reason to skip the comparison with Python; false if it can run. */
export const skipReference = existsSync(PYTHON)
  ? false
  : 'NOT compared with scipy, statsmodels, scikit-learn and krippendorff: see test/support/statistics/requirements.txt';

export type Question = readonly [name: string, ...given: readonly unknown[]];

/** The Python libraries' answers to the questions. */
export function askPython(questions: readonly Question[]): unknown[] {
  const { status, stdout, stderr } = spawnSync(PYTHON, [SCRIPT], {
    input: JSON.stringify(questions),
    encoding: 'utf8',
    maxBuffer: 64_000_000,
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as unknown[];
}
