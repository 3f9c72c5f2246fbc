import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SpillBuffer } from '../../../src/disk/spillBuffer.ts';
import { compactSuite } from '../../../src/evalfile/loadedSuite.ts';
import { turnlightProcess } from '../../support/commandLine.ts';
import { load } from '../../support/evalFiles.ts';
import { itLong } from '../../support/long.ts';
import { workspaceWith } from '../../support/runs.ts';

const FILES = 6;
const CASES = 300;

/** Heap size in megabytes. Parsed completely, the conversations below need three times as much. */
const HEAP = 90;

const turn = (number: number) => `      - user: "Where is parcel ${number}?"
      - assistant: "It is on its way and will arrive on Monday."
`;
const caseText = (number: number) => `  - id: c${number}
    transcript:
${Array.from({ length: 10 }, (_, index) => turn(index)).join('')}    assert:
      - {type: contains, value: Monday}
`;
const TEXT = `cases:\n${Array.from({ length: CASES }, (_, index) => caseText(index)).join('')}`;

describe('conversations in eval files', () => {
  itLong('are run in little memory, however many they are', async (t) => {
    const names = Array.from({ length: FILES }, (_, index) => `s${index}.eval.yaml`);
    const folder = await workspaceWith(t, Object.fromEntries(names.map((name) => [name, TEXT])));
    const { code, out, err } = await turnlightProcess(folder, ['run'], {
      NODE_OPTIONS: `--max-old-space-size=${HEAP}`,
    });
    assert.equal(code, 0, err);
    assert.match(out, new RegExp(`Cases: ${FILES * CASES} passed`));
  });

  it('are unchanged after their case is opened', async () => {
    const loaded = await load(TEXT);
    const [before] = loaded.suite?.cases ?? [];
    const [light] = compactSuite(loaded, new SpillBuffer()).suite?.cases ?? [];
    assert.ok(before?.origin.kind === 'transcript' && light?.origin.kind === 'transcript');
    assert.equal(before.origin.messages.length, 20);
    assert.equal(light.origin.messages.length, 0);
    const opened = await light.open?.();
    assert.deepEqual(opened, { suiteCase: before, problems: [] });
  });
});
