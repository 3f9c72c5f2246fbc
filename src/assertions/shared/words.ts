import { stepsOf } from '../../core/steps.ts';

let segmenter: Intl.Segmenter | undefined;

/** Words and what stands between them, after which others may have their turn. */
const STRIDE = 1_000;

/** The words of a text, in steps. */
export async function* wordsOf(text: string): AsyncGenerator<string> {
  // Chinese, Japanese and Thai words have no spaces between them.
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' });
  const step = stepsOf();
  let count = 0;
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    count += 1;
    if (count % STRIDE === 0) await step();
    if (isWordLike) yield segment;
  }
}
