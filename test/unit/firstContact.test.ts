import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

const text = readFileSync('package.json', 'utf8');
const { contributes } = JSON.parse(text);
interface Step {
  readonly description: string;
  readonly media: { readonly image: string; readonly altText: string };
}
const steps: readonly Step[] = contributes.walkthroughs[0].steps;

describe('the walkthrough and the empty Testing view', () => {
  it('lead to commands that are there', () => {
    const own: string[] = contributes.commands.map(({ command }: { command: string }) => command);
    const named: readonly string[] = text.match(/(?<=\(command:|onCommand:)turnlight\.\w+/g) ?? [];
    assert.deepEqual(
      [...new Set(named)].filter((one) => !own.includes(one)),
      [],
    );
    assert.ok(named.includes('turnlight.newEvalFile'));
  });

  it('hold no marks that VS Code shows as they are', () => {
    for (const { description } of steps) assert.doesNotMatch(description, /`/);
  });

  it('have a picture for each of five steps, with its words', () => {
    assert.equal(steps.length, 5);
    for (const { media } of steps) {
      assert.ok(existsSync(media.image), media.image);
      assert.notEqual(media.altText, '');
    }
  });
});
