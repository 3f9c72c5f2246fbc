import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';

type Completion = ReturnType<typeof import('./completion.ts').completion>;
type Response = ReturnType<typeof import('./response.ts').responseOf>;

/** Sends a completion or a response as events. Texts are sent word by word, and arguments in two pieces. */
export async function sendStream(
  response: ServerResponse,
  answer: Completion | Response,
  pause: number,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of 'output' in answer ? responseEvents(answer) : chunks(answer)) {
    response.write(`data: ${JSON.stringify(event)}\n\n`);
    if (pause > 0) await setTimeout(pause);
  }
  response.end('data: [DONE]\n\n');
}

function chunks({ model, choices, ...rest }: Completion): object[] {
  const [choice] = choices;
  if (!choice) return [];
  const { content, refusal, tool_calls: calls = [] } = choice.message;
  const delta = (given: object, finish_reason: string | null = null) => ({
    object: 'chat.completion.chunk',
    model,
    choices: [{ index: 0, delta: given, finish_reason }],
  });
  return [
    delta({ role: 'assistant', content: '' }),
    ...words(content).map((one) => delta({ content: one })),
    ...(refusal ? [delta({ refusal })] : []),
    ...calls.flatMap(({ function: { arguments: given, ...named }, ...call }, index) => [
      delta({
        tool_calls: [{ index, ...call, function: { ...named, arguments: given.slice(0, 3) } }],
      }),
      delta({ tool_calls: [{ index, function: { arguments: given.slice(3) } }] }),
    ]),
    delta({}, choice.finish_reason),
    ...('usage' in rest ? [{ model, choices: [], usage: rest.usage }] : []),
  ];
}

function responseEvents(answer: Response): object[] {
  const texts = answer.output.flatMap((item) =>
    'content' in item ? item.content.flatMap((part) => ('text' in part ? [part.text] : [])) : [],
  );
  return [
    { type: 'response.created', response: { ...answer, output: [] } },
    ...texts.flatMap(words).map((delta) => ({ type: 'response.output_text.delta', delta })),
    { type: `response.${answer.status}`, response: answer },
  ];
}

function words(text: string | null | undefined): string[] {
  return (text ?? '').split(/(?<= )/).filter((word) => word !== '');
}
