import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { deflateRawSync } from 'node:zlib';
import { docsFiles } from '../../scripts/docs/pages.ts';
import { siteFiles } from '../../scripts/docs/site.ts';
import { TEST_PORT } from '../support/host/channel.ts';
import { VSIX } from '../support/host/extensions.ts';
import { CHECKOUT } from '../support/host/install.ts';

const MEGABYTE = 1024 * 1024;

/** Maximum size in bytes of the code that is loaded at activation. */
const ACTIVATION_BUDGET = 80 * 1024;

interface Output {
  readonly bytes: number;
  readonly imports: readonly {
    readonly path: string;
    readonly kind: string;
    readonly external?: boolean;
  }[];
}

const QUEUE = '!dist/queue.js';

const run = promisify(execFile);

/** The files of the extension. Listed only once, because that takes as long as all other tests of the packages. */
const vsixFiles = listVsix();

async function listVsix(): Promise<string[]> {
  const vsce = join(CHECKOUT, 'node_modules/.bin/vsce');
  const { stdout } = await run(vsce, ['ls', '--no-dependencies'], { cwd: CHECKOUT });
  return stdout.trim().split('\n');
}

describe('the packaged extension', () => {
  // The tokenizer's table is 0.8 MB of this and the language detector 0.3 MB. Both are loaded on demand.
  it('is under 2.7 MB', async () => {
    const { size } = await stat(VSIX);
    assert.ok(size < 2.7 * MEGABYTE, `${size} bytes`);
  });

  it('lists only what it needs', async () => {
    const allowed =
      /^(package\.json|[A-Z]+\.md|LICENSE|(?:bench|examples)\/README\.md|docs\/[\w/-]+\.md|dist\/(?:agents|chunk-[A-Z0-9]+|cli|extension|module-host|program-supervisor|server|webview)\.js|dist\/webview\.css|dist\/ThirdPartyNotices\.txt|dist\/sbom\.cdx\.json|examples\/(?:azure|composition|deepeval|mlflow)\/\w+\.eval\.yaml|examples\/shopfast\/(?:agent\.mjs|shopfast\.eval\.yaml|recordings\/judge\.jsonl)|media\/(?:\w+\.webp|turnlight\.svg)|python\/turnlight\.py|types\/(?:agents|index)\.d\.ts|schemas\/(?:eval|messages)\.schema\.json|(?:snippets|syntaxes)\/[\w.-]+\.json)$/;
    const files = await vsixFiles;
    assert.deepEqual(
      files.filter((file) => !allowed.test(file)),
      [],
    );
    for (const needed of [
      'agents',
      'extension',
      'server',
      'module-host',
      'program-supervisor',
      'webview',
    ]) {
      assert.ok(files.includes(`dist/${needed}.js`), needed);
    }
    assert.ok(files.includes('types/index.d.ts'));
    assert.ok(files.includes('dist/ThirdPartyNotices.txt'));
    assert.ok(files.includes('dist/sbom.cdx.json'));
  });

  it("holds nothing of the tests' companion", async () => {
    const dist = join(CHECKOUT, 'dist');
    const names = (await readdir(dist)).filter((name) => name.endsWith('.js'));
    const texts = await Promise.all(names.map((name) => readFile(join(dist, name), 'utf8')));
    assert.equal(texts.filter((text) => text.includes(TEST_PORT)).length, 0);
  });

  it('carries the licence of each package that it holds code of', async () => {
    const notices = await readFile(join(CHECKOUT, 'dist/ThirdPartyNotices.txt'), 'utf8');
    const sections = notices.split(/\n-{80}\n/).slice(1);
    for (const section of sections) assert.ok(section.length > 300, section);
    const [eld] = sections.filter((section) => section.trim().startsWith('eld '));
    assert.match(eld ?? '', /\(Apache-2\.0\)[\s\S]+Apache License/);
    const has = (name: string) => sections.some((section) => section.trim().startsWith(`${name} `));
    const named = ['zod', 'yaml', 'openai', 'gpt-tokenizer', 'ajv', '@microsoft/fast-element'];
    assert.deepEqual(named.filter(has), named);
  });

  it('ships what it builds to npm as well, where the queue of the command line is beside it', async () => {
    const built = async (list: string) =>
      (await readFile(join(CHECKOUT, list), 'utf8'))
        .split('\n')
        .filter((line) => line.startsWith('!dist/'));
    const npm = await built('.npmignore');
    assert.ok(npm.includes(QUEUE));
    assert.deepEqual(
      npm.filter((line) => line !== QUEUE),
      await built('.vscodeignore'),
    );
  });

  it('loads less than 80 KB to activate, and neither zod, yaml, openai nor the language client', async () => {
    const meta = JSON.parse(await readFile(join(CHECKOUT, 'dist/meta.json'), 'utf8'));
    const outputs: Readonly<Record<string, Output & { inputs: Record<string, unknown> }>> =
      meta.node.outputs;
    const loaded = staticallyLoaded('dist/extension.js', outputs);
    const bytes = loaded.reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0);
    assert.ok(bytes < ACTIVATION_BUDGET, `${bytes} bytes`);
    const inputs = loaded.flatMap((path) => Object.keys(outputs[path]?.inputs ?? {}));
    assert.deepEqual(
      inputs.filter((path) => path.includes('node_modules/')),
      [],
    );
  });
});

function staticallyLoaded(entry: string, outputs: Readonly<Record<string, Output>>): string[] {
  const seen = new Set<string>();
  const visit = (path: string) => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const { path: inner, kind, external } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement' && !external) visit(inner);
    }
  };
  visit(entry);
  return [...seen];
}

/** The README and all pages of the documentation, and everything in the repository that they link to. */
const NEEDED = [...docsFiles().keys(), ...siteFiles().keys()].filter(
  (path) => !/\.html$|^style\.css$/.test(path),
);

/** The editor's preview shows no pictures of pages in other folders. */
const NOT_IN: Readonly<Record<string, readonly string[]>> = { vsix: ['media/results.webp'] };

const PACKAGES: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  vsix: () => vsixFiles,
  async npm() {
    const args = ['pack', '--dry-run', '--ignore-scripts', '--json'];
    const { stdout } = await run('npm', args, { cwd: CHECKOUT });
    const [packed]: readonly { readonly files: readonly { readonly path: string }[] }[] =
      Object.values(JSON.parse(stdout));
    return packed?.files.map(({ path }) => path) ?? [];
  },
};

describe('the documentation in the packages', () => {
  for (const [name, list] of Object.entries(PACKAGES)) {
    it(`is complete, and its links lead to files in the package: ${name}`, async () => {
      const files = await list();
      assert.ok(NEEDED.length > 100 && NEEDED.includes('README.md'));
      assert.deepEqual(
        NEEDED.filter((path) => !files.includes(path)),
        NOT_IN[name] ?? [],
      );
    });
  }

  it('takes less than 200 kB, compressed', () => {
    const pages = [...docsFiles().keys()].filter((path) => path.startsWith('docs/'));
    const sizes = pages.map((path) => deflateRawSync(readFileSync(join(CHECKOUT, path))).length);
    const size = sizes.reduce((sum, one) => sum + one, 0);
    assert.ok(size < 200_000, `${size} bytes`);
  });
});
