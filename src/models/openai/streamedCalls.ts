import * as z from 'zod';

/** A piece of a tool call, as OpenAI's chat format streams it. */
export const callPieceSchema = z.object({
  index: z.int().nullish(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});

interface Call {
  id?: string;
  function: { name: string; arguments: string };
}

/** Puts tool calls together that arrive in pieces. */
export class StreamedCalls {
  readonly calls: Call[] = [];

  add({ index, id, function: part }: z.infer<typeof callPieceSchema>): void {
    const at = index ?? this.calls.length;
    const call = this.calls[at] ?? { function: { name: '', arguments: '' } };
    if (id) call.id = id;
    call.function.name ||= part?.name ?? '';
    call.function.arguments += part?.arguments ?? '';
    // An index far out would make a list of nothing.
    if (at <= this.calls.length) this.calls[at] = call;
  }
}
