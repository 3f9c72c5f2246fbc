import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { globSync } from 'tinyglobby';
import * as z from 'zod';
import manifest from '../../../package.json' with { type: 'json' };
import { docsFiles, ROOT } from '../../../scripts/docs/pages.ts';
import { recordLineSchema } from '../../../src/core/record/runRecord.ts';
import { frontMatterSchema } from '../../../src/evalfile/prompt.ts';
import { evalJsonSchema, messagesJsonSchema } from '../../../src/evalfile/schema.ts';
import { modelProviders } from '../../../src/models/registry.ts';
import {
  DEFAULT_CONCURRENCY,
  DEFAULT_TIMEOUT,
  DEFAULT_TRACES_PORT,
} from '../../../src/runner/runOptions.ts';
import { targetTypes } from '../../../src/targets/registry.ts';
import { turnlight } from '../../support/commandLine.ts';
import { keysOf } from '../../support/schemaKeys.ts';

const pages = docsFiles();

/** Keys that have a row on the pages or are listed as ignored. For `a[].b`, this is `b`. */
function keysOn(paths: readonly string[]): Set<string> {
  const texts = paths.map((path) => pages.get(path) ?? assert.fail(`There is no ${path}.`));
  const lines = texts.flatMap((text) => text.split('\n'));
  const rows = lines.flatMap((line) => /^\| `([^`]+)` \|/.exec(line)?.[1] ?? []);
  const ignored = lines.filter((line) => line.startsWith('Known and ignored: '));
  const named = ignored.flatMap((line) => [...line.matchAll(/`([^`]+)`/g)].map(([, key]) => key));
  return new Set([...rows, ...named].map((key = '') => key.split('.').at(-1) ?? ''));
}

const schemaOf = (schema: z.ZodType) => z.toJSONSchema(schema, { unrepresentable: 'any' });
const inReference = (name: string) => `docs/reference/${name}.md`;

describe('the reference', () => {
  const all = [...pages.keys()].filter((path) => /^docs\/(?:reference|assertions)\//.test(path));
  const places: readonly [string, object, readonly string[]][] = [
    ['eval file', evalJsonSchema(), all],
    ['messages', messagesJsonSchema(), [inReference('messages')]],
    ['judge prompt', schemaOf(frontMatterSchema), [inReference('prompts')]],
    ['record', schemaOf(recordLineSchema), [inReference('records'), inReference('eval-file')]],
    ...modelProviders.map(({ provider, schema }): [string, object, string[]] => [
      `model of ${provider}`,
      schemaOf(schema),
      [inReference('models')],
    ]),
    ...targetTypes.map(({ type, schema }): [string, object, string[]] => [
      `target of type ${type}`,
      schemaOf(schema),
      [inReference('targets'), inReference('eval-file')],
    ]),
  ];
  for (const [what, schema, where] of places) {
    it(`has a place for every key of the ${what}`, () => {
      const keys = new Set(keysOf(schema));
      assert.ok(keys.size > 3);
      const shown = keysOn(where);
      assert.deepEqual(
        [...keys].filter((key) => !shown.has(key)),
        [],
      );
    });
  }

  it('has a place for every command and option', async () => {
    const page = pages.get(inReference('command-line')) ?? '';
    const commandsOf = async (...above: string[]): Promise<string[][]> => {
      const { out } = await turnlight('.', [...above, '--help']);
      const [, listed = ''] = out.split('Commands:\n');
      const names = [...listed.matchAll(/^ {2}(\w+) /gm)].map(([, name = '']) => name);
      const own = names.filter((name) => name !== 'help');
      const inner = await Promise.all(own.map((name) => commandsOf(...above, name)));
      return own.length === 0 ? [above] : inner.flat();
    };
    const commands = await commandsOf();
    assert.ok(commands.some((one) => one.join(' ') === 'mlflow push') && commands.length > 6);
    for (const command of commands) {
      const name = command.join(' ');
      assert.ok(page.includes(`## turnlight ${name}\n`), name);
      const { out: help } = await turnlight('.', [...command, '--help']);
      const options = [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, one = '']) => one);
      const missing = options.filter((one) => one !== '--help' && !page.includes(`| \`${one}`));
      assert.deepEqual(missing, [], name);
    }
  });

  it('has a place for every environment variable of ours', () => {
    const page = pages.get(inReference('command-line')) ?? '';
    const texts = globSync('src/**/*.ts', { cwd: ROOT }).map((path) =>
      readFileSync(join(ROOT, path), 'utf8'),
    );
    const named = texts.flatMap(
      (text) =>
        text.match(
          /(?<=')(?:TURNLIGHT|AZURE_OPENAI|OPENAI|OLLAMA|MLFLOW_TRACKING)_[A-Z_]+(?=')/g,
        ) ?? [],
    );
    assert.ok(named.includes('TURNLIGHT_JUDGE'));
    assert.deepEqual(
      [...new Set(named)].filter((name) => !page.includes(`\`${name}\``)),
      [],
    );
  });

  it('has the same defaults for settings as for the command line', () => {
    const settings = manifest.contributes.configuration.properties;
    assert.equal(settings['turnlight.concurrency'].default, DEFAULT_CONCURRENCY);
    assert.equal(settings['turnlight.timeout'].default, DEFAULT_TIMEOUT);
    assert.equal(settings['turnlight.traces.port'].default, DEFAULT_TRACES_PORT);
  });

  it('has a place for every setting', () => {
    const page = pages.get(inReference('settings')) ?? '';
    for (const key of Object.keys(manifest.contributes.configuration.properties)) {
      assert.ok(page.includes(`| \`${key}\` |`), key);
    }
  });
});
