import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { globSync } from 'tinyglobby';
import { COMPILED } from './compiled.ts';
import { grouped, LONG_VARIABLE, samples } from './testGroups.ts';

// Runs test files as `node --test` does, but on all cores, and many files in one process:
// `node scripts/test.ts [--long] GLOB…`. With `--long`, all of what `npm test` takes a sample of.
const args = process.argv.slice(2);
const isLong = args.includes('--long');
const flags = args.filter((one) => one.startsWith('--') && one !== '--long');
const globs = args.filter((one) => !one.startsWith('--'));
const files = globSync(globs, { absolute: true }).sort();
// Each long file fills a process of its own.
const runs = isLong ? files.filter(samples) : grouped(files);
if (files.length === 0) throw new Error(`There is no test file at ${globs.join(' ')}.`);
const { status } = spawnSync(
  process.execPath,
  [
    '--test',
    // One more than cores: many tests wait, for a time limit or a program.
    `--test-concurrency=${availableParallelism() + 1}`,
    // A test that leaves something running ends its process, and not all that come after it.
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
