/** Milliseconds that an endpoint asks to wait: by retry-after-ms, else by Retry-After in seconds or as a date. */
export function askedWait(headers: Headers): number | undefined {
  const given = headers.get('retry-after') ?? '';
  const wait =
    Number.parseFloat(headers.get('retry-after-ms') ?? '') || Number.parseFloat(given) * 1000;
  if (!Number.isNaN(wait)) return wait;
  const date = Date.parse(given);
  return Number.isNaN(date) ? undefined : date - Date.now();
}

/** What an endpoint still allows of requests, or of tokens. */
export interface Allowed {
  /** Undefined where it is not said. */
  readonly limit?: number | undefined;
  readonly remaining: number;
  /** Milliseconds until all of the limit is there again. */
  readonly reset: number;
}

/** What `x-ratelimit-*` say, as OpenAI, Azure and many gateways send them; undefined where they say too little. */
export function allowed(headers: Headers, what: 'requests' | 'tokens'): Allowed | undefined {
  const [limit, remaining] = ['limit', 'remaining'].map((name) =>
    countIn(headers.get(`x-ratelimit-${name}-${what}`)),
  );
  const reset = durationIn(headers.get(`x-ratelimit-reset-${what}`));
  return remaining === undefined || reset === undefined ? undefined : { limit, remaining, reset };
}

/** Some say -1 or less for no limit. */
function countIn(text: string | null): number | undefined {
  return text !== null && /^\d+$/.test(text.trim()) ? Number(text) : undefined;
}

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Milliseconds of `6m0s`, `20ms`, `1h2m3.5s`, or of plain seconds. */
function durationIn(text: string | null): number | undefined {
  if (text === null) return undefined;
  const given = text.trim();
  if (/^\d+(?:\.\d+)?$/.test(given)) return Number(given) * 1_000;
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(given)) return undefined;
  const parts = [...given.matchAll(/([\d.]+)(ms|[smhd])/g)];
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0), 0);
}
