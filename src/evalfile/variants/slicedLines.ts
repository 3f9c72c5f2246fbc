import type { Step } from '../../core/steps.ts';
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
  for await (const line of linesOf(slices)) {
    finder.add(line);
    if (finder.isOver) break;
    await step();
  }
  return finder.found();
}

/** The text of one of these lines. @throws FileError */
export async function lineIn(slices: Slices, { start, end }: Omit<DataLine, 'content'>) {
  return textOfBytes(await slices.between(start, end));
}

const LINE_BREAK = 0x0a;
const RETURN = 0x0d;

/** Offsets are in bytes. */
async function* linesOf(slices: Slices): AsyncGenerator<DataLine> {
  let start = 0;
  let open: Uint8Array[] = [];
  const line = (last: Uint8Array): DataLine => {
    const bytes = open.length === 0 ? last : Buffer.concat([...open, last]);
    const length = bytes.at(-1) === RETURN ? bytes.length - 1 : bytes.length;
    const content = textOfBytes(bytes.subarray(0, length));
    open = [];
    const ended = { content, start, end: start + length };
    start += bytes.length + 1;
    return ended;
  };
  for await (const slice of slices.inOrder()) {
    let from = 0;
    for (let to = slice.indexOf(LINE_BREAK); to >= 0; to = slice.indexOf(LINE_BREAK, from)) {
      yield line(slice.subarray(from, to));
      from = to + 1;
    }
    if (from < slice.length) open.push(Uint8Array.from(slice.subarray(from)));
  }
  yield line(new Uint8Array());
}
