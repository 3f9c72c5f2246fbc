/** What to do where an assertion needs a judge and there is none. */
export const NO_JUDGE =
  'No judge is set. Add `judge: openai:gpt-5-mini` to the file, or set `turnlight.judge` in the editor or `TURNLIGHT_JUDGE` for the command line.';
