import { parseArgs } from 'node:util';
import { share, thousands } from '../judge-cost/aims.ts';
import { print, table } from '../print.ts';
import { fine, megabytes, seconds } from '../processes.ts';
import { aimsOf } from './aims.ts';
import { runBench } from './bench.ts';

const HEAD = [
  'conversations',
  'concurrency',
  'who',
  'rounds',
  'process',
  '× bare',
  '× Turnlight',
  'first request → last answer',
  '× bare',
  '× Turnlight',
  'CPU',
  'peak memory',
  'requests',
  'at once',
  'prompt tokens',
  'cacheable',
];

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    conversations: { type: 'string' },
    json: { type: 'boolean' },
  },
});

const { rounds, conversations: only } = values;
const result = await runBench(Number(rounds), only === undefined ? undefined : Number(only));
const rows = result.loads.flatMap(({ conversations, concurrency, rows: subjects }) =>
  subjects.map((one) => [
    thousands(conversations),
    String(concurrency),
    one.subject,
    String(one.rounds),
    seconds(one.took.wall),
    fine(one.timesBare.wall),
    fine(one.timesOurs.wall),
    seconds(one.span),
    fine(one.timesBare.span),
    fine(one.timesOurs.span),
    seconds(one.took.cpu),
    megabytes(one.took.memory),
    thousands(one.requests),
    String(one.atOnce),
    thousands(one.promptTokens),
    share(one.cacheable, one),
  ]),
);
const skipped = result.skipped.map((reason) => `SKIPPED: ${reason}`);
print('How fast a run is', result, [table(HEAD, rows, ['who']), ...skipped], aimsOf(result));
