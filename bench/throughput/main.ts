import { thousands } from '../judge-cost/aims.ts';
import { print, table } from '../print.ts';
import { fine, megabytes, seconds } from '../processes.ts';
import { aimsOf } from './aims.ts';
import { runBench } from './bench.ts';

const HEAD = [
  'conversations',
  'concurrency',
  'who',
  'process',
  '× bare',
  'first request → last answer',
  '× bare',
  'CPU',
  'peak memory',
  'requests',
  'at once',
  'prompt tokens',
];

const result = await runBench();
const rows = result.loads.flatMap(({ conversations, concurrency, rows: subjects }) =>
  subjects.map((one) => [
    thousands(conversations),
    String(concurrency),
    one.subject,
    seconds(one.took.wall),
    fine(one.timesBare.wall),
    seconds(one.span),
    fine(one.timesBare.span),
    seconds(one.took.cpu),
    megabytes(one.took.memory),
    thousands(one.requests),
    String(one.atOnce),
    thousands(one.promptTokens),
  ]),
);
print('How fast a run is', result, [table(HEAD, rows, ['who'])], aimsOf(result));
