import { InvalidArgumentError } from 'commander';

/** A part of the cases: the second of three. */
export interface Shard {
  readonly part: number;
  readonly of: number;
}

export function shard(value: string): Shard {
  const [, part, of] = /^(\d+)\/(\d+)$/.exec(value) ?? [];
  const parsed = { part: Number(part), of: Number(of) };
  if (!(parsed.part >= 1 && parsed.part <= parsed.of)) {
    throw new InvalidArgumentError('Expected a part and how many there are, such as 2/3.');
  }
  return parsed;
}

/** The cases of one part: they are dealt like cards, so that the parts of every run of the same files are the same. */
export function partOf<One>(all: readonly One[], { part, of }: Shard): One[] {
  return all.filter((_one, index) => index % of === part - 1);
}
