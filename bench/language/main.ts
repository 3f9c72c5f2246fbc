import { aimsOf } from './aims.ts';
import { runBench } from './bench.ts';
import { reportOf } from './report.ts';

const asJson = process.argv.includes('--json');

const result = await runBench((line) => process.stderr.write(`${line}\n`));

if (asJson) console.log(JSON.stringify({ ...result, aims: aimsOf(result) }, null, 2));
else console.log(reportOf(result));

if (result.faults.length > 0) process.exitCode = 1;
