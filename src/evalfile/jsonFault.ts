/**
 * What keeps a text from being JSON, without a full stop and without the text itself, and where it
 * stops being JSON; undefined if it is. A byte order mark is no fault.
 */
export function jsonFault(given: string) {
  const text = given.replace(/^\uFEFF/, ' ');
  const error = failureOf(text);
  if (!error) return undefined;
  // Behind the first comma the engine quotes the text.
  const message = error.message.replace(/(?:, | in JSON| at position|\.\.\.).*$/s, '');
  return { message, offset: positionIn(error) ?? firstFault(text) };
}

function failureOf(text: string): Error | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function positionIn({ message }: Error): number | undefined {
  const position = /at position (\d+)/.exec(message)?.[1];
  return position === undefined ? undefined : Number(position);
}

/**
 * The engine does not always say where it stopped. What stands before the fault could go on, what
 * ends after it could not: that place is found by halving.
 */
function firstFault(text: string): number {
  let sound = 0;
  let broken = text.length + 1;
  while (broken - sound > 1) {
    const middle = (sound + broken) >> 1;
    if (canGoOn(text.slice(0, middle))) sound = middle;
    else broken = middle;
  }
  return sound;
}

function canGoOn(text: string): boolean {
  const error = failureOf(text);
  if (!error || /end of JSON|Unterminated/.test(error.message)) return true;
  return (positionIn(error) ?? -1) >= text.length;
}
