import { isAbsolute, resolve } from 'node:path';
import * as z from 'zod';
import { mappingOf } from '../../core/data/data.ts';
import type { TargetSpec } from '../../core/suite.ts';
import { programKeys } from '../../core/userCode.ts';
import { addressSchema } from '../../models/destination.ts';
import type { Destination } from '../../models/model.ts';
import { destinationOf, headersKey } from '../http.ts';

const programSchema = z.strictObject({
  command: z.array(z.string().min(1)).min(1).meta({
    description:
      "A server over stdio: its program and arguments, run without a shell in this file's folder, one process per conversation.",
  }),
  ...programKeys,
});

const serviceSchema = z.strictObject({
  url: addressSchema.describe(
    'Address of a server over Streamable HTTP, usually ending in `/mcp`.',
  ),
  headers: headersKey,
});

export const mcpServersKey = z
  .record(z.string(), z.union([programSchema, serviceSchema]))
  .optional()
  .meta({
    description:
      'MCP servers by name, whose tools the model can call in addition to `tools`. `tool_results` answer calls before a server does. Tools with the same name on several servers are called `SERVER_TOOL`.',
  });

const serversSchema = z.object({ mcp_servers: mcpServersKey });

export type McpServerParams = z.infer<typeof programSchema> | z.infer<typeof serviceSchema>;

/** A chat target's servers, by name; empty if a variable in them is invalid. */
export function mcpServersOf({ params }: Pick<TargetSpec, 'params'>) {
  return Object.entries(serversSchema.safeParse(params).data?.mcp_servers ?? {});
}

export function mcpDestinations(spec: TargetSpec): Destination[] {
  const written = mappingOf(spec.written?.mcp_servers);
  return mcpServersOf(spec).flatMap(([name, params]) => {
    if (!('url' in params)) return [];
    return [destinationOf({ params, written: mappingOf(written[name] ?? params) })];
  });
}

/** Absolute paths of the files named in the servers' commands. */
export function mcpFiles(spec: TargetSpec): string[] {
  return mcpServersOf(spec).flatMap(([, params]) =>
    ('command' in params ? params.command : [])
      .filter((part) => !isAbsolute(part))
      .map((part) => resolve(spec.folder, part)),
  );
}
