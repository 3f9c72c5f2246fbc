// A demo with recorded judge answers: runs the ShopFast sessions from the command line, then all examples, and compares
// the results with scripts/examples/expected.json. Some cases are expected to fail.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const EXPECTED = JSON.parse(
  readFileSync(join(import.meta.dirname, 'examples/expected.json'), 'utf8'),
);

/** Expected labels for ShopFast: completeness, guidelines, frustration. */
const LABELS = {
  'order-status': 'yes / yes / none',
  'frustrated-customer': 'yes / no / unresolved',
  incomplete: 'no / yes / none',
};

/** What to look at in the other examples, and why. */
const WORTH_A_LOOK = {
  'deepeval/knowledge-retention': 'a correction counts, a fact is forgotten',
  'deepeval/decision-graph': 'the path through the questions',
  'mlflow/tool-call-efficiency': 'which call is wasted',
  'azure/customer-satisfaction': 'a value and a threshold from 1 to 5',
  'composition/required-gate': 'fails, though its mean would do',
  'composition/samples': 'passes, though one of three answers would fail it',
  'simulated/return-window': 'a simulated customer who gets the same answer twice',
};

// First run ShopFast with output on the terminal, then all examples for the comparison.
const shown = run(['examples/shopfast'], 'inherit', ['--reporter', 'terminal']);
const folder = mkdtempSync(join(tmpdir(), 'turnlight-demo-'));
const output = join(folder, 'results.json');
const folders = Object.keys(EXPECTED).map((name) => `examples/${name}`);
const all = run(folders, 'ignore', ['--no-save', '--reporter', 'json', '--output', output]);

let wrong;
let cases = [];
try {
  cases = JSON.parse(readFileSync(output, 'utf8')).cases;
  wrong = [...differences(), ...[shown, all].filter((status) => status !== 1).map(badExit)];
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
  console.log('\nAll examples, as expected too (what fails, fails on purpose):');
  for (const suite of Object.keys(EXPECTED)) console.log(`  ${suite.padEnd(20)}${counts(suite)}`);
  console.log('\nWorth a look, with `npm run vscode`:');
  for (const [name, why] of Object.entries(WORTH_A_LOOK)) {
    console.log(`  ${name.padEnd(32)}${why}\n      ${wordsOf(name)}`);
  }
}

function run(what, stdio, reporters) {
  return spawnSync(process.execPath, ['dist/cli.js', 'run', ...what, ...reporters], { stdio })
    .status;
}

function badExit(status) {
  return `the exit code was ${status}, expected 1`;
}

function linesOf(suite) {
  return cases.filter((line) => basename(dirname(line.suite)) === suite);
}

function differences() {
  const found = [];
  for (const [suite, expected] of Object.entries(EXPECTED)) {
    const lines = linesOf(suite);
    for (const id of new Set([...Object.keys(expected), ...lines.map((line) => line.id)])) {
      const line = lines.find((one) => one.id === id);
      if (line?.status !== expected[id]) {
        found.push(`${suite}/${id}: expected ${expected[id]}, got ${line?.status ?? 'nothing'}`);
      }
      for (const verdict of line?.verdicts ?? []) {
        if (verdict.status === 'fail' && !verdict.misses.some((miss) => /^Turn \d+:/.test(miss))) {
          found.push(`${suite}/${id}: ${verdict.assertion.name} failed without naming a turn`);
        }
      }
    }
  }
  for (const line of linesOf('shopfast')) {
    const labels = line.verdicts.map(({ label }) => label).join(' / ');
    if (labels !== LABELS[line.id])
      found.push(`${line.id}: expected ${LABELS[line.id]}, got ${labels}`);
  }
  return found;
}

function counts(suite) {
  const statuses = linesOf(suite).map(({ status }) => status);
  return ['pass', 'fail', 'skipped']
    .map((status) => [status, statuses.filter((one) => one === status).length])
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${status}`)
    .join(', ');
}

/** The first miss of a failed case, or the rationale of a passed one. */
function wordsOf(name) {
  const [suite, id] = name.split('/');
  const { status, verdicts } = linesOf(suite).find((line) => line.id === id);
  const verdict = verdicts.find((one) => one.status === status) ?? verdicts[0];
  return verdict.misses[0] ?? verdict.rationale;
}
