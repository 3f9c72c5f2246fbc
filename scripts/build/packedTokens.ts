import { brotliCompressSync } from 'node:zlib';
import type { Plugin } from 'esbuild';

/**
 * Compresses the tokenizer's 2 MB table in the bundle. The table is most of the package, and Brotli makes it a quarter
 * smaller than a zip file would. Encoding it as base64 doesn't make the zipped package larger.
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
