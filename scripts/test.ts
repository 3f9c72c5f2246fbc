import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { COMPILED } from './compiled.ts';

// Runs test files as `node --test` does, but on all cores, where node leaves one idle.
const flags = [
  '--test',
  `--test-concurrency=${availableParallelism()}`,
  // A test that leaves something running ends its file, and not all that come after it.
  `--test-timeout=${10 * 60_000}`,
];
const { status } = spawnSync(process.execPath, [...flags, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...COMPILED, ...process.env },
});
process.exitCode = status ?? 1;
