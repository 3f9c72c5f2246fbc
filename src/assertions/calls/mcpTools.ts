import type { Tool } from '../../core/message.ts';
import type { CaseFacts } from '../contract.ts';

/** What MCP servers offer among the tools of a case. */
export function mcpTools({ tools }: CaseFacts): Tool[] {
  return tools.filter(({ server }) => server !== undefined);
}

export function needsMcp(type: string, facts: CaseFacts): string | undefined {
  if (mcpTools(facts).length > 0) return undefined;
  return `${type} needs MCP tools: add \`tools\` with a \`server\` to the case or the file.`;
}
