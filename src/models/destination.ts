import { isIP } from 'node:net';
import * as z from 'zod';
import { type AllowedHost, environmentNames, substituteEnv } from '../core/environment.ts';
import type { ModelSpec } from '../core/suite.ts';
import { type Destination, ModelError } from './model.ts';

const ADDRESS_EXPECTED = 'Expected an address that starts with http:// or https://.';

/** Whether text is an address. Also accepts `${env:GATEWAY}/v1`, before the variable is filled in. */
function isAddress(text: string): boolean {
  return URL.canParse(String(substituteEnv(text, () => 'http://x').value));
}

export const addressSchema = z
  .string()
  .regex(/^(?:https?:\/\/|\$\{env:)/, { error: ADDRESS_EXPECTED, abort: true })
  .refine(isAddress, ADDRESS_EXPECTED);

/**
 * Where a model's requests go. Its provider's own variables need no consent for the provider's host, and no variable
 * needs it for an address that the user set. Headers in the file could be somebody else's credentials, and that person
 * could then read what is sent. With such headers, all variables need consent.
 *
 * @param prefix prefix of the names of the provider's own variables
 * @param isOwnHost whether `url` is the provider's default, or its host
 */
export function modelDestination(
  { params: { headers = {} }, sends = [], written, ownAddress }: ModelSpec,
  url: string,
  keys: readonly string[],
  { prefix, isOwnHost }: { readonly prefix: string; readonly isOwnHost: boolean },
): Destination {
  const variables = [...new Set([...keys, ...sends])];
  if (Object.keys(headers as object).some(isUnknownHeader)) {
    return { url, variables, needConsent: variables };
  }
  const own = ownAddress ? environmentNames(written?.base_url) : [];
  const isOwn = (name: string) => name.startsWith(prefix) || own.includes(name);
  if (isOwnHost) return { url, variables, needConsent: variables.filter((name) => !isOwn(name)) };
  return { url, variables, needConsent: ownAddress ? [] : variables };
}

/** Headers that can't affect which account a request uses. */
const HARMLESS_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'api-version',
  'content-type',
  'http-referer',
  'openai-beta',
  'referer',
  'user-agent',
  'x-request-id',
  'x-title',
]);

/** Whether a header could be a credential, for example for a gateway. */
function isUnknownHeader(header: string): boolean {
  return !HARMLESS_HEADERS.has(header.toLowerCase());
}

export interface DestinationProblem {
  readonly kind: 'host-not-allowed' | 'not-encrypted';
  readonly host: string;
  readonly variables: readonly string[];
  /** Describes the problem and what to do. */
  readonly message: string;
}

/** Checks that an eval file doesn't send the user's keys to a host that the user hasn't allowed. */
export function destinationProblemOf(
  { url, variables, needConsent }: Destination,
  allowed: readonly AllowedHost[],
): DestinationProblem | undefined {
  // Nothing can be sent to an invalid address.
  if (!URL.canParse(url)) return undefined;
  const { host, hostname, protocol } = new URL(url);
  if (variables.length === 0 || isLoopback(hostname)) return undefined;
  if (protocol !== 'https:') {
    const message = `${variables.join(', ')} would be sent to ${host} unencrypted. Use https in its address.`;
    return { kind: 'not-encrypted', host, variables, message };
  }
  const isFromFile = allowed.some((one) => one.host === host && one.isFromFile);
  const asked = isFromFile ? variables : needConsent;
  const refused = asked.filter((name) => !isAllowed(host, name, allowed));
  if (refused.length === 0) return undefined;
  const who = refused.every((name) => needConsent.includes(name)) ? 'eval file' : '--dotenv file';
  const message = `The ${who} wants to send ${refused.join(', ')} to ${host}, which you have not allowed. If you trust that host, allow it when the editor asks, or run: turnlight trust ${host}=${refused.join(',')}`;
  return { kind: 'host-not-allowed', host, variables: refused, message };
}

/** @throws ModelError if the eval file must not send something there */
export function checkDestination(
  destination: Destination,
  allowed: readonly AllowedHost[] = [],
): void {
  const forbidden = destinationProblemOf(destination, allowed);
  if (forbidden) throw new ModelError(forbidden.kind, forbidden.message);
}

function isAllowed(host: string, name: string, allowed: readonly AllowedHost[]): boolean {
  return allowed.some((one) => one.host === host && (one.variables?.includes(name) ?? true));
}

/** @param hostname as in `URL.hostname`, which completes IPv4 addresses: 127.1 is 127.0.0.1 */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname === '[::1]' ||
    (isIP(hostname) === 4 && hostname.startsWith('127.'))
  );
}

/** How to start common local model servers, keyed by default port. */
const LOCAL_SERVERS: Readonly<Record<string, string>> = {
  11434: 'Start Ollama: open its app, or run: ollama serve',
  1234: 'Start the server of LM Studio: in its app, or run: lms server start',
  8000: 'Start the server, for example with: vllm serve MODEL',
};

/** How to start a server on this machine if it doesn't answer; undefined for other machines. */
export function startHintOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, port } = new URL(url);
  if (!isLoopback(hostname)) return undefined;
  return LOCAL_SERVERS[port] ?? "Start the server, or correct the model's base_url.";
}
