import * as nodeModule from 'node:module';
import { pathToFileURL } from 'node:url';
import { isTooDeep } from '../../core/data/data.ts';
import { errorText } from '../../core/errors.ts';
import { tooLongText } from '../replyLimits.ts';
import { groupsOf, killGroups } from './groups.ts';
import { loadErrorText, thrownText } from './thrownText.ts';

/**
 * The process that runs the user functions of a `module` target, a `tool_module`, or a script assertion: `moduleHost
 * FILE`. Each message from the parent is one call; the answer is sent over the same channel, whereas the module's
 * output isn't.
 */
const [file = ''] = process.argv.slice(2);

interface Call {
  readonly call: number;
  readonly exported: string;
  readonly input: unknown;
  readonly about: object;
  readonly streams: boolean;
}

/** Functions by name: the module's exports and, if its default export is an object, the object's functions. */
type Functions = ReadonlyMap<string, (input: unknown, about: object) => unknown>;

/** The number that stands for loading the file, which is answered like a call. */
const LOADING = 0;

let replied = 0;

function send(answer: object): void {
  // The parent may have exited.
  if (process.connected) process.send?.(answer, undefined, undefined, () => {});
}

const ADAPTERS = 'turnlight/agents';

/** The parts of `node:module`'s types that we use. */
type Resolve = (specifier: string, context: unknown) => object;
type RegisterHooks = (hooks: {
  resolve(specifier: string, context: unknown, nextResolve: Resolve): object;
}) => void;

/** Makes `turnlight/agents` importable without the npm package, for users who only have the extension. */
function provideAdapters(): void {
  // Not available before Node 22.15, where the package must be installed.
  const register: RegisterHooks | undefined = Reflect.get(nodeModule, 'registerHooks');
  register?.({
    resolve(specifier, context, nextResolve) {
      if (specifier !== ADAPTERS) return nextResolve(specifier, context);
      try {
        return nextResolve(specifier, context);
      } catch {
        const isSource = import.meta.url.endsWith('.ts');
        const path = isSource ? '../../agents/agents.ts' : './agents.js';
        return { url: new URL(path, import.meta.url).href, shortCircuit: true };
      }
    },
  });
}

async function load(): Promise<Functions> {
  const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(file).href);
  const functions = new Map();
  for (const [name, value] of Object.entries({ ...Object(module.default), ...module })) {
    if (typeof value === 'function') functions.set(name, value);
  }
  return functions;
}

async function answer(
  functions: Functions,
  { call, exported, input, about, streams }: Call,
): Promise<object> {
  const called = functions.get(exported);
  if (!called) {
    const names = [...functions.keys()].join(', ');
    const found = names === '' ? 'It exports no functions.' : `It exports: ${names}.`;
    const advice =
      exported !== 'default'
        ? ''
        : names === ''
          ? ' Write `export default` before a function.'
          : ' Write the name as `export` in the eval file.';
    const message = `${file} does not export a function "${exported}". ${found}${advice}`;
    return { kind: 'error', call, message };
  }
  const { signal } = new AbortController();
  const stream = (delta: unknown) => send({ kind: 'delta', call, text: String(delta) });
  try {
    const value = (await called(input, { ...about, signal, ...(streams && { stream }) })) ?? null;
    const text = JSON.stringify(value) ?? '';
    replied += text.length;
    const message =
      tooLongText(text.length, replied) ??
      (isTooDeep(text) ? 'The reply is nested too deep.' : undefined);
    if (message !== undefined) return { kind: 'too-long', call, message };
    return { kind: 'value', call, value };
  } catch (error) {
    const message = `The module threw: ${thrownText(error)}`;
    return { kind: 'threw', call, message, error: errorText(error) };
  }
}

// Ctrl+C in a terminal also reaches this process. The parent ends this process in time.
process.on('SIGINT', () => {});
// Registered before the file is loaded, because that may take a long time or never finish.
process.on('disconnect', async () => {
  await killGroups((await groupsOf(process.pid)) ?? []);
  process.exit();
});

try {
  provideAdapters();
  const functions = await load();
  process.on('message', async (call: Call) => send(await answer(functions, call)));
  send({ kind: 'value', call: LOADING, value: [...functions.keys()] });
} catch (error) {
  const message = `The module could not be loaded: ${await loadErrorText(error, file)}`;
  send({ kind: 'error', call: LOADING, message });
}
