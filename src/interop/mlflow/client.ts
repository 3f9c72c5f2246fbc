import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { parseJson } from '../../core/data/data.ts';
import { MLFLOW_PASSWORD, MLFLOW_TOKEN } from '../../core/environment.ts';
import { ReasonedError } from '../../core/errors.ts';
import { LIMITS, readable } from '../../core/limits.ts';
import type { Scrubber } from '../../core/scrubber.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { connectionFaultOf } from '../../models/connectionErrors.ts';
import { destinationProblemOf } from '../../models/destination.ts';
import { MlflowError } from './mlflowError.ts';

const URI_VARIABLE = 'MLFLOW_TRACKING_URI';
const USER = 'MLFLOW_TRACKING_USERNAME';

/** Names of the variables for credentials, in the order in which MLflow uses them. */
const CREDENTIALS = `${MLFLOW_TOKEN}, or ${USER} and ${MLFLOW_PASSWORD}`;

interface Connection {
  /** The address without a trailing slash. */
  readonly url: string;
  /** The value of the `Authorization` header. */
  readonly authorization?: string;
  /** Hides secrets in answers, because a trace may contain headers that an agent sent, or its environment. */
  readonly scrubber: Scrubber;
}

/** Thrown if the environment has no valid server address, or if secrets would be sent unencrypted. */
class ConnectionError extends ReasonedError<'no-server' | 'not-encrypted'> {
  override readonly name = 'ConnectionError';
}

/**
 * The server that the user's own environment specifies: no workspace file can decide who gets the token.
 *
 * @throws ConnectionError
 */
export function connectionOf(
  env: (name: string) => string | undefined,
  scrubber: Scrubber,
): Connection {
  const given = env(URI_VARIABLE)?.trim() ?? '';
  if (given === '') {
    const message = `Set ${URI_VARIABLE} to the address of your MLflow server, such as http://127.0.0.1:5000.`;
    throw new ConnectionError('no-server', message);
  }
  const uri = URL.canParse(given) ? new URL(given) : undefined;
  if (!uri || !/^https?:$/.test(uri.protocol) || uri.username !== '' || uri.password !== '') {
    const hasPassword = uri !== undefined && uri.password !== '';
    const found = hasPassword ? 'an address with a password in it' : `"${visibleLine(given, 80)}"`;
    const message = `${URI_VARIABLE} is ${found}. Expected the address of an MLflow server, such as http://127.0.0.1:5000. To use a file or a database, start \`mlflow server\`. Put the password in ${MLFLOW_PASSWORD}.`;
    throw new ConnectionError('no-server', message);
  }
  const url = `${uri.origin}${uri.pathname.replace(/(?<!\/)\/+$/, '')}`;
  const secrets = secretsIn(env);
  const variables = Object.keys(secrets);
  for (const [name, value] of Object.entries(secrets)) scrubber.add(name, value);
  const forbidden = destinationProblemOf({ url, variables, needConsent: [] }, []);
  if (forbidden) {
    const message = `${variables.join(', ')} would be sent to ${uri.host} unencrypted. Use https in ${URI_VARIABLE}.`;
    throw new ConnectionError('not-encrypted', message);
  }
  const { [MLFLOW_TOKEN]: token, [USER]: user, [MLFLOW_PASSWORD]: password } = secrets;
  if (token !== undefined) return { url, authorization: `Bearer ${token}`, scrubber };
  if (password === undefined) return { url, scrubber };
  const basic = Buffer.from(`${user}:${password}`).toString('base64');
  return { url, authorization: `Basic ${basic}`, scrubber };
}

function secretsIn(env: (name: string) => string | undefined): Readonly<Record<string, string>> {
  const token = env(MLFLOW_TOKEN);
  if (token) return { [MLFLOW_TOKEN]: token };
  const password = env(MLFLOW_PASSWORD);
  return password ? { [USER]: env(USER) ?? '', [MLFLOW_PASSWORD]: password } : {};
}

/** Milliseconds per request. */
const TIMEOUT = 60_000;

/** Milliseconds to wait before each retry if the server is busy. */
const WAITS = [500, 2_000];

const BUSY = [429, 502, 503, 504];

const EXPECTED_SERVER = 'an MLflow server of version 3 or newer';

/** Maximum length of a server message in an error. */
const MAX_SHOWN = 300;

const failureSchema = z.object({
  error_code: z.string().optional(),
  message: z.string().optional(),
});

/** A client of a tracking server's REST API. Doesn't follow redirects, and validates all answers. */
export class MlflowClient {
  readonly #connection: Connection;
  readonly #signal: AbortSignal;

  constructor(connection: Connection, signal: AbortSignal) {
    this.#connection = connection;
    this.#signal = signal;
  }

  get url(): string {
    return this.#connection.url;
  }

  get<Answer>(
    path: string,
    answer: z.ZodType<Answer>,
    query: [string, string][] = [],
  ): Promise<Answer> {
    const search = new URLSearchParams(query).toString();
    return this.#ask(`${path}${search && `?${search}`}`, undefined, answer);
  }

  search<Answer>(path: string, body: object, answer: z.ZodType<Answer>): Promise<Answer> {
    return this.#ask(path, body, answer);
  }

  /** Sends a request that changes something, so it isn't retried. */
  async post<Answer = unknown>(
    path: string,
    body: object,
    answer: z.ZodType<Answer> = z.any(),
  ): Promise<Answer> {
    return this.#read(await this.#fetch(path, body), answer);
  }

  /** Sends a request, retrying if the server is busy. @throws MlflowError; the signal's reason when aborted */
  async #ask<Answer>(path: string, body: object | undefined, answer: z.ZodType<Answer>) {
    for (const wait of WAITS) {
      const response = await this.#fetch(path, body);
      if (!BUSY.includes(response.status)) return this.#read(response, answer);
      await response.body?.cancel();
      await setTimeout(wait, undefined, { signal: this.#signal });
    }
    return this.#read(await this.#fetch(path, body), answer);
  }

  async #fetch(path: string, body?: object): Promise<Response> {
    const { url, authorization } = this.#connection;
    try {
      return await fetch(`${url}${path}`, {
        method: body ? 'POST' : 'GET',
        headers: {
          ...(body && { 'content-type': 'application/json' }),
          ...(authorization !== undefined && { authorization }),
        },
        ...(body && { body: JSON.stringify(body) }),
        redirect: 'manual',
        signal: AbortSignal.any([this.#signal, AbortSignal.timeout(TIMEOUT)]),
      });
    } catch (error) {
      throw this.#unreachable(error);
    }
  }

  async #read<Answer>(response: Response, answer: z.ZodType<Answer>): Promise<Answer> {
    const text = await this.#textOf(response);
    const { status } = response;
    const value = this.#connection.scrubber.foreign(parseJson(text, Number.POSITIVE_INFINITY));
    if (status < 200 || status >= 300) throw this.#refused(status, value);
    const read = answer.safeParse(value);
    if (read.success) return read.data;
    const what =
      value === undefined ? "the answer isn't JSON" : z.prettifyError(read.error).split('\n')[0];
    const found = visibleLine(String(what), MAX_SHOWN);
    const message = `${this.url} isn't ${EXPECTED_SERVER} (${found}). Check ${URI_VARIABLE}.`;
    throw new MlflowError('bad-answer', message);
  }

  async #textOf(response: Response): Promise<string> {
    const decoder = new TextDecoder();
    const pieces: string[] = [];
    let length = 0;
    try {
      for await (const piece of response.body ?? []) {
        length += piece.byteLength;
        if (length > LIMITS.mlflowAnswer) break;
        pieces.push(decoder.decode(piece, { stream: true }));
      }
    } catch (error) {
      throw this.#unreachable(error);
    }
    if (length <= LIMITS.mlflowAnswer) return pieces.join('');
    const message = `An answer from ${this.url} has more than ${readable(LIMITS.mlflowAnswer)} bytes. Use --session to pull fewer sessions.`;
    throw new MlflowError('bad-answer', message);
  }

  #refused(status: number, value: unknown): MlflowError {
    const { error_code: code = '', message = '' } = failureSchema.safeParse(value).data ?? {};
    const said = message === '' ? '' : ` It says: ${visibleLine(message, MAX_SHOWN)}`;
    if (status === 401 || status === 403) {
      const what = this.#connection.authorization ? 'Check' : 'Set';
      const access = `${this.url} refused access with status ${status}. ${what} ${CREDENTIALS}.`;
      return new MlflowError('refused', `${access}${said}`);
    }
    if (status >= 300 && status < 400) {
      const redirect = `${this.url} redirects to another address, and nothing was sent there. Set ${URI_VARIABLE} to that address if you trust it.`;
      return new MlflowError('refused', redirect);
    }
    if (code === 'RESOURCE_DOES_NOT_EXIST') {
      return new MlflowError('not-found', `${this.url}:${said}`);
    }
    const why = code === '' ? ` It isn't ${EXPECTED_SERVER}. Check ${URI_VARIABLE}.` : said;
    return new MlflowError('failed', `${this.url} answered with status ${status}.${why}`);
  }

  #unreachable(error: unknown): unknown {
    if (this.#signal.aborted) return this.#signal.reason;
    if (!(error instanceof Error)) return error;
    const why =
      error.name === 'TimeoutError'
        ? `no answer within ${TIMEOUT / 1000} s`
        : visibleLine(connectionFaultOf(error).reason, MAX_SHOWN);
    const message = `${this.url} cannot be reached: ${why}. Start the server with \`mlflow server\`, or check ${URI_VARIABLE}.`;
    return new MlflowError('unreachable', message);
  }
}
