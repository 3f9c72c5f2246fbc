import type { Scrubber } from '../core/scrubber.ts';
import { visibleLine } from '../core/text/visibleText.ts';

const MAX_LENGTH = 300;

/**
 * Text from an endpoint, made safe for display: on one line, truncated, and without secrets or invisible characters.
 */
export function sanitizeText(text: string, scrubber: Scrubber): string {
  // This must happen before truncating, which could leave half a secret.
  const clean = scrubber.text(text);
  if (/<html|<!doctype/i.test(clean)) return 'an HTML page';
  return visibleLine(clean, MAX_LENGTH);
}

/** The address without user, password, and query, because any of these may contain a key. */
export function redactUrl(url: string): string {
  if (!URL.canParse(url)) return 'the address given';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

const UNTRUSTED = /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|UNTRUSTED/;
const OUTDATED = /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/;

interface ConnectionFault {
  /** The innermost cause, such as `connect ECONNREFUSED 127.0.0.1:9`. */
  readonly reason: string;
  readonly advice?: string;
}

export function connectionFaultOf(error: Error): ConnectionFault {
  let inner: Error = error;
  for (let depth = 0; depth < 5 && inner.cause instanceof Error; depth += 1) inner = inner.cause;
  const code = 'code' in inner && typeof inner.code === 'string' ? inner.code : '';
  const reason = inner.message || code || error.message;
  const advice = tlsAdvice(code);
  return { reason, ...(advice !== undefined && { advice }) };
}

function tlsAdvice(code: string): string | undefined {
  if (UNTRUSTED.test(code)) {
    return 'Its certificate is not trusted on this computer. If it should be, set NODE_EXTRA_CA_CERTS to a file with its CA certificate, and restart.';
  }
  if (OUTDATED.test(code))
    return 'Its certificate has expired or is not yet valid. Renew it, or check the clock.';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return 'Its certificate is for another host. Check the address.';
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) {
    return 'It does not speak TLS. Check whether its address starts with http://.';
  }
  return undefined;
}
