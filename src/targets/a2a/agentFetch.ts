import { JsonShape } from '../../core/data/jsonShape.ts';
import { isLoopback } from '../../models/destination.ts';
import { shownUrl } from '../../models/shownWords.ts';
import type { Patience } from '../http/patience.ts';
import { bytesOf, failed, send } from '../http/send.ts';

/**
 * A `fetch` for the client of an agent: within the limits and with the retries of every target, and
 * with the target's headers. An agent's card names where messages go: another host than the card's gets
 * none that have headers, since nobody has said that it may have them.
 *
 * @param url of the target
 */
export function agentFetch(
  url: string,
  headers: Readonly<Record<string, string>>,
  patience: () => Patience,
): typeof fetch {
  return async (input, init = {}) => {
    const to = input instanceof Request ? input.url : String(input);
    if (Object.keys(headers).length > 0 && !isSameHost(to, url)) {
      throw failed(
        `The card of the agent at ${shownUrl(url)} names ${shownUrl(to)} as its endpoint, another host, which does not get the target's \`headers\`. Set \`url\` to that host, or remove \`headers\`.`,
      );
    }
    const own = Object.fromEntries(new Headers(init.headers));
    const request = {
      url: to,
      method: init.method ?? 'GET',
      headers: { ...own, ...headers },
      ...(typeof init.body === 'string' && { body: init.body }),
    };
    const response = await send(request, patience());
    const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
    const bytes = parsable(bytesOf(request, response, patience()), to, isStream);
    const body = ReadableStream.from(bytes);
    return new Response(body, { status: response.status, headers: response.headers });
  };
}

function isSameHost(one: string, other: string): boolean {
  const [a, b] = [new URL(one), new URL(other)];
  if (a.origin === b.origin) return true;
  // `localhost` and `127.0.0.1` are one server.
  const isLocal = [a, b].every(({ hostname }) => isLoopback(hostname));
  return isLocal && a.port === b.port && a.protocol === b.protocol;
}

/** What the client can parse in little memory: it reads JSON without looking at it first. */
async function* parsable(
  bytes: AsyncIterable<Uint8Array>,
  url: string,
  isStream: boolean,
): AsyncGenerator<Uint8Array> {
  let shape = new JsonShape();
  for await (const piece of bytes) {
    const end = isStream ? Buffer.from(piece).lastIndexOf('\n\n') : -1;
    // The next event is a text of its own.
    if (end >= 0) shape = new JsonShape();
    const excess = shape.add(piece.subarray(end + 1)).excess();
    if (excess !== undefined) throw failed(`What ${shownUrl(url)} sent ${excess}.`);
    yield piece;
  }
}
