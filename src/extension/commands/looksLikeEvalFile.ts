/**
 * Whether a YAML file holds what an eval file does, whatever its name: cases, and assertions in
 * them.
 */
export function looksLikeEvalFile(text: string): boolean {
  return (
    /^["']?cases["']?[ \t]*:/m.test(text) &&
    /^(?:-|[ \t]+(?:-[ \t])?)[ \t]*["']?assert["']?[ \t]*:/m.test(text)
  );
}
