/** Every character or pair that some reader takes for a line break. */
const LINE_BREAKS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

export function splitLines(text: string): string[] {
  return text.split(LINE_BREAKS);
}
