import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export const CONVERSATIONS = 100;

const QUALITIES = ['warm', 'brief', 'honest', 'calm', 'clear', 'helpful', 'polite', 'precise'];

export const ASSERTIONS = QUALITIES.length;

/** Recorded conversations, each judged eight times. `edit` changes the last assertion. */
export function suiteText(baseUrl: string, edit: number, conversations = CONVERSATIONS): string {
  const asserts = QUALITIES.map((quality, index) => {
    const criteria = index === ASSERTIONS - 1 ? `${quality}, edit ${edit}` : quality;
    return `    - {type: g-eval, name: ${quality}, criteria: "The replies are ${criteria}.", steps: ["Look at the words."]}\n`;
  });
  const cases = Array.from(
    { length: conversations },
    (_, index) =>
      `  - {id: case-${index}, transcript: [{user: "Where is order ${index}?"}, {assistant: "It left on Monday."}, {user: Thanks}, {assistant: "You are welcome."}]}\n`,
  );
  return `judge: {provider: openai, model: judge, base_url: "${baseUrl}"}\ndefaults:\n  assert:\n${asserts.join('')}cases:\n${cases.join('')}`;
}

export interface Judge {
  readonly baseUrl: string;
  /** Number of requests so far. */
  readonly requests: number;
  close(): void;
}

/** Starts a judge that takes the given time for each answer, and is always satisfied. */
export async function startJudge(milliseconds: number): Promise<Judge> {
  const turns = [2, 4].map((turn) => ({
    turn,
    applicable: true,
    verdict: 'pass',
    rationale: 'The words are kind.',
    evidence: turn === 2 ? 'It left on Monday.' : 'You are welcome.',
  }));
  const content = JSON.stringify({ turns, rationale: 'The words are kind.', score: 9 });
  const message = { role: 'assistant', content };
  const body = JSON.stringify({
    model: 'judge',
    choices: [{ index: 0, finish_reason: 'stop', message }],
    usage: { prompt_tokens: 900, completion_tokens: 80 },
  });
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume();
    response.setHeader('content-type', 'application/json');
    setTimeout(() => response.end(body), milliseconds);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    get requests() {
      return requests;
    },
    close: () => void server.close(),
  };
}
