import { setImmediate } from 'node:timers/promises';
import { NO_USAGE } from '../../src/core/verdict.ts';
import { readAnswer } from '../../src/judge/answer.ts';
import type { ModelReply } from '../../src/models/model.ts';
import { questionsOfAllTypes } from '../../test/support/questions.ts';
import { botSuite, runFiles } from '../../test/support/runs.ts';
import type { Attack, Scene } from './attack.ts';

/** Just below the maximum number of characters read from an answer. */
const FULL = 490_000;

function filled(piece: string, size = FULL): string {
  return piece.repeat(Math.floor(size / piece.length));
}

function nested(open: string, inner: string, close: string, depth: number): string {
  return open.repeat(depth) + inner + close.repeat(depth);
}

/** Malicious judge answers, by description. */
const ANSWERS: Readonly<Record<string, string>> = {
  braces: filled('{'),
  'objects in a row': filled('{}'),
  'an object within objects': nested('{"turns":', '1', '}', 40_000),
  'lists within lists': `{"turns":${nested('[', '', ']', 200_000)}}`,
  'entries without fields': `{"turns":[${filled('{},')}{}],"rationale":""}`,
  'entries that are null': `{"turns":[${filled('null,')}null],"rationale":""}`,
  'one turn again and again': `{"turns":[${filled(
    '{"turn":2,"applicable":true,"rationale":"","evidence":"","verdict":"pass"},',
  )}{}],"rationale":""}`,
  'a quote without end': `{"turns":[{"turn":2,"applicable":true,"verdict":"pass","rationale":"","evidence":"${filled('was ', 400_000)}"}],"rationale":""}`,
  'a key without end': `{"${filled('k')}":1}`,
  'keys without end': `{${Array.from({ length: 40_000 }, (_, index) => `"k${index}":1`).join()}}`,
  'escapes without end': `{"rationale":"${filled('\\u0000')}"}`,
  'backslashes without end': `{"rationale":"${filled('\\\\')}`,
  'thoughts without end': filled('<think>'),
  'spaces without end': `${filled(' ')}x`,
  'numbers without end': `{"score":${filled('9')}}`,
  'more than is read': `{"a":"${filled('x', 15_000_000)}"}`,
};

/** Malicious agent replies, by description. */
const REPLIES: Readonly<Record<string, string>> = {
  'brackets within brackets': nested('[', '1', ']', 60),
  'brackets without end': nested('[', '', ']', 450_000),
  braces: filled('{', 900_000),
  'a list without end': `[${filled('[1],', 900_000)}1]`,
  'a word without end': filled('a', 900_000),
  'words without end': filled('ab ', 900_000),
  'lines without end': filled('a\n', 900_000),
  'sentences without end': filled('I am here. ', 900_000),
  'accents without end': filled('e\u0301', 900_000),
  'emoji without end': filled('👩‍👩‍👧', 900_000),
  'controls without end': filled('\u001b[2J\u202e', 900_000),
  'more than is read': filled('x', 15_000_000),
};

const TREE = '{type: array, items: {$ref: "#/$defs/n"}}';

/** All assertions that check a reply without sending a request. */
const CHECKS = `[
    {type: contains, value: xyz}, {type: contains-all, values: [xyz, zyx]}, {type: contains-any, values: [xyz, zyx]},
    {type: starts-with, value: xyz}, {type: ends-with, value: xyz}, {type: equals, value: xyz},
    {type: regex, pattern: "(a|b)*(.*x)+$"}, {type: is-json}, {type: is-json, fenced: true, name: fenced},
    {type: json-schema, schema: {$ref: "#/$defs/n", $defs: {n: {anyOf: [${TREE}, ${TREE}]}}}},
    {type: json-schema, name: unique, schema: {uniqueItems: true}},
    {type: language, language: de}, {type: no-repeat}]`;

const questions = questionsOfAllTypes();

/** Tries answers and replies that are designed to be hard to parse. */
export const answers: Attack = {
  name: 'answers',
  tries: questions.length * Object.keys(ANSWERS).length + Object.keys(REPLIES).length,
  async run(found, scene) {
    for (const [name, text] of Object.entries(ANSWERS)) {
      const reply: ModelReply = { text, toolCalls: [], finish: 'stop', usage: NO_USAGE };
      for (const { type, question } of questions) {
        const read = readAnswer(reply, question);
        if (!('bad' in read)) found(`${type} takes ${name} for an answer`);
        await setImmediate();
      }
    }
    for (const [name, text] of Object.entries(REPLIES)) {
      const statuses = await replied(scene, text);
      if (statuses.length !== 1) found(`a reply of ${name}: ${statuses.join()}`);
    }
  },
};

async function replied(scene: Scene, text: string): Promise<string[]> {
  const cases = `  - {id: a, turns: [Hi], assert: ${CHECKS}}\n`;
  const { lines } = await runFiles(scene, {
    'reply.json': JSON.stringify(text),
    'bot.mjs': `import { readFileSync } from 'node:fs';
const text = JSON.parse(readFileSync('reply.json', 'utf8'));
export default () => text;
`,
    'suite.eval.yaml': botSuite(cases),
  });
  return lines.map(({ status }) => status);
}
