import { brotliCompressSync } from 'node:zlib';
import type { Plugin } from 'esbuild';

/**
 * Bundles the tokenizer's table of 2 MB compressed. It is most of the package, and Brotli makes it a
 * quarter smaller than a zip file would; base64 costs nothing there.
 */
export const packedTokens: Plugin = {
  name: 'packed-tokens',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]bpeRanks[\\/]o200k_base\.js$/ }, async ({ path }) => {
      const { default: ranks }: { default: unknown } = await import(path);
      const packed = brotliCompressSync(JSON.stringify(ranks)).toString('base64');
      return {
        contents: `import { brotliDecompressSync } from 'node:zlib';
export default JSON.parse(brotliDecompressSync(Buffer.from('${packed}', 'base64')).toString());`,
      };
    });
  },
};
