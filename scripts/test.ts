import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { globSync } from 'tinyglobby';
import { COMPILED } from './compiled.ts';
import { grouped, LONG_VARIABLE, samples } from './testGroups.ts';

// Runs test files like `node --test`, but on all cores and with many files per process: `node scripts/test.ts [--long]
// GLOB…`. With `--long`, runs all variations of the tests that `npm test` samples.
const args = process.argv.slice(2);
const isLong = args.includes('--long');
const flags = args.filter((one) => one.startsWith('--') && one !== '--long');
const globs = args.filter((one) => !one.startsWith('--'));
const files = globSync(globs, { absolute: true }).sort();
// With `--long`, each file runs in its own process.
const runs = isLong ? files.filter(samples) : grouped(files);
if (files.length === 0) throw new Error(`There is no test file at ${globs.join(' ')}.`);
const { status } = spawnSync(
  process.execPath,
  [
    '--test',
    // One more than the number of cores, since many tests wait for a time limit or a program.
    `--test-concurrency=${availableParallelism() + 1}`,
    // If a test leaves something running, this ends its process, and the remaining tests still run.
    `--test-timeout=${60 * 60_000}`,
    ...flags,
    ...runs,
  ],
  {
    stdio: 'inherit',
    env: { ...COMPILED, ...(isLong && { [LONG_VARIABLE]: '1' }), ...process.env },
  },
);
process.exitCode = status ?? 1;
