import { parseArgs } from 'node:util';
import { share, thousands } from '../judge-cost/aims.ts';
import { print, table } from '../print.ts';
import { fine, megabytes, seconds } from '../processes.ts';
import { aimsOf } from './aims.ts';
import { type Row, runBench } from './bench.ts';
import { PEER_NAMES } from './peers/peers.ts';

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
    concurrency: { type: 'string' },
    peers: { type: 'string', default: PEER_NAMES.join(',') },
    json: { type: 'boolean' },
  },
});

const peers = values.peers.split(',').filter((name) => name !== '' && name !== 'none');
const unknown = peers.find((name) => !PEER_NAMES.includes(name));
if (unknown !== undefined) {
  console.error(
    `--peers: there is no "${unknown}". Name some of ${PEER_NAMES.join(', ')}, or none.`,
  );
  process.exit(1);
}

function numberOf(given: string | undefined): number | undefined {
  return given === undefined ? undefined : Number(given);
}

const result = await runBench({
  rounds: Number(values.rounds),
  conversations: numberOf(values.conversations),
  concurrency: numberOf(values.concurrency),
  peers,
});
const rows = result.loads.flatMap(({ conversations, concurrency, rows: subjects }) =>
  subjects.map((one) => [
    thousands(conversations),
    String(concurrency),
    one.subject,
    ...(one.rounds === 0 ? ['none, too slow'] : measured(one)),
  ]),
);

function measured(one: Row): string[] {
  return [
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
  ];
}

const skipped = result.skipped.map((reason) => `SKIPPED: ${reason}`);
print('How fast a run is', result, [table(HEAD, rows, ['who']), ...skipped], aimsOf(result));
