import type { Plugin } from 'esbuild';

/** Replacements for modules of the MCP SDK, which have the same exports. Nothing calls them. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  // The SDK uses this only if it gets a token provider.
  'client/auth.js': `const auth = () => { throw new Error('Internal error: OAuth is not bundled.'); };
export { auth, auth as extractWWWAuthenticateParams };
export class UnauthorizedError extends Error {}`,
  // The client gets our own validator.
  'validation/ajv-provider.js': 'export class AjvJsonSchemaValidator {}',
};

/** Removes the parts of the MCP SDK that Turnlight doesn't use: OAuth, and the validation of results. */
export const slimMcpSdk: Plugin = {
  name: 'slim-mcp-sdk',
  setup({ onLoad }) {
    const filter = /[\\/]@modelcontextprotocol[\\/]sdk[\\/]dist[\\/]esm[\\/](.+)$/;
    onLoad({ filter }, ({ path }) => {
      const name = filter.exec(path)?.[1]?.replaceAll('\\', '/') ?? '';
      const contents = REPLACEMENTS[name];
      return contents === undefined ? undefined : { contents };
    });
  },
};
