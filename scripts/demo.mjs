// The main job on the embedded replay judge: runs the ShopFast sessions from the command line and
// compares what came out with what the example is built to show. Failing cases are expected here.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const EXPECTED = {
  'order-status': ['yes', 'yes', 'none'],
  'frustrated-customer': ['yes', 'no', 'unresolved'],
  incomplete: ['no', 'yes', 'none'],
};

const folder = mkdtempSync(join(tmpdir(), 'turnlight-demo-'));
const output = join(folder, 'results.json');
const command = ['dist/cli.js', 'run', 'examples/shopfast'];
const reporters = ['--reporter', 'terminal', '--reporter', 'json', '--output', output];
const { status } = spawnSync(process.execPath, [...command, ...reporters], { stdio: 'inherit' });

let wrong;
try {
  wrong = differences(JSON.parse(readFileSync(output, 'utf8')).cases);
  if (status !== 1) wrong.push(`the exit code was ${status}, expected 1`);
} catch (error) {
  wrong = [`no results were written: ${error.message}`];
} finally {
  rmSync(folder, { recursive: true });
}

if (wrong.length > 0) {
  console.error(
    `\nThe demo did not come out as expected:\n${wrong.map((line) => `  ${line}`).join('\n')}`,
  );
  process.exitCode = 1;
} else {
  console.log('\nAs expected: two of the three sessions fail, each at the turns named above.');
}

function differences(cases) {
  const found = [];
  for (const [id, labels] of Object.entries(EXPECTED)) {
    const line = cases.find((one) => one.id === id);
    const got = line?.verdicts.map(({ label }) => label) ?? [];
    if (got.join() !== labels.join()) {
      found.push(`${id}: expected ${labels.join(' / ')}, got ${got.join(' / ') || 'nothing'}`);
    }
    for (const verdict of line?.verdicts ?? []) {
      if (verdict.status === 'fail' && !verdict.misses.some((miss) => /^Turn \d+:/.test(miss))) {
        found.push(`${id}: ${verdict.assertion.name} failed without naming a turn`);
      }
    }
  }
  return found;
}
