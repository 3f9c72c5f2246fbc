import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { buildVerdict } from '../../test/support/build.ts';
import { buildCaseLine, talk } from '../../test/support/buildRun.ts';
import { recordText } from '../../test/support/records.ts';
import { timeOfUnit } from '../../test/support/work.ts';
import { node, type Took, TURNLIGHT, timed } from '../processes.ts';
import type { Attack, Scene } from './attack.ts';

/** Limits for a command, whatever the input: CPU time in units (`timeOfUnit`; about 5 s), and memory in bytes. */
const MAX_CPU = 4_000;
const MAX_MEMORY = 512e6;

const TRIES = 3;

/** Milliseconds after which a command counts as hanging, however busy the machine is. */
const MAX_WALL = 120_000;

/** Valid exit codes: 0 if all cases passed, 1 if a case failed, 2 if a case errored, 3 if the input was rejected. */
const ENDS = [0, 1, 2, 3];

const MB = 1_000_000;
const GOOD = '[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]\n';
const LONG = 'One fine morning the parcel left the shop. '.repeat(MB / 43);
const LISTED = `{"choices":[${'{},'.repeat((15 * MB) / 3)}{}]}`;
const CONTAINS = '{type: contains, value: Hello}';

/** An eval file, other files, the endpoint's answer, and the command. */
interface Input {
  readonly suite: string;
  readonly files?: Readonly<Record<string, string>>;
  /** Defaults to `run`. */
  readonly args?: readonly string[];
  readonly answer?: { readonly type: string; readonly body: string };
}

function dataSet(name: string, text: string, pattern = name): Input {
  return {
    suite: `cases:\n  - {id: a, transcripts: "${pattern}", assert: [${CONTAINS}]}\n`,
    files: { [name]: text },
  };
}

function longReply(assertion: string): Input {
  const messages = ['Hi', LONG, 'And now?', LONG].map((content, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content,
  }));
  return {
    suite: `cases:\n  - {id: a, transcript: talk.json, assert: [${assertion}]}\n`,
    files: { 'talk.json': JSON.stringify(messages) },
  };
}

function answered(target: string, body: string, type = 'application/json'): Input {
  return {
    suite: `target: ${target}\ncases:\n  - {id: a, turns: [Hi], assert: [${CONTAINS}]}\n`,
    answer: { type, body },
  };
}

const HTTP = '{type: http, url: URL, body: {m: "{{message}}"}, reply: /choices/0}';
const JUDGED = `judge: {provider: openai, model: x, base_url: URL}
cases:
  - {id: a, transcript: [{user: Hi}, {assistant: Hello}], assert: [It greets.]}
`;

const CHECKED = `cases:
  - {id: a, transcript: [{user: Hi}, {assistant: Hello}], assert: [${CONTAINS}]}
`;

/** A case with variables; without `turns`, it has a transcript. */
function filledIn(own: object): Input {
  const talk = 'turns' in own ? {} : { transcript: [{ user: 'Hi' }, { assistant: 'Hello' }] };
  const one = { id: 'a', assert: [{ type: 'contains', value: 'x' }], ...talk, ...own };
  return { suite: JSON.stringify({ target: { type: 'http', url: 'URL' }, cases: [one] }) };
}

function dotenv(text: string): Input {
  return { suite: CHECKED, files: { '.env': text }, args: ['run', '--dotenv', '.env'] };
}

/** 128 characters that differ for every index. */
function noise(index: number): string {
  return createHash('sha512').update(`${index}`).digest('hex');
}

/** A line from a real recording. */
const [EXCHANGE = ''] = readFileSync(
  resolve(import.meta.dirname, '../../examples/shopfast/recordings/judge.jsonl'),
  'utf8',
).split('\n');

const LABEL = JSON.stringify({
  case: 'a',
  assertion: 'contains',
  question_hash: 'q',
  conversation_hash: 'c',
  status: 'pass',
  at: '2026-01-01T00:00:00Z',
});

function importing(name: string, text: string): Input {
  return { suite: CHECKED, files: { [name]: text }, args: ['import', name] };
}

/** A trace whose requests contain only new messages. */
function siblings(count: number): string {
  const said = (key: string, role: string, content: string) => ({
    key: `gen_ai.${key}.messages`,
    value: { stringValue: JSON.stringify([{ role, parts: [{ type: 'text', content }] }]) },
  });
  const spans = Array.from({ length: count }, (_, index) => ({
    traceId: 't',
    spanId: `s${index}`,
    parentSpanId: 's0',
    name: 'chat',
    startTimeUnixNano: String(index),
    attributes: [
      { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
      said('input', 'user', `q${index}`),
      said('output', 'assistant', `a${index}`),
    ],
  }));
  return traced(...spans);
}

function longTalk(size: number): string {
  const said = 'x'.repeat(size);
  return JSON.stringify({ messages: [{ role: 'user', content: said }, ...JSON.parse(GOOD)] });
}

function traced(...spans: readonly object[]): string {
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
}

/** A streamed answer whose only tool call has an index. */
function streamed(index: number): string {
  const call = { index, id: 'a', function: { name: 'f', arguments: '{}' } };
  const event = { choices: [{ delta: { role: 'assistant', content: 'x', tool_calls: [call] } }] };
  return JSON.stringify({
    request: { messages: [{ role: 'user', content: 'Hi' }] },
    response: `data: ${JSON.stringify(event)}\n`,
  });
}

function called(calls: readonly object[]): string {
  return JSON.stringify([
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: null, tool_calls: calls },
    { role: 'assistant', content: 'Hello' },
  ]);
}

function numbered(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join('\n');
}

/** A failed case in a run record, with matching verdicts. */
const failing = (index: number) =>
  buildCaseLine({ id: 'a', repetition: index + 1, repetitions: 99, status: 'fail', score: 0 });

const RECORD = '.turnlight/runs/2026-01-01T00-00-00-000Z-aaaaaaaa.jsonl';

/** A command that reads the record of a killed run. */
function recorded(change: (text: string) => string, ...args: readonly string[]): Input {
  const cases = Array.from({ length: 60 }, (_, index) => failing(index));
  const text = change(recordText({ id: 'aaaaaaaa', cases }));
  return { suite: CHECKED, files: { [RECORD]: text }, args };
}

function blank(text: string): string {
  return text.replace('\n', '\n'.repeat(60 * MB));
}

/** Adds empty mappings to each case. */
function dense(text: string): string {
  return text.replaceAll('"tags":', `"other":[${'{},'.repeat(450_000)}{}],"tags":`);
}

/** A failed case with this many verdicts, each with as many failed turns and misses as given. */
function failures(verdicts: number, turns: number): string {
  const numbers = Array.from({ length: turns }, (_, index) => index + 1);
  const verdict = buildVerdict({
    status: 'fail',
    score: 0,
    turns: numbers.map((turn) => ({ turn, status: 'fail', score: 0, rationale: '' })),
    misses: numbers.map((turn) => `Turn ${turn}: no greeting`),
  });
  const talked = talk(...Array<string>(2 * verdicts).fill('Hi'));
  const cases = [{ ...failing(0), conversation: talked, verdicts: Array(verdicts).fill(verdict) }];
  return recordText({ id: 'aaaaaaaa', cases });
}

/** Two records whose cases alternate when sorted by time. */
function alternating(count: number): Input {
  const recordOf = (id: string, second: number) => {
    const finished = (index: number) => new Date(1e12 + 2 * index + second).toISOString();
    const cases = Array.from({ length: count }, (_, index) =>
      buildCaseLine({ id: `${id}${index}`, status: 'skipped', finished: finished(index) }),
    );
    return [`${id}.jsonl`, recordText({ id: id.repeat(8), cases })] as const;
  };
  const files = Object.fromEntries([recordOf('a', 0), recordOf('b', 1)]);
  return { suite: CHECKED, files, args: ['merge', ...Object.keys(files), '--no-save'] };
}

const INPUTS: Readonly<Record<string, Input>> = {
  'a pattern with 90 stars': dataSet(`${'a'.repeat(200)}.jsonl`, GOOD, `${'*a'.repeat(90)}*b`),
  'a pattern with nested repetitions': dataSet(`${'a'.repeat(200)}.jsonl`, GOOD, '+(a|aa)+(a|aa)b'),
  'a --dotenv file of 100 MB': dotenv('#'.repeat(100 * MB)),
  'a --dotenv file of 90,000 variables': dotenv(numbered(90_000, (index) => `K${index}_KEY=x`)),
  'a --dotenv file of 40,000 addresses': dotenv(numbered(40_000, (index) => `U${index}=http://a`)),
  'a --dotenv file of 990 long keys': dotenv(
    numbered(990, (index) => `K${index}_KEY=${noise(index).repeat(6)}`),
  ),
  'a recording of 10,000 equal lines': {
    suite: CHECKED,
    files: { 'recording.jsonl': numbered(10_000, () => EXCHANGE) },
    args: ['run', '--replay', 'recording.jsonl'],
  },
  '130,000 labels': {
    suite: CHECKED,
    files: { 'suite.labels/me.jsonl': numbered(130_000, () => LABEL) },
    args: ['agreement'],
  },
  '5,000 empty records': {
    suite: CHECKED,
    files: Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [
        `.turnlight/runs/2026-01-01T00-00-00-000Z-${String(index).padStart(8, '0')}.jsonl`,
        '',
      ]),
    ),
    args: ['run', '--resume'],
  },
  'merge on a record of 27 million values': recorded(dense, 'merge', RECORD, '--no-save'),
  'merge on a failure at 60,000 turns': recorded(
    () => failures(1, 60_000),
    ...['merge', RECORD, '--no-save'],
  ),
  'merge on 8,000 failures in one case': recorded(
    () => failures(8_000, 1),
    ...['merge', RECORD, '--no-save', '--reporter', 'junit=out.xml'],
  ),
  'merge on two records of 10,000 alternating cases': alternating(10_000),
  'merge on a record with a path of a million parts': recorded(
    (text) => text.replace('"files":[', `"files":[{"path":"${'a/'.repeat(MB)}","hash":""},`),
    ...['merge', RECORD, '--no-save'],
  ),
  'a path of 20,000 parts': {
    suite: `cases:\n  - {id: a, transcript: ${'a/'.repeat(20_000)}b.json, assert: [${CONTAINS}]}\n`,
    args: ['check'],
  },
  'judge on a record of 27 million values': recorded(dense, 'judge', '--no-save'),
  'resume on a record of 27 million values': recorded(dense, 'run', '--resume'),
  'merge on a record of 60 MB of empty lines': recorded(blank, 'merge', RECORD, '--no-save'),
  'resume on a record of 60 MB of empty lines': recorded(blank, 'run', '--resume'),
  '60 MB of empty lines as labels': {
    suite: CHECKED,
    files: { 'suite.labels/me.jsonl': '\n'.repeat(60 * MB) },
    args: ['agreement'],
  },
  'import of 20 MB of commas as CSV': importing('x.csv', ','.repeat(20 * MB - 1)),
  'import of a line of 20 MB': importing('x.jsonl', longTalk(20 * MB - 200)),
  'import of 790,000 columns': importing('x.csv', csv(395_000, 1)),
  'import of 5 MB of [': importing('x.json', '['.repeat(5 * MB)),
  'import of 9 MB of mappings': importing('x.json', `[${'{},'.repeat(3 * MB)}{}]`),
  'import of a trace of 2,000 requests': importing('x.json', siblings(2_000)),
  'import of a trace of 40,000 requests': importing('x.json', siblings(40_000)),
  'import of 790,000 mappings': importing('x.json', `[${'{},'.repeat(790_000)}{}]`),

  'import of a list with only a 30-millionth call': importing('x.json', streamed(30_000_000)),
  'import of a span whose id has a key `toString`': importing(
    'x.json',
    traced({ spanId: { toString: 1 }, attributes: [] }),
  ),
  'import of an attribute of 20,000 steps': importing(
    'x.json',
    traced({
      traceId: 't',
      spanId: '1',
      attributes: [
        { key: `llm.input_messages.${'a.'.repeat(20_000)}b`, value: { stringValue: 'x' } },
      ],
    }),
  ),
  'import of 1,000,000 broken lines': importing('x.jsonl', 'x\n'.repeat(1_000_000)),
  'import of 300,000 broken rows': importing('x.csv', `a,b\n${'1\n'.repeat(300_000)}`),
  'import of 20,000 calls with one id': importing(
    'x.json',
    called(
      Array(20_000).fill({ id: 'x', type: 'function', function: { name: 'f', arguments: '{}' } }),
    ),
  ),
  'import of an argument with a name of 1,100 characters': importing(
    'x.json',
    called([
      { id: '1', function: { name: 'f', arguments: JSON.stringify({ ['k'.repeat(1_100)]: 1 }) } },
    ]),
  ),
  'a line whose part has a type with a key `toString`': dataSet(
    'data.jsonl',
    `${JSON.stringify([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: { toString: 1 } }] },
    ])}\n${GOOD}`,
  ),
  'a recording of 20 lines with 480,000 values each': {
    suite: CHECKED,
    files: {
      'recording.jsonl': numbered(20, () => `{"reply":[${'{},'.repeat(480_000)}{}]}`),
    },
    args: ['run', '--replay', 'recording.jsonl'],
  },

  'a matrix of 220,000 columns': {
    suite: CHECKED.replace('transcript:', 'matrix: wide.csv, transcript:'),
    files: { 'wide.csv': csv(220_000, 1) },
    args: ['check'],
  },

  'a line of 200 MB': dataSet('data.jsonl', `${GOOD}["${'x'.repeat(200 * MB)}"]\n${GOOD}`),
  'a line of 20 MB of [': dataSet('data.jsonl', `${GOOD}${'['.repeat(20 * MB)}\n${GOOD}`),
  '20 MB of empty lines': dataSet('data.jsonl', `${'\n'.repeat(20 * MB)}${GOOD}`),
  'a line of many values': dataSet('data.jsonl', `[${'{},'.repeat((20 * MB) / 3)}{}]\n${GOOD}`),
  'a CSV of 20,000 columns': dataSet('data.csv', csv(20_000, 20)),
  '10,000,000 repetitions of variants': {
    suite: JSON.stringify({
      cases: [
        {
          id: 'a',
          repeat: 1_000,
          matrix: { a: [...Array(100).keys()], b: [...Array(100).keys()] },
          transcript: [{ user: 'Hi' }, { assistant: 'Hello' }],
          assert: [{ type: 'contains', value: 'Hello' }],
        },
      ],
    }),
  },
  'a turn of 135 GB': filledIn({ turns: ['{{a}}'.repeat(150_000)], context: { a: LONG } }),
  '2,000 turns of 1 MB': filledIn({ turns: Array(2_000).fill('{{a}}'), context: { a: LONG } }),
  'a judge prompt of 20 GB': {
    ...filledIn({ expectations: LONG, assert: [{ type: 'llm-judge', prompt: 'p.md' }] }),
    files: { 'p.md': '{{expectations}}'.repeat(20_000) },
    args: ['plan'],
  },
  'language on replies of 1 MB': longReply('{type: language, language: en}'),
  'no-repeat on replies of 1 MB': longReply('{type: no-repeat}'),
  'an http answer of 15 MB': answered(HTTP, LISTED),
  'a stream of 15 MB in one event': answered(HTTP, `data: ${LISTED}\n\n`, 'text/event-stream'),
  'a stream of 15 MB of events': answered(
    HTTP,
    'data: {}\n\n'.repeat((15 * MB) / 10),
    'text/event-stream',
  ),
  'an agent card of 15 MB': answered('{type: a2a, url: URL}', LISTED),
  "a model's answer of 15 MB": answered(
    '{type: chat, model: {provider: openai, model: x, base_url: URL}}',
    LISTED,
  ),
  "a judge's answer of 15 MB": {
    suite: JUDGED,
    answer: { type: 'application/json', body: LISTED },
  },
};

function csv(columns: number, rows: number): string {
  const names = Array.from({ length: columns }, (_, index) => `c${index}`);
  const row = names.map(() => 'x').join(',');
  return `${names.join(',')}\n${`${row}\n`.repeat(rows)}`;
}

/** Runs commands on input that is far too large. They must end quickly, use little memory, and report the problem. */
export const inputs: Attack = {
  name: 'inputs',
  tries: Object.keys(INPUTS).length,
  async run(found, scene) {
    for (const [name, input] of Object.entries(INPUTS)) {
      let fault = await faultOf(input, scene);
      // A busy machine makes single tries slow, and a hang all of them.
      for (let tries = 1; fault !== undefined && tries < TRIES; tries += 1) {
        fault = await faultOf(input, scene);
      }
      if (fault !== undefined) found(`${name}: ${fault}`);
    }
  },
};

/** Why a command didn't end as it should; undefined if it did. */
async function faultOf(input: Input, scene: Scene): Promise<string | undefined> {
  const unit = await timeOfUnit();
  const took = await runOn(input, scene).catch((error: Error) => error);
  if (took instanceof Error) return took.message;
  const { cpu = 0, wall, memory = 0 } = took;
  if (cpu > MAX_CPU * unit || wall > MAX_WALL) {
    return `${Math.round(cpu / unit)} units of work (${Math.round(cpu)} ms), done after ${Math.round(wall)} ms`;
  }
  return memory > MAX_MEMORY ? `${Math.round(memory / MB)} MB` : undefined;
}

async function runOn(
  { suite, files = {}, args = ['run'], answer }: Input,
  scene: Scene,
): Promise<Took> {
  const folder = await mkdtemp(join(tmpdir(), 'turnlight-inputs-'));
  const server = answer && (await serving(answer));
  scene.after(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, '.git'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  await writeFile(join(folder, 'suite.eval.yaml'), suite.replace('URL', server?.url ?? ''));
  const env = { OPENAI_API_KEY: 'k', XDG_CONFIG_HOME: folder };
  try {
    return await timed({ ...node([TURNLIGHT, ...args], folder), env, ends: ENDS });
  } finally {
    server?.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function serving({ type, body }: NonNullable<Input['answer']>) {
  const server: Server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': type }).end(body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('The server has no port.');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${address.port}`, close };
}
