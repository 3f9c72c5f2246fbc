import { LIMITS } from '../../core/limits.ts';
import type { Step } from '../../node/cooperative.ts';
import type { Slices } from '../files.ts';
import { textOfBytes } from '../readText.ts';
import { type DataLine, type FoundConversations, LineFinder } from './dataSet.ts';
import type { Roles } from './roles.ts';

/** As `findConversations`, of lines that are never in memory all at once. @throws FileError */
export async function findInSlices(
  slices: Slices,
  path: string,
  roles: Roles | undefined,
  step: Step,
): Promise<FoundConversations> {
  const finder = new LineFinder(path, roles);
  const lines = new LineReader(finder);
  for await (const slice of slices.inOrder()) {
    lines.add(slice);
    if (finder.isOver) return finder.found();
    await step();
  }
  lines.end();
  return finder.found();
}

/** The text of one of these lines. @throws FileError */
export async function lineIn(slices: Slices, { start, end }: Omit<DataLine, 'content'>) {
  return textOfBytes(await slices.between(start, end));
}

const LINE_BREAK = 0x0a;
const RETURN = 0x0d;

/** The lines of a file's bytes, piece by piece. Offsets are in bytes. */
class LineReader {
  readonly #finder: LineFinder;
  #start = 0;
  #open: Uint8Array[] = [];
  /** Bytes of the line that is open. */
  #length = 0;

  constructor(finder: LineFinder) {
    this.#finder = finder;
  }

  add(slice: Uint8Array): void {
    let from = 0;
    for (let to = slice.indexOf(LINE_BREAK); to >= 0; to = slice.indexOf(LINE_BREAK, from)) {
      if (to === from && this.#length === 0) {
        this.#finder.skip();
        this.#start += 1;
      } else {
        this.#take(slice.subarray(from, to));
        this.end();
      }
      if (this.#finder.isOver) return;
      from = to + 1;
    }
    if (from < slice.length) this.#take(Uint8Array.from(slice.subarray(from)));
  }

  /** What is beyond the limit of a line is counted, not kept. */
  #take(bytes: Uint8Array): void {
    if (this.#length <= LIMITS.transcript) this.#open.push(bytes);
    this.#length += bytes.length;
  }

  end(): void {
    const [one, ...more] = this.#open;
    const bytes = one && more.length === 0 ? one : Buffer.concat(this.#open);
    const isLong = this.#length > LIMITS.transcript;
    const returned = !isLong && bytes.at(-1) === RETURN ? 1 : 0;
    const [start, end] = [this.#start, this.#start + this.#length - returned];
    this.#start += this.#length + 1;
    this.#open = [];
    this.#length = 0;
    if (isLong) this.#finder.addLong({ start, end });
    else {
      const content = textOfBytes(bytes.subarray(0, bytes.length - returned));
      this.#finder.add({ content, start, end });
    }
  }
}
