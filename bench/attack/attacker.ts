import { watchBlocks } from '../blocks.ts';
import { type Result, seeded } from './attack.ts';
import { attacks } from './attacks.ts';

const SEED = 20_261_122;

/**
 * Runs one attack: `attacker NAME [--seed=NUMBER]`. Prints its result to standard output, and progress to standard
 * error.
 */
const [name = '', seedOption = `--seed=${SEED}`] = process.argv.slice(2);
const seed = Number(/^--seed=(\d+)$/.exec(seedOption)?.[1] ?? Number.NaN);
if (!Number.isInteger(seed)) throw new Error(`Expected --seed=NUMBER, found "${seedOption}".`);
const attack = await attacks[name]?.();
if (!attack) throw new Error(`There is no attack "${name}".`);

const fell: string[] = [];
const undos: (() => void | Promise<void>)[] = [];
const began = performance.now();
const longestBlock = watchBlocks();
try {
  await attack.run((what) => fell.push(what), {
    random: seeded(seed),
    after: (undo) => undos.push(undo),
  });
} finally {
  for (const undo of undos.reverse()) await undo();
}
const result: Result = {
  tried: attack.tries,
  fell,
  longestBlock: longestBlock(),
  memory: process.resourceUsage().maxRSS * 1024,
  seconds: (performance.now() - began) / 1000,
};
console.log(JSON.stringify(result));
process.exit();
