import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { parseJson } from '../../core/data/data.ts';
import { ReasonedError } from '../../core/errors.ts';
import { LIMITS, readable } from '../../core/limits.ts';
import type { Scrubber } from '../../core/scrubber.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { connectionFaultOf } from '../../models/connectionErrors.ts';
import { destinationProblemOf } from '../../models/destination.ts';
import { MlflowError } from './mlflowError.ts';

const URI_VARIABLE = 'MLFLOW_TRACKING_URI';

const TOKEN = 'MLFLOW_TRACKING_TOKEN';
const USER = 'MLFLOW_TRACKING_USERNAME';
const PASSWORD = 'MLFLOW_TRACKING_PASSWORD';

/** MLflow's own variables, in MLflow's order. */
const CREDENTIALS = `${TOKEN}, or ${USER} and ${PASSWORD}`;

/** The address of a tracking server, and credentials. */
interface Connection {
  /** Without a slash at the end. */
  readonly url: string;
  /** The header `Authorization`. */
  readonly authorization?: string;
}

/** The environment has no valid address of a server, or would send secrets unencrypted. */
class ConnectionError extends ReasonedError<'no-server' | 'not-encrypted'> {
  override readonly name = 'ConnectionError';
}

/**
 * The server in the user's own environment: no file of a workspace can decide who gets the token.
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
    const found =
      uri && uri.password !== ''
        ? 'an address with a password in it'
        : `"${visibleLine(given, 80)}"`;
    const message = `${URI_VARIABLE} is ${found}. Expected the address of an MLflow server, such as http://127.0.0.1:5000: files and databases are served by \`mlflow server\`. Passwords belong in ${PASSWORD}.`;
    throw new ConnectionError('no-server', message);
  }
  const url = `${uri.origin}${uri.pathname.replace(/\/+$/, '')}`;
  const secrets = secretsIn(env);
  const variables = Object.keys(secrets);
  for (const [name, value] of Object.entries(secrets)) scrubber.add(name, value);
  const forbidden = destinationProblemOf({ url, variables, needConsent: [] }, []);
  if (forbidden) {
    const message = `${variables.join(', ')} would go to ${uri.host} unencrypted. Use https in ${URI_VARIABLE}.`;
    throw new ConnectionError('not-encrypted', message);
  }
  const authorization = authorizationOf(secrets);
  return { url, ...(authorization !== undefined && { authorization }) };
}

function secretsIn(env: (name: string) => string | undefined): Readonly<Record<string, string>> {
  const token = env(TOKEN);
  if (token) return { [TOKEN]: token };
  const password = env(PASSWORD);
  return password ? { [USER]: env(USER) ?? '', [PASSWORD]: password } : {};
}

function authorizationOf({
  [TOKEN]: token,
  [USER]: user,
  [PASSWORD]: password,
}: Readonly<Record<string, string>>) {
  if (token !== undefined) return `Bearer ${token}`;
  if (password === undefined) return undefined;
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/** Milliseconds per request. */
const TIMEOUT = 60_000;

/** Milliseconds before each retry, if the server is busy. */
const WAITS = [500, 2_000];

const BUSY = [429, 502, 503, 504];

/** Maximum length of a server's message in an error. */
const MAX_SHOWN = 300;

const failureSchema = z.object({
  error_code: z.string().default(''),
  message: z.string().default(''),
});

type Query = readonly (readonly [name: string, value: string])[];

interface Sent<Answer> {
  readonly method: 'GET' | 'POST';
  /** Relative to the address of the server. */
  readonly path: string;
  readonly query?: Query;
  readonly body?: object;
  readonly answer: z.ZodType<Answer>;
}

/** A client of a tracking server's REST API. Follows no redirects, and validates all answers. */
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

  get<Answer>(path: string, answer: z.ZodType<Answer>, query: Query = []): Promise<Answer> {
    return this.#ask({ method: 'GET', path, query, answer });
  }

  search<Answer>(path: string, body: object, answer: z.ZodType<Answer>): Promise<Answer> {
    return this.#ask({ method: 'POST', path, body, answer });
  }

  /** Changes something, so it is sent only once. */
  async post<Answer = unknown>(
    path: string,
    body: object,
    answer: z.ZodType<Answer> = z.any(),
  ): Promise<Answer> {
    const sent: Sent<Answer> = { method: 'POST', path, body, answer };
    return this.#read(sent, await this.#fetch(sent));
  }

  /** Sends it again if the server is busy. @throws MlflowError; the signal's reason when aborted */
  async #ask<Answer>(sent: Sent<Answer>): Promise<Answer> {
    for (const wait of WAITS) {
      const response = await this.#fetch(sent);
      if (!BUSY.includes(response.status)) return this.#read(sent, response);
      await response.body?.cancel();
      await setTimeout(wait, undefined, { signal: this.#signal });
    }
    return this.#read(sent, await this.#fetch(sent));
  }

  async #fetch({ method, path, query = [], body }: Sent<unknown>): Promise<Response> {
    const { url, authorization } = this.#connection;
    const search = new URLSearchParams(
      query.map(([name, value]): [string, string] => [name, value]),
    ).toString();
    try {
      return await fetch(`${url}${path}${search && `?${search}`}`, {
        method,
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

  async #read<Answer>({ answer }: Sent<Answer>, response: Response): Promise<Answer> {
    const text = await this.#textOf(response);
    const { status } = response;
    const value = parseJson(text, Number.POSITIVE_INFINITY);
    if (status < 200 || status >= 300) throw this.#refused(status, value);
    const read = answer.safeParse(value);
    if (read.success) return read.data;
    const what = value === undefined ? 'no JSON' : z.prettifyError(read.error).split('\n')[0];
    throw new MlflowError(
      'bad-answer',
      `${this.url} isn't an MLflow server of version 3 or newer (${visibleLine(String(what), MAX_SHOWN)}). Check ${URI_VARIABLE}.`,
    );
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
    const message = `An answer of ${this.url} has more than ${readable(LIMITS.mlflowAnswer)} bytes. Pull fewer sessions, with --session.`;
    throw new MlflowError('bad-answer', message);
  }

  #refused(status: number, value: unknown): MlflowError {
    const { error_code: code, message } = failureSchema.safeParse(value).data ?? {
      error_code: '',
      message: '',
    };
    const said = message === '' ? '' : ` It says: ${visibleLine(message, MAX_SHOWN)}`;
    if (status === 401 || status === 403) {
      const what = this.#connection.authorization ? 'Check' : 'Set';
      return new MlflowError(
        'refused',
        `${this.url} refused access with status ${status}. ${what} ${CREDENTIALS}.${said}`,
      );
    }
    if (status >= 300 && status < 400) {
      return new MlflowError(
        'refused',
        `${this.url} redirects to another address, and nothing was sent there. Set ${URI_VARIABLE} to that address if you trust it.`,
      );
    }
    if (code === 'RESOURCE_DOES_NOT_EXIST')
      return new MlflowError('not-found', `${this.url}:${said}`);
    const isMlflow = code !== '';
    return new MlflowError(
      'failed',
      isMlflow
        ? `${this.url} answered with status ${status}.${said}`
        : `${this.url} answered with status ${status}. It isn't an MLflow server of version 3 or newer. Check ${URI_VARIABLE}.`,
    );
  }

  #unreachable(error: unknown): unknown {
    if (this.#signal.aborted) return this.#signal.reason;
    if (!(error instanceof Error)) return error;
    const why =
      error.name === 'TimeoutError'
        ? `no answer within ${TIMEOUT / 1000} s`
        : visibleLine(connectionFaultOf(error).reason, MAX_SHOWN);
    return new MlflowError(
      'unreachable',
      `${this.url} cannot be reached: ${why}. Start the server with \`mlflow server\`, or check ${URI_VARIABLE}.`,
    );
  }
}
