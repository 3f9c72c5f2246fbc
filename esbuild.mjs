// Builds everything that ships: the extension, the language server, the command line and the
// module host share chunks (dist/*.js); the webview is a bundle of its own for the browser.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import * as esbuild from 'esbuild';

const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');

const common = {
  bundle: true,
  format: 'esm',
  logLevel: 'warning',
  metafile: true,
  minify: production,
  sourcemap: production ? false : 'linked',
  legalComments: 'none',
};

/** Node side. CommonJS packages inside an ES module bundle still need `require`. */
const node = {
  ...common,
  entryPoints: {
    extension: 'src/extension/extension.ts',
    server: 'src/server/main.ts',
    cli: 'src/cli/main.ts',
    'module-host': 'src/targets/moduleHost.ts',
  },
  outdir: 'dist',
  platform: 'node',
  target: 'node20',
  splitting: true,
  chunkNames: 'chunk-[hash]',
  external: ['vscode'],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);",
  },
};

const webview = {
  ...common,
  entryPoints: { webview: 'webview/main.ts' },
  outdir: 'dist',
  platform: 'browser',
  target: 'es2022',
  loader: { '.ttf': 'file' },
  assetNames: '[name]',
};

async function writeSchemas() {
  const { evalJsonSchema, messagesJsonSchema } = await import('./src/evalfile/jsonSchema.ts');
  await mkdir('schemas', { recursive: true });
  for (const [name, schema] of [
    ['eval', evalJsonSchema()],
    ['messages', messagesJsonSchema()],
  ]) {
    await writeFile(`schemas/${name}.schema.json`, `${JSON.stringify(schema, null, 2)}\n`);
  }
}

async function writeGrammars() {
  const { evalGrammar } = await import('./scripts/grammar/evalGrammar.ts');
  const { promptGrammar } = await import('./scripts/grammar/promptGrammar.ts');
  for (const [name, grammar] of [
    ['conversation-eval', evalGrammar()],
    ['prompt-variables', promptGrammar()],
  ]) {
    await writeFile(`syntaxes/${name}.tmLanguage.json`, `${JSON.stringify(grammar, null, 2)}\n`);
  }
}

/** The licences of the packages that the bundles hold. */
async function writeNotices(...metafiles) {
  const { thirdPartyNotices } = await import('./scripts/notices.ts');
  await writeFile('dist/ThirdPartyNotices.txt', await thirdPartyNotices('.', metafiles));
}

if (watch) {
  const contexts = await Promise.all([esbuild.context(node), esbuild.context(webview)]);
  await Promise.all(contexts.map((context) => context.watch()));
} else {
  await rm('dist', { recursive: true, force: true });
  const [nodeResult, webviewResult] = await Promise.all([
    esbuild.build(node),
    esbuild.build(webview),
  ]);
  await writeFile(
    'dist/meta.json',
    JSON.stringify({ node: nodeResult.metafile, webview: webviewResult.metafile }),
  );
  await writeNotices(nodeResult.metafile, webviewResult.metafile);
  await writeSchemas();
  await writeGrammars();
}
