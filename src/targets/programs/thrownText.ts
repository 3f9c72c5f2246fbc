import { execFile } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { stackText } from '../../core/errors.ts';

/** Maximum milliseconds for Node to find the line of a syntax error. */
const CHECK_TIMEOUT = 10_000;

const OWN_FOLDER = `${pathToFileURL(import.meta.dirname).href}/`;

/** What user code threw, with its stack trace but without Node's and Turnlight's own frames. */
export function thrownText(error: unknown): string {
  const isTheirs = (line: string) =>
    !/^ +at (?:.*[( ])?node:/.test(line) && !(/^ +at /.test(line) && line.includes(OWN_FOLDER));
  return stackText(error).split('\n').filter(isTheirs).map(withPath).join('\n');
}

/**
 * Converts a URL to a path that editors and terminals can open: `at reply (file:///shop/a%20b.mjs:5:28)` → `at reply
 * (/shop/a b.mjs:5:28)`.
 */
function withPath(line: string): string {
  return line.replace(
    /^( +at (?:[^(]*\()?)(file:.*?)((?::\d+){2}\)?)$/,
    (whole, at, url, place) => {
      try {
        return `${at}${fileURLToPath(url)}${place}`;
      } catch {
        // This may be a URL with a host, or no URL at all, because programs can write anything.
        return whole;
      }
    },
  );
}

/** Why a file can't be loaded. Node shows the line of a syntax error only with `--check`. */
export async function loadErrorText(error: unknown, file: string): Promise<string> {
  const text = thrownText(error);
  if (/ERR_UNKNOWN_FILE_EXTENSION/.test(text) && file.endsWith('.ts')) {
    return `${file} is TypeScript, which Node ${process.version} cannot run. Use Node 22.18 or newer, or compile it to .mjs.`;
  }
  if (!(error instanceof SyntaxError) || text.includes('\n')) return text;
  return `${text}\n    at ${(await syntaxErrorLocation(file)) ?? `${file}, or at a file that it imports`}`;
}

/** The error's location as `FILE:LINE`; undefined if it is in another file. */
function syntaxErrorLocation(file: string): Promise<string | undefined> {
  return new Promise((done) => {
    const options = { timeout: CHECK_TIMEOUT };
    execFile(process.execPath, ['--check', file], options, (_error, _out, stderr) => {
      const [place = ''] = stderr.split('\n');
      done(place.startsWith(`${file}:`) ? place : undefined);
    });
  });
}
