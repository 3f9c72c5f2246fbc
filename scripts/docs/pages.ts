import { asksJudge } from '../../src/assertions/contract.ts';
import { assertionTypes } from '../../src/assertions/registry.ts';
import { GENERATED, needOf, pageOf, thresholdOf } from './page.ts';
import { table } from './table.ts';

/** Where the pages stand, from the root of the checkout. */
export const FOLDER = 'docs/assertions';

/** Every page of `docs/assertions`, by its file's name. */
export function assertionPages(): ReadonlyMap<string, string> {
  return new Map([
    ['README.md', indexPage()],
    ...assertionTypes.map((type) => [`${type.type}.md`, pageOf(type)] as const),
  ]);
}

const ABOUT = `All that \`assert\` may hold. A plain string is a \`criterion\`. Each page says what is asked, how the
score comes to be, with an example in numbers, and which keys there are.

Scores go from 0 to 1; a verdict passes when its score reaches \`threshold\`. Where a type has a scale of its
own, a threshold above 1 is read on it. What does not apply is skipped, what could not be judged is an error, and
neither enters a mean.

How to write a check of your own in JavaScript or TypeScript: [scripts](../scripts.md).`;

function indexPage(): string {
  const rows = assertionTypes.map((type) => [
    `[\`${type.type}\`](${type.type}.md)`,
    type.summary,
    asksJudge(type) ? 'yes' : 'no',
    thresholdOf(type),
    needOf(type) ?? '',
    type.like ?? '',
  ]);
  const head = ['type', 'asks', 'judged', 'default threshold', 'needs', 'as in'];
  return `${[GENERATED, '# Assertions', ABOUT, table(head, rows)].join('\n\n')}\n`;
}
