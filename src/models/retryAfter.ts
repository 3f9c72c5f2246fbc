/** Milliseconds that an endpoint asks to wait: by retry-after-ms, else by Retry-After in seconds or as a date. */
export function askedWait(headers: Headers): number | undefined {
  const given = headers.get('retry-after') ?? '';
  const wait =
    Number.parseFloat(headers.get('retry-after-ms') ?? '') || Number.parseFloat(given) * 1000;
  if (!Number.isNaN(wait)) return wait;
  const date = Date.parse(given);
  return Number.isNaN(date) ? undefined : date - Date.now();
}
