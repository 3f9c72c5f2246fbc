import { ReasonedError } from '../../core/errors.ts';
import { visibleLine } from '../../core/presentation/visibleText.ts';
import type { Scrubber } from '../../core/scrubber.ts';
import { forbiddenAt } from '../../models/destination.ts';

export const URI_VARIABLE = 'MLFLOW_TRACKING_URI';

const TOKEN = 'MLFLOW_TRACKING_TOKEN';
const USER = 'MLFLOW_TRACKING_USERNAME';
const PASSWORD = 'MLFLOW_TRACKING_PASSWORD';

/** MLflow's own variables, in the order in which MLflow asks for them. */
export const CREDENTIALS = `${TOKEN}, or ${USER} and ${PASSWORD}`;

/** Where a tracking server is, and who asks it. */
export interface Connection {
  /** Without a slash at its end. */
  readonly url: string;
  /** The header `Authorization`. */
  readonly authorization?: string;
}

/** The environment does not say where the server is, or may not be used so. */
export class ConnectionError extends ReasonedError<'no-server' | 'not-encrypted'> {
  override readonly name = 'ConnectionError';
}

/**
 * The server that the user's own environment names: no file of a workspace can say who gets the token.
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
  const forbidden = forbiddenAt({ url, variables, usual: true }, []);
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
