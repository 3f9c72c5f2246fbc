// Builds everything that ships: the extension, the language server, the command line and the
// module host share chunks (dist/*.js); the webview is a bundle of its own for the browser.
import { relative } from 'node:path';
import * as esbuild from 'esbuild';
import { packedTokens } from './scripts/build/packedTokens.ts';
import { publish, removeLeftovers } from './scripts/build/publish.ts';
import { slimMcpSdk } from './scripts/build/slimMcpSdk.ts';

const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');
const began = Date.now();

const common = {
  bundle: true,
  format: 'esm',
  logLevel: 'warning',
  metafile: true,
  minify: production,
  sourcemap: production ? false : 'linked',
  legalComments: 'none',
  // A process that runs meanwhile must find every file whole.
  write: false,
};

/** Node side. CommonJS packages inside an ES module bundle still need `require`. */
const node = {
  ...common,
  entryPoints: {
    extension: 'src/extension/extension.ts',
    server: 'src/server/main.ts',
    cli: 'src/cli/main.ts',
    queue: 'src/queue/queue.ts',
    'module-host': 'src/targets/programs/moduleHost.ts',
    'program-supervisor': 'src/targets/programs/supervisor.ts',
  },
  outdir: 'dist',
  platform: 'node',
  target: 'node20',
  splitting: true,
  // Only `chunk-*` is packaged: those of earlier builds may lie beside.
  chunkNames: production ? 'chunk-[hash]' : 'dev-[hash]',
  // A queue's packages are installed by those who use one.
  external: ['vscode', 'bullmq', 'ioredis'],
  plugins: [packedTokens, slimMcpSdk],
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

/** Loaded by user programs next to their frameworks: it imports nothing. */
const agents = {
  ...common,
  entryPoints: { agents: 'src/agents/agents.ts' },
  outdir: 'dist',
  platform: 'neutral',
  target: 'node20',
};

/** Contents by path, what is imported before what imports it. */
function outputsOf({ outputFiles, metafile }) {
  const files = outputFiles.map(({ path, contents }) => [relative('.', path), contents]);
  const isEntry = ([path]) => metafile.outputs[path]?.entryPoint !== undefined;
  return [...files.filter((file) => !isEntry(file)), ...files.filter(isEntry)];
}

function json(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}

async function schemas() {
  const { evalJsonSchema, messagesJsonSchema } = await import('./src/evalfile/schema.ts');
  return [
    ['schemas/eval.schema.json', json(evalJsonSchema())],
    ['schemas/messages.schema.json', json(messagesJsonSchema())],
  ];
}

async function grammars() {
  const { evalGrammar } = await import('./scripts/grammar/evalGrammar.ts');
  const { promptGrammar } = await import('./scripts/grammar/promptGrammar.ts');
  return [
    ['syntaxes/conversation-eval.tmLanguage.json', json(evalGrammar())],
    ['syntaxes/prompt-variables.tmLanguage.json', json(promptGrammar())],
  ];
}

/** The licences of the packages that the bundles hold, and a list of them. */
async function packages(...metafiles) {
  const { thirdPartyNotices } = await import('./scripts/notices.ts');
  const { billOfMaterials } = await import('./scripts/build/sbom.ts');
  return [
    ['dist/ThirdPartyNotices.txt', await thirdPartyNotices('.', metafiles)],
    ['dist/sbom.cdx.json', await billOfMaterials('.', metafiles)],
  ];
}

async function build() {
  const results = await Promise.all([node, webview, agents].map((one) => esbuild.build(one)));
  const [nodeResult, webviewResult] = results;
  const meta = { node: nodeResult.metafile, webview: webviewResult.metafile };
  const files = new Map([
    ...results.flatMap(outputsOf),
    ['dist/meta.json', JSON.stringify(meta)],
    ...(await packages(meta.node, meta.webview)),
    ...(await schemas()),
    ...(await grammars()),
  ]);
  await publish(files, 'dist');
  const inUse = production ? /^(?:\.new-|dev-)/ : /^(?:\.new-|dev-|chunk-)/;
  await removeLeftovers('dist', { built: new Set(files.keys()), inUse, began });
}

/** Publishes after each change. */
const publishing = {
  name: 'publishing',
  setup: ({ onEnd }) =>
    onEnd(async (result) => {
      if (result.errors.length === 0) await publish(new Map(outputsOf(result)), 'dist');
    }),
};

if (watch) {
  const contexts = await Promise.all(
    [node, webview, agents].map(({ plugins = [], ...options }) =>
      esbuild.context({ ...options, plugins: [...plugins, publishing] }),
    ),
  );
  await Promise.all(contexts.map((context) => context.watch()));
} else {
  await build();
}
