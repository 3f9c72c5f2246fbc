import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CaseLine } from '../../src/core/record/runRecord.ts';
import type { ChatBody } from '../../test/support/modelServer/chatBody.ts';
import * as faulty from '../../test/support/modelServer/faults.ts';
import { startModelServer } from '../../test/support/modelServer/server.ts';
import type { Step } from '../../test/support/modelServer/steps.ts';
import { runFiles, workspaceWith } from '../../test/support/runs.ts';
import { judgeAnswer } from '../judge-cost/judgeAnswer.ts';
import { type Attack, oneOf, type Random, type Scene, seeded } from './attack.ts';

const RUNS = 200;

/** Number of concurrent runs. Most of their time is spent waiting to retry. */
const SIDE_BY_SIDE = 40;

/** Timeout of a model, in milliseconds. A hanging endpoint uses all of it. */
const TIMEOUT = 1_500;

/** Timeout where nothing hangs, in milliseconds. It is long, since the machine can be busy. */
const PATIENCE = 60_000;

/**
 * One in this many runs writes a record, a recording, and a cache, and is then repeated with that cache. Writing to
 * disk takes longer than everything else.
 */
const WRITES = 8;

/** In one in this many runs, the endpoint disappears for good. */
const AWAY = 8;

type Script = (body: ChatBody, index: number) => Step;

const STATUSES = ['pass', 'fail', 'error', 'skipped'];

/** The judge fails any criterion that contains this word. */
const WRONG = 'wrongly';

/** Secrets that must not appear in any output: an API key, and a variable's value in a header. */
const KEY = 'sk-attack-7f3a9c51d2e84b60';
const TOKEN = 'team-token-0b6d1e93a7c5';

function suite(baseUrl: string, timeout: number): string {
  const model = (name: string) =>
    `{provider: openai, model: ${name}, base_url: "${baseUrl}", timeout: ${timeout}, headers: {x-team: "\${env:TEAM_TOKEN}"}}`;
  const talk = (reply: string) =>
    `[{user: Where is order 7?}, {assistant: ${reply}}, {user: Thanks}, {assistant: Bye}]`;
  return `models:
  judge: ${model('judge')}
  agent: ${model('agent')}
target: {type: chat, model: agent}
judge: judge
cases:
  - {id: right, transcript: ${talk('It was shipped.')}, assert: [It tells., {type: turn-relevancy}, {type: contains, value: shipped}]}
  - {id: wrong, transcript: ${talk('No idea.')}, assert: [It answers ${WRONG}., {type: task-completion}]}
  - {id: both, transcript: ${talk('Soon.')}, assert: [It tells., It tells ${WRONG}., {type: contains, value: shipped}]}
  - {id: grouped, transcript: ${talk('Soon.')}, assert: [{type: any-of, assert: [It tells ${WRONG}., {type: llm-judge, prompt: ./tone.md}]}]}
  - {id: asked, turns: [Where is order 7?, Thanks], assert: [It tells., {type: contains, value: shipped}]}
  - {id: sampled, transcript: ${talk('Soon.')}, assert: [{type: criterion, criterion: It tells., samples: 3}]}
`;
}

const TONE = '---\nscale: [0, 1]\nthreshold: 0.5\n---\nIs the tone kind?\n\n{{conversation}}\n';

/** The correct answer to a request. It doesn't depend on earlier requests. */
function soundAnswer(body: ChatBody): string {
  if (body.model === 'agent') return 'It was shipped.';
  const answer = judgeAnswer(body);
  const asked = JSON.stringify(body.messages);
  return asked.includes(WRONG)
    ? answer.replaceAll('"verdict":"pass"', '"verdict":"fail"').replaceAll('"met"', '"not-met"')
    : answer;
}

/** Faults that can affect any request. */
const TRANSPORT: readonly (() => Step)[] = [
  () => faulty.rateLimited(),
  () => faulty.rateLimited(0.3),
  faulty.refused,
  () => faulty.serverError(),
  () => faulty.serverError(503),
  () => faulty.unauthorized(KEY),
  () => faulty.httpError(400, `Bad header x-team: ${TOKEN}.`),
  () => faulty.body(500, `<pre>Bearer ${KEY}</pre>`, 'text/html', { 'retry-after-ms': '1' }),
  () => faulty.notFound(),
  () => faulty.contextTooLong(),
  faulty.connectionReset,
  faulty.cutConnection,
  faulty.hang,
  faulty.stall,
  faulty.endlessTrickle,
  faulty.invalidJson,
  faulty.plainText,
  () => faulty.htmlPage(),
  () => faulty.htmlPage(200),
  faulty.missingChoices,
  faulty.emptyContent,
  faulty.contentFilter,
  () => faulty.cutOff(),
  () => faulty.redirect(`http://127.0.0.1:9/v1/chat/completions?key=${KEY}`),
  () => faulty.body(200, '['.repeat(10_000), 'application/json'),
  () => faulty.body(200, '{"error":{"message":"No credit."}}', 'application/json'),
];

/** Faults that also end all later requests, so they are rare. */
const LASTING: readonly (() => Step)[] = [() => faulty.rateLimited(86_400)];

/** Faults that can affect any answer in transit. */
const ON_THE_WAY: readonly ((answer: string) => Step)[] = [
  (answer) => faulty.resetAfter(answer),
  (answer) => faulty.slowBytes(answer),
  (answer) => faulty.truncatedJson(answer),
  (answer) => faulty.doubledJson(answer),
  (answer) => faulty.wrongType(answer),
  (answer) => faulty.wrongType(answer, 'text/event-stream'),
  (answer) => faulty.paddedJson(answer),
];

/** Faults that make a judge's answer ambiguous. */
const SPOILT: readonly ((answer: string) => Step)[] = [
  (answer) => faulty.cutOff(answer),
  (answer) => ({ text: answer, finish: 'error' }),
  (answer) => ({ text: answer, finish: 'content_filter' }),
  (answer) => ({ text: answer, refusal: 'I must not.' }),
  (answer) => `${answer}\n${opposite(answer)}`,
  (answer) => `${opposite(answer)} or rather ${answer}`,
  (answer) => answer.replace(/"verdict":"\w+"/, '"verdict":"pass","verdict":"fail"'),
  (answer) => answer.slice(0, -3),
  (answer) => answer.replaceAll(/"turn":\d+/g, '"turn":99'),
  (answer) => answer.replaceAll(/"verdict":"\w+"/g, '"verdict":"perhaps"'),
  (answer) => answer.replaceAll(/"score":[\d.]+/g, '"score":1e999'),
  (answer) => `[${answer}]`,
  (answer) => answer.replaceAll('"turns"', '"Turns"'),
  () => '{'.repeat(4_000),
  () => `{"turns":[${'{},'.repeat(1_000)}{}]}`,
  () => 'All is well: pass, 1.0, met!',
];

/** Changes that endpoints make to an answer without making it ambiguous. */
const CLOTHED: readonly ((answer: string) => Step)[] = [
  (answer) => `\`\`\`json\n${answer}\n\`\`\``,
  (answer) => `<think>{"verdict":"fail"} perhaps {not}</think>${answer}`,
  (answer) => `Here you are: ${answer}`,
  (answer) => ({ text: answer, finish: 'invented' }),
  (answer) => ({ text: answer, usage: null }),
];

function opposite(answer: string): string {
  return answer
    .replaceAll('"pass"', '"PASS"')
    .replaceAll('"fail"', '"pass"')
    .replaceAll('"PASS"', '"fail"');
}

function faulted(body: ChatBody, sound: string, often: number, random: Random): Step {
  const own = body.model === 'agent' ? [leaking] : [...SPOILT, ...CLOTHED];
  const lasting = often > 8 ? LASTING : [];
  const fault = oneOf([...TRANSPORT, ...lasting, ...ON_THE_WAY, ...own], random);
  return fault(sound);
}

/** Simulates an agent that was talked into revealing its credentials. */
function leaking(answer: string): Step {
  return `${answer} I was called with ${KEY} and ${TOKEN}.`;
}

export const faults: Attack = {
  name: 'faults',
  tries: RUNS,
  async run(found, scene) {
    const { lines: sound } = await judged(scene, soundAnswer);
    const outcomes = new Set(sound.map(({ status }) => status));
    if (outcomes.size !== 2) found(`without faults the cases ${[...outcomes].join(', ')} alone`);
    const seeds = Array.from({ length: RUNS }, () => scene.random(2 ** 31));
    let next = 0;
    const work = async () => {
      for (let run = next++; run < RUNS; run = next++) {
        const random = seeded(seeds[run] ?? 0);
        // From one fault in ten requests to nothing but faults.
        const often = 1 + random(10);
        const away = random(AWAY) === 0 ? random(20) : Number.POSITIVE_INFINITY;
        const script: Script = (body, index) => {
          const answer = soundAnswer(body);
          if (index >= away) return faulty.connectionReset();
          return random(10) < often ? faulted(body, answer, often, random) : answer;
        };
        const { lines, again, written } = await judged(scene, script, run % WRITES === 0);
        for (const wrong of turned(lines, sound)) found(`run ${run}: ${wrong}`);
        for (const { id, status } of again) {
          const before = sound.find((line) => line.id === id)?.status;
          if (status !== before) found(`run ${run}: ${id} is ${status} once all is well`);
        }
        for (const [where, text] of Object.entries(written)) {
          if (text.includes(KEY) || text.includes(TOKEN)) found(`run ${run}: a secret in ${where}`);
        }
      }
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  },
};

interface Judged {
  readonly lines: readonly CaseLine[];
  /** The results of a second run without faults, using the cache of the first one. */
  readonly again: readonly CaseLine[];
  /** All logs and files, by description. */
  readonly written: Readonly<Record<string, string>>;
}

async function judged(scene: Scene, script: Script, writes = false): Promise<Judged> {
  let now = script;
  const server = await startModelServer((body, index) => now(body, index));
  const logged: string[] = [];
  const tell = (message: string) => void logged.push(message);
  const workspace = await workspaceWith(scene, {});
  const recording = join(workspace, 'recording.jsonl');
  const folder = await workspaceWith(scene, {});
  const run = (timeout: number, record: object) =>
    runFiles(
      scene,
      { 'suite.eval.yaml': suite(server.baseUrl, timeout), 'tone.md': TONE },
      {
        workspace,
        timeout: PATIENCE,
        keepRecord: writes,
        ...record,
        secret: async () => KEY,
        env: (name) => (name === 'TEAM_TOKEN' ? TOKEN : undefined),
        log: { debug: tell, info: tell, warn: tell, error: tell },
      },
    );
  const cache = { folder, fresh: false };
  try {
    const { lines, events, record } = await run(
      TIMEOUT,
      writes ? { record: recording, cache } : {},
    );
    now = soundAnswer;
    return {
      lines,
      again: writes ? (await run(PATIENCE, { cache })).lines : [],
      written: {
        'the log': logged.join('\n'),
        // A `case-started` event contains the model's configuration, including its headers.
        'what is shown': JSON.stringify(events.filter(({ kind }) => kind !== 'case-started')),
        'the record': record === undefined ? '' : await readFile(record, 'utf8'),
        'the recording': writes ? await readFile(recording, 'utf8') : '',
        'the answers': writes ? await textsIn(folder) : '',
      },
    };
  } finally {
    await server.close();
    for (const one of [workspace, folder]) {
      await rm(one, { recursive: true, force: true, maxRetries: 5 });
    }
  }
}

async function textsIn(folder: string): Promise<string> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((one) => one.isFile());
  const texts = await Promise.all(
    files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')),
  );
  return texts.join('\n');
}

/** Describes verdicts that a fault changed. */
function turned(lines: readonly CaseLine[], sound: readonly CaseLine[]): string[] {
  return sound.flatMap((before) => {
    const ends = lines.filter(({ id }) => id === before.id);
    const [line] = ends;
    if (!line || ends.length > 1) return [`${before.id} ended ${ends.length} times`];
    if (!STATUSES.includes(line.status)) return [`${before.id} is "${line.status}"`];
    if (line.status === 'error') return differences(line, before);
    return line.status === before.status
      ? differences(line, before)
      : [`${before.id} is ${line.status} instead of ${before.status}`];
  });
}

function differences(line: CaseLine, before: CaseLine): string[] {
  return line.verdicts.flatMap(({ assertion: { name }, status, score }, index) => {
    const sound = before.verdicts[index];
    // If the conversation ended early, nothing was judged.
    if (status === 'error' || status === 'skipped') return [];
    if (status === sound?.status && score === sound.score) return [];
    return [`${line.id}, ${name}: ${status} ${score} instead of ${sound?.status} ${sound?.score}`];
  });
}
