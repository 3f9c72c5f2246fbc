import type { Answer, Fault } from './steps.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

type Headers = Readonly<Record<string, string>>;

/** A response with an error in OpenAI's shape. */
export function httpError(
  status: number,
  message: string,
  extra: { readonly code?: string; readonly param?: string; readonly headers?: Headers } = {},
): Fault {
  const error = {
    message,
    type: 'test_error',
    param: extra.param ?? null,
    code: extra.code ?? null,
  };
  return body(status, JSON.stringify({ error }), 'application/json', extra.headers);
}

/** A response with exactly this text. */
export function body(
  status: number,
  text: string,
  contentType: string,
  headers: Headers = {},
): Fault {
  return {
    fault: (response) => {
      response.writeHead(status, { 'content-type': contentType, ...headers });
      response.end(text);
    },
  };
}

export function redirect(to: string, status = 307): Fault {
  return body(status, '', 'text/plain', { location: to });
}

/** 429. `retryAfter` is in seconds; 0 lets a client retry immediately. */
export function rateLimited(retryAfter: number | string = 0): Fault {
  return httpError(429, 'Rate limit reached.', {
    code: 'rate_limit_exceeded',
    headers: { 'retry-after': String(retryAfter) },
  });
}

/** 429 without a hint about when to retry. */
export function refused(): Fault {
  return httpError(429, 'Too many requests.', { code: 'rate_limit_exceeded' });
}

/** A server error with a hint that lets a client retry after a millisecond, which keeps tests fast. */
export function serverError(status = 500): Fault {
  return httpError(status, 'The server had an error.', { headers: { 'retry-after-ms': '1' } });
}

/** 401. Echoes `echo` in its message, as careless endpoints do with a key. */
export function unauthorized(echo = 'sk-…'): Fault {
  return httpError(401, `Incorrect API key provided: ${echo}.`, { code: 'invalid_api_key' });
}

export function notFound(): Fault {
  return httpError(404, 'The model does not exist.', { code: 'model_not_found' });
}

export function contextTooLong(): Fault {
  return httpError(400, "This model's maximum context length is 8192 tokens.", {
    code: 'context_length_exceeded',
  });
}

/** Closes the connection without a response. */
export function connectionReset(): Fault {
  return { fault: (response) => response.socket?.resetAndDestroy() };
}

/** Sends headers and the start of a body, then closes the connection. */
export function cutConnection(): Fault {
  return {
    fault: (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"choices": [');
      setTimeout(() => response.socket?.resetAndDestroy(), 10);
    },
  };
}

/** Sends the whole answer, then resets the connection, like a proxy without keep-alive. */
export function resetAfter(of: string | Answer): Fault {
  return {
    of,
    fault: (response, sound) => {
      response.writeHead(200, { ...JSON_TYPE, 'content-length': Buffer.byteLength(sound) });
      response.end(sound, () => setTimeout(() => response.socket?.resetAndDestroy(), 10));
    },
  };
}

/** Sends headers and the start of a body, and then nothing more. */
export function stall(): Fault {
  return {
    fault: (response) => {
      response.writeHead(200, JSON_TYPE);
      response.write('{"choices": [');
    },
  };
}

/** Sends the whole answer in many small pieces. */
export function slowBytes(of: string | Answer, pieces = 20): Fault {
  return {
    of,
    fault: async (response, sound) => {
      response.writeHead(200, JSON_TYPE);
      // Pieces can also end within multibyte characters.
      const bytes = Buffer.from(sound);
      const size = Math.ceil(bytes.length / pieces);
      for (let from = 0; from < bytes.length; from += size) {
        response.write(bytes.subarray(from, from + size));
        await new Promise((done) => setTimeout(done, 5));
      }
      response.end();
    },
  };
}

/** Sends the answer without its end, as if it were complete. */
export function truncatedJson(of: string | Answer): Fault {
  return sending(of, (sound) => sound.slice(0, -20));
}

/** Sends the answer, and then another one. */
export function doubledJson(of: string | Answer): Fault {
  return sending(of, (sound) => `${sound}${sound}`);
}

/** Sends the answer with the wrong content type. */
export function wrongType(of: string | Answer, type = 'text/html'): Fault {
  return sending(of, (sound) => sound, type);
}

/** Sends a megabyte of white space before the answer. */
export function paddedJson(of: string | Answer): Fault {
  return sending(of, (sound) => ' '.repeat(1_000_000) + sound);
}

/** Sends more than a client reads, and ends. */
export function hugeBody(of: string | Answer): Fault {
  return sending(of, (sound) => ' '.repeat(17_000_000) + sound);
}

function sending(
  of: string | Answer,
  change: (sound: string) => string,
  type = 'application/json',
): Fault {
  return {
    of,
    fault: (response, sound) => {
      response.writeHead(200, { 'content-type': type });
      response.end(change(sound));
    },
  };
}

/** Never answers. The server's `close` ends the request. */
export function hang(): Fault {
  return { fault: () => {} };
}

/** Sends a byte of white space every few milliseconds, forever. */
export function endlessTrickle(): Fault {
  return {
    fault: (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 5);
      response.on('close', () => clearInterval(timer));
    },
  };
}

/** Sends white space forever, as fast as the client reads it. */
export function endlessFlood(): Fault {
  return {
    fault: (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const chunk = ' '.repeat(1 << 16);
      const pour = () => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', pour);
      };
      pour();
    },
  };
}

/** 200 with incomplete JSON. */
export function invalidJson(): Fault {
  return body(200, '{"choices": [{"message": {"content": "Hel', 'application/json');
}

/** 200 with plain text. */
export function plainText(): Fault {
  return body(200, 'All fine here.', 'text/plain');
}

/** A proxy's error page. */
export function htmlPage(status = 502): Fault {
  return body(status, '<html><body><h1>Bad Gateway</h1></body></html>', 'text/html', {
    'retry-after-ms': '1',
  });
}

/** 200 with JSON that isn't a chat completion. */
export function missingChoices(): Fault {
  return body(200, '{"id": "x", "object": "chat.completion"}', 'application/json');
}

/** An answer that was cut off at the model's token limit. */
export function cutOff(text = '{"turns": [{"turn": 2, "ver'): Answer {
  return { text, finish: 'length' };
}

export function contentFilter(): Answer {
  return { text: '', finish: 'content_filter' };
}

export function refusal(words = 'I cannot help with that.'): Answer {
  return { text: null, refusal: words };
}

export function emptyContent(): Answer {
  return { text: '' };
}
