import { isIP } from 'node:net';
import type { AllowedHost } from '../core/environment.ts';
import { type Destination, ModelError } from './model.ts';

/** Variables that may not be sent to a host. */
export interface Forbidden {
  readonly kind: 'host-not-allowed' | 'not-encrypted';
  readonly host: string;
  readonly variables: readonly string[];
  /** Says what to do. */
  readonly message: string;
}

/** An eval file must not choose who gets the user's keys: what may not be sent where it says. */
export function forbiddenAt(
  { url, variables, usual }: Destination,
  allowed: readonly AllowedHost[],
): Forbidden | undefined {
  // Nothing can be sent there.
  if (!URL.canParse(url)) return undefined;
  const { host, hostname, protocol } = new URL(url);
  if (variables.length === 0 || isLoopback(hostname)) return undefined;
  if (protocol !== 'https:') {
    const message = `${variables.join(', ')} would go to ${host} unencrypted. Use https in its address.`;
    return { kind: 'not-encrypted', host, variables, message };
  }
  const isUsual = usual && !allowed.some((one) => one.host === host && one.isFromFile);
  const refused = variables.filter((name) => !isUsual && !isAllowed(host, name, allowed));
  if (refused.length === 0) return undefined;
  const message = `The ${isUsual === usual ? 'eval file' : 'file of --dotenv'} wants to send ${refused.join(', ')} to ${host}, which you have not allowed. If you trust that host, allow it when the editor asks, or run: turnlight trust ${host}=${refused.join(',')}`;
  return { kind: 'host-not-allowed', host, variables: refused, message };
}

/** @throws ModelError where something may not be sent */
export function checkDestination(to: Destination, allowed: readonly AllowedHost[] = []): void {
  const forbidden = forbiddenAt(to, allowed);
  if (forbidden) throw new ModelError(forbidden.kind, forbidden.message);
}

function isAllowed(host: string, name: string, allowed: readonly AllowedHost[]): boolean {
  return allowed.some((one) => one.host === host && (one.variables?.includes(name) ?? true));
}

/** @param hostname as in `URL.hostname`, which writes IPv4 addresses out: 127.1 is 127.0.0.1 */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname === '[::1]' ||
    (isIP(hostname) === 4 && hostname.startsWith('127.'))
  );
}
