import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { LIMITS } from '../../../src/core/limits.ts';
import { readRunLine } from '../../../src/store/records/runRecord.ts';
import { turnlight } from '../../support/commandLine.ts';
import { workspaceWith } from '../../support/runs.ts';

/** A case with a required assertion that looks for a word. */
const suiteOf = (word: string) => `cases:
  - id: a
    transcript: [{user: Hi}, {assistant: Hello}]
    assert:
      - {type: contains, value: Hello}
      - {type: contains, name: gate, value: ${word}, required: true}
`;

const PASSING = suiteOf('Hello');
const FAILING = suiteOf('Bye');

// biome-ignore lint/suspicious/noExplicitAny: the tests change a record's contents in arbitrary ways
type Line = any;

/** A workspace in which a case ran and its record was then changed. */
async function forged(t: TestContext, suite: string, change: (lines: Line[]) => void) {
  const folder = await workspaceWith(t, { 'suite.eval.yaml': suite });
  await turnlight(folder, ['run']);
  const runs = join(folder, '.turnlight/runs');
  const [name = ''] = (await readdir(runs)).filter((one) => one.endsWith('.jsonl'));
  const path = join(runs, name);
  const lines = (await readFile(path, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  change(lines);
  await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return { folder, path };
}

const FORGED: Readonly<Record<string, (lines: Line[]) => void>> = {
  'fewer cases than were planned, one of them twice': (lines) => {
    lines[0].planned = 2;
    lines.splice(2, 0, lines[1]);
  },
  'a line that cannot be read': (lines) => {
    lines.splice(2, 0, { ...lines[1], id: 'b', status: 'FAIL' });
  },
  'a second first line': (lines) => {
    lines.splice(1, 0, { ...lines[0] });
    lines[0].planned = 5;
  },
  'a case that passed without verdicts': (lines) => {
    lines[1].verdicts = [];
  },
  'a case that passed without its gate': (lines) => {
    Object.assign(lines[1].verdicts[1], { status: 'fail', score: 0 });
  },
  'a verdict that passed below its threshold': (lines) => {
    lines[1].verdicts[0].score = 0;
  },
  'a verdict that passed over a gate inside it': (lines) => {
    const [, gate] = lines[1].verdicts;
    lines[1].verdicts[0].nested = [{ ...gate, status: 'fail', score: 0 }];
  },
  'a case that failed, of which none must pass': (lines) => {
    Object.assign(lines[1], { status: 'fail', must_pass: 0 });
  },
  'a failed case that says it was skipped': (lines) => {
    Object.assign(lines[1].verdicts[0], { status: 'fail', score: 0 });
    Object.assign(lines[1], { status: 'skipped', score: null });
  },
  'a case that finished at no time': (lines) => {
    lines[1].finished = '~';
  },
  'no cases': (lines) => {
    lines[0].planned = 0;
    lines.splice(1, 1);
  },
  'a part of very many': (lines) => {
    lines[0].options.shard = '1/999999999';
  },
};

describe('turnlight merge of a record with', () => {
  for (const [what, change] of Object.entries(FORGED)) {
    it(`${what} does not pass`, async (t) => {
      const { folder } = await forged(t, PASSING, change);
      const { code, err } = await turnlight(folder, ['merge', '--no-save', '.turnlight/runs']);
      assert.equal(code, 2, err);
      assert.ok(err.length < 3_000);
    });
  }

  it('a failed case with a tiny required pass rate fails', async (t) => {
    const { folder } = await forged(t, PASSING, (lines) => {
      Object.assign(lines[1], { status: 'fail', must_pass: 1e-10 });
    });
    const { code, err } = await turnlight(folder, ['merge', '--no-save', '.turnlight/runs']);
    assert.equal(code, 1, err);
  });

  it('no change passes', async (t) => {
    const { folder } = await forged(t, PASSING, () => {});
    const { code, err } = await turnlight(folder, ['merge', '--no-save', '.turnlight/runs']);
    assert.equal(code, 0, err);
  });
});

describe('turnlight run --resume of a record in which', () => {
  const ungated = (lines: Line[]) => {
    const [, line] = lines;
    const [passed, gate] = line.verdicts;
    line.status = 'pass';
    gate.assertion.required = false;
    gate.nested = [passed];
  };
  const renamed = (lines: Line[]) => {
    lines[1].status = 'pass';
  };
  const forgiven = (lines: Line[]) => {
    lines[1].status = 'pass';
    lines[1].verdicts[1].status = 'pass';
  };
  for (const [what, change] of Object.entries({
    'a gate is none': ungated,
    'a case passed that failed': renamed,
    'a gate passed below its threshold': forgiven,
  })) {
    it(`${what} runs the case again`, async (t) => {
      const { folder } = await forged(t, FAILING, change);
      const { code, out, err } = await turnlight(folder, ['run', '--resume']);
      assert.equal(code, 1, out + err);
      assert.match(out, /Cases: 0 passed, 1 failed/);
    });
  }
});

const UNREADABLE: Readonly<Record<string, (lines: Line[]) => void>> = {
  'is damaged': (lines) => {
    lines[1].status = 'fial';
  },
  'is missing': (lines) => {
    lines.splice(1, 1);
  },
  'comes after 500 invalid lines': (lines) => {
    lines.splice(1, 0, ...Array.from({ length: LIMITS.problems }, () => ({})));
  },
  'has too many values': (lines) => {
    lines[1].context = { x: Array.from({ length: LIMITS.values }, () => 1) };
  },
};

describe('a record in which a failed case', () => {
  for (const [what, change] of Object.entries(UNREADABLE)) {
    for (const command of [
      ['judge', '--no-save'],
      ['run', '--only-failed'],
    ]) {
      it(`${what} never lets turnlight ${command.join(' ')} pass`, async (t) => {
        const { folder } = await forged(t, FAILING, change);
        const { code, err } = await turnlight(folder, command);
        assert.equal(code, 2, err);
        assert.match(err, /\.jsonl, (?:line 2: |it lacks 1 case of the run)/);
        assert.match(err, /Cases may be missing/);
      });
    }
  }
});

describe('a conversation that cannot be read', () => {
  it('is an error if it is rejudged', async (t) => {
    const { folder } = await forged(t, PASSING, (lines) => {
      lines[1].conversation = 'none';
    });
    const { code, out } = await turnlight(folder, ['judge', '--no-save']);
    assert.equal(code, 2);
    assert.match(out, /unreadable: The record of the conversation is damaged/);
  });
});

describe('a record whose first line is too long', () => {
  it('is not a run record, and its rest is not read', async (t) => {
    const { folder, path } = await forged(t, PASSING, () => {});
    assert.ok(await readRunLine(path, folder));
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('{', `{"more":"${'x'.repeat(LIMITS.runLine)}",`));
    assert.equal(await readRunLine(path, folder), undefined);
  });
});
