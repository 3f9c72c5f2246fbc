import { pathToFileURL } from 'node:url';

/**
 * The process in which a function of the user's runs, a `module` target or a script assertion:
 * `moduleHost FILE EXPORT`. Each message from the parent is one call; the answer goes back over the
 * same channel, what the module prints does not.
 */
const [file = '', name = 'default'] = process.argv.slice(2);

interface Call {
  readonly input: unknown;
  readonly about: object;
}

type Callable = (input: unknown, about: object) => unknown;

function send(answer: object): void {
  process.send?.(answer);
}

function explain(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  if (/ERR_UNKNOWN_FILE_EXTENSION/.test(text) && file.endsWith('.ts')) {
    return `${file} is TypeScript, and this Node (${process.version}) does not run it. Use Node 22.18 or newer, or compile it to .mjs.`;
  }
  return text;
}

async function load(): Promise<Callable> {
  const module: Record<string, unknown> = await import(pathToFileURL(file).href);
  const found = module[name];
  if (typeof found !== 'function') {
    const names = Object.keys(module).join(', ') || 'nothing';
    throw new Error(`${file} has no function "${name}". It exports ${names}.`);
  }
  return found as Callable;
}

async function answer(called: Callable, { input, about }: Call): Promise<void> {
  const { signal } = new AbortController();
  try {
    const value = await called(input, { ...about, signal });
    send({ kind: 'reply', value: value ?? null });
  } catch (error) {
    send({ kind: 'error', message: `The module threw: ${explain(error)}` });
  }
}

try {
  const called = await load();
  process.on('message', (call: Call) => void answer(called, call));
  send({ kind: 'ready' });
} catch (error) {
  send({ kind: 'error', message: `The module could not be loaded: ${explain(error)}` });
}
// Ctrl+C in a terminal reaches this process too; the parent ends it when it is done.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit());
