import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { before, describe, it } from 'node:test';
import { assertionTypes } from '../../src/assertions/registry.ts';
import { SILENT } from '../../src/core/logger.ts';
import type { CaseLine } from '../../src/core/record/runRecord.ts';
import { Scrubber } from '../../src/core/scrubber.ts';
import type { Assertion, Suite } from '../../src/core/suite.ts';
import { loadSuite } from '../../src/evalfile/load.ts';
import { nodeFiles } from '../../src/evalfile/nodeFiles.ts';
import { parseRecording } from '../../src/models/replaySource.ts';
import { runSuites } from '../../src/runner/run.ts';
import { readLabels } from '../../src/store/labels.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const EXAMPLES = join(ROOT, 'examples');

/** Expected statuses by suite and case. */
const EXPECTED: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(
  await readFile(join(ROOT, 'scripts/examples/expected.json'), 'utf8'),
);

/** Examples that need a program that isn't always installed. pythonExample.test.ts runs them. */
const OF_PROGRAMS = ['python'];

/** The failed turns of each failed case. */
const FAILING_TURNS: Readonly<Record<string, readonly number[]>> = {
  'shopfast/frustrated-customer': [1, 2, 3, 4, 5, 7, 8],
  'shopfast/incomplete': [6],
  'context-retention/forgets-the-order': [6],
  'deepeval/conversation-completeness': [4],
  'deepeval/turn-relevancy': [4],
  'deepeval/knowledge-retention': [6],
  'deepeval/role-adherence': [4],
  'deepeval/tool-use': [4],
  'deepeval/turn-faithfulness': [4],
  'deepeval/turn-contextual-precision': [4],
  'deepeval/mcp-use': [4],
  'mlflow/guidelines': [4],
  'mlflow/role-adherence': [4],
  'mlflow/safety': [4],
  'mlflow/tool-call-efficiency': [4],
  'azure/customer-satisfaction': [4],
  'azure/task-completion': [4],
  'azure/task-adherence': [4],
  'azure/groundedness': [4],
  'composition/required-gate': [4],
  'composition/plain-criteria': [4],
  'composition/each-turn-by-itself': [4],
  'composition/json-replies': [4],
  'composition/limits': [6],
  'composition/scripts': [4],
  'simulated/return-window': [4],
  'next-step/parcel-looked-into': [2],
  'next-step/refund-soon': [2],
  'next-step/invoice-passed-on': [2],
  'next-step/technician-call': [2],
  'next-step/voucher-refused': [2],
};

/** The other tool's name, our type, and the case that shows it. */
const ROWS: Readonly<Record<string, readonly (readonly [string, string, string])[]>> = {
  DeepEval: [
    [
      'ConversationCompletenessMetric',
      'conversation-completeness',
      'deepeval/conversation-completeness',
    ],
    ['TurnRelevancyMetric', 'turn-relevancy', 'deepeval/turn-relevancy'],
    ['KnowledgeRetentionMetric', 'knowledge-retention', 'deepeval/knowledge-retention'],
    ['RoleAdherenceMetric', 'role-adherence', 'deepeval/role-adherence'],
    ['TopicAdherenceMetric', 'topic-adherence', 'deepeval/topic-adherence'],
    ['GoalAccuracyMetric', 'goal-accuracy', 'deepeval/goal-accuracy'],
    ['ToolUseMetric', 'tool-use', 'deepeval/tool-use'],
    ['TurnFaithfulnessMetric', 'turn-faithfulness', 'deepeval/turn-faithfulness'],
    [
      'TurnContextualRelevancyMetric',
      'turn-contextual-relevancy',
      'deepeval/turn-contextual-relevancy',
    ],
    [
      'TurnContextualPrecisionMetric',
      'turn-contextual-precision',
      'deepeval/turn-contextual-precision',
    ],
    ['TurnContextualRecallMetric', 'turn-contextual-recall', 'deepeval/turn-contextual-recall'],
    ['ConversationalGEval', 'g-eval', 'deepeval/g-eval'],
    ['ConversationalDAGMetric', 'decision-graph', 'deepeval/decision-graph'],
    ['MultiTurnMCPUseMetric', 'mcp-use', 'deepeval/mcp-use'],
    ['MCPTaskCompletionMetric', 'mcp-task-completion', 'deepeval/mcp-task-completion'],
  ],
  MLflow: [
    ['ConversationCompleteness', 'conversation-completeness', 'mlflow/conversation-completeness'],
    ['ConversationalGuidelines', 'guidelines', 'mlflow/guidelines'],
    ['UserFrustration', 'user-frustration', 'mlflow/user-frustration'],
    ['KnowledgeRetention', 'knowledge-retention', 'mlflow/knowledge-retention'],
    ['ConversationalRoleAdherence', 'role-adherence', 'mlflow/role-adherence'],
    ['ConversationalSafety', 'safety', 'mlflow/safety'],
    ['ConversationalToolCallEfficiency', 'tool-call-efficiency', 'mlflow/tool-call-efficiency'],
    ['make_judge', 'llm-judge', 'mlflow/own-judge'],
  ],
  Azure: [
    ['CustomerSatisfactionEvaluator', 'customer-satisfaction', 'azure/customer-satisfaction'],
    ['TaskCompletionEvaluator', 'task-completion', 'azure/task-completion'],
    ['TaskAdherenceEvaluator', 'task-adherence', 'azure/task-adherence'],
    ['CoherenceEvaluator', 'coherence', 'azure/coherence'],
    ['GroundednessEvaluator', 'groundedness', 'azure/groundedness'],
    ['IntentResolutionEvaluator', 'intent-resolution', 'azure/intent-resolution'],
  ],
  AgentV: [
    ['llm-judge', 'llm-judge', 'composition/required-gate'],
    ['rubrics', 'criterion', 'composition/plain-criteria'],
    ['contains', 'contains', 'composition/required-gate'],
    ['is-json', 'is-json', 'composition/json-replies'],
    ['regex', 'regex', 'composition/texts'],
    ['composite', 'all-of', 'composition/nested-groups'],
    ['tool-trajectory', 'tool-sequence', 'composition/tool-calls'],
    ['code-judge', 'script', 'composition/scripts'],
  ],
};

interface Example {
  readonly suite: Suite;
  readonly problems: readonly unknown[];
  readonly lines: readonly CaseLine[];
}

async function run(folder: string): Promise<Example> {
  const path = join(EXAMPLES, folder, `${folder}.eval.yaml`);
  const options = { workspace: EXAMPLES, env: () => undefined };
  const { suite, problems } = await loadSuite(path, nodeFiles(), options);
  if (!suite) throw new Error(JSON.stringify(problems, null, 2));
  const lines: CaseLine[] = [];
  await runSuites({
    suites: [suite],
    concurrency: 4,
    timeout: 10_000,
    forbidOnly: true,
    keepRecord: false,
    described: {},
    secret: async () => undefined,
    scrubber: new Scrubber(),
    env: () => undefined,
    log: SILENT,
    signal: new AbortController().signal,
    onEvent(event) {
      if (event.kind === 'case-finished') lines.push(event.line);
    },
  });
  return { suite, problems, lines };
}

async function recorded(folder: string) {
  const path = join(EXAMPLES, folder, 'recordings/judge.jsonl');
  return parseRecording(await readFile(path, 'utf8'), path).map(({ exchange }) => exchange);
}

/** All objects in a value, at any depth. */
function objectsIn(value: unknown): Readonly<Record<string, unknown>>[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? inner : [{ ...value }, ...inner];
}

function typesIn(assertions: readonly Assertion[]): string[] {
  return assertions.flatMap((one) => [
    one.type,
    ...typesIn((one.nested ?? []).map(({ assertion }) => assertion)),
  ]);
}

/** Text as the judge reads it: without the marks at the start of lines, and with white space collapsed. */
function fold(text: string): string {
  return text.replace(/^\| /gm, '').replace(/\s+/g, ' ').trim();
}

describe('the examples', () => {
  const ran = new Map<string, Example>();

  before(async () => {
    for (const folder of Object.keys(EXPECTED)) ran.set(folder, await run(folder));
  });

  function example(folder: string): Example {
    const found = ran.get(folder);
    if (!found) throw new Error(`${folder} was not run.`);
    return found;
  }

  it('are all expected to come out in some way', async () => {
    const entries = await readdir(EXAMPLES, { withFileTypes: true });
    const folders = entries
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name);
    assert.deepEqual(folders.sort(), [...Object.keys(EXPECTED), ...OF_PROGRAMS].sort());
  });

  for (const [folder, expected] of Object.entries(EXPECTED)) {
    describe(folder, () => {
      it('loads without a problem', () => {
        assert.deepEqual(example(folder).problems, []);
      });

      it('comes out as expected from its recording, case by case', () => {
        const { suite, lines } = example(folder);
        const got = suite.cases.map(({ id }) => [id, lines.find((one) => one.id === id)?.status]);
        assert.deepEqual(Object.fromEntries(got), expected);
      });

      it('fails at the turns that it is built to fail at', () => {
        const failed = example(folder).lines.filter(({ status }) => status === 'fail');
        const wanted = Object.keys(FAILING_TURNS).filter((name) => name.startsWith(`${folder}/`));
        assert.deepEqual(failed.map(({ id }) => `${folder}/${id}`).sort(), wanted.sort());
        for (const { id, verdicts } of failed) {
          const bad = verdicts.filter(({ status }) => status === 'fail');
          const turns = bad.flatMap((one) =>
            one.turns.filter(({ status }) => status === 'fail').map(({ turn }) => turn),
          );
          const sorted = [...new Set(turns)].sort((a, b) => a - b);
          assert.deepEqual(sorted, FAILING_TURNS[`${folder}/${id}`], id);
          for (const one of bad) assert.match(one.misses.join('\n'), /^Turn \d+: /m, id);
        }
      });

      it('asks for everything that is recorded and for nothing else', async () => {
        const { lines } = example(folder);
        const verdicts = lines.flatMap((line) => line.verdicts);
        assert.deepEqual(
          verdicts.filter(({ status }) => status === 'error'),
          [],
        );
        const asked = lines.reduce((sum, { usage }) => sum + usage.calls, 0);
        // Cases with labels are judged once without and once with examples by `turnlight judges`.
        const { labels } = await readLabels(example(folder).suite.path);
        assert.equal(asked + 2 * labels.length, (await recorded(folder)).length);
      });

      it('quotes nothing that was not said', async () => {
        const quotes = objectsIn(example(folder).lines.map(({ verdicts }) => verdicts)).filter(
          (one) => typeof one.verified === 'boolean',
        );
        const judged = example(folder)
          .lines.flatMap(({ verdicts }) => verdicts)
          .some(({ judge }) => judge);
        assert.equal(quotes.length > 0, judged);
        assert.deepEqual(
          quotes.filter(({ verified }) => verified === false),
          [],
        );
        // This also includes quotes that aren't in a verdict, such as those of a sample that isn't the median.
        for (const exchange of await recorded(folder)) {
          if (exchange.kind !== 'model' || !exchange.reply) continue;
          const shown = fold(exchange.request.messages.map(({ content }) => content).join('\n'));
          for (const { evidence } of objectsIn(JSON.parse(exchange.reply.text))) {
            if (typeof evidence === 'string') assert.ok(shown.includes(fold(evidence)), evidence);
          }
        }
      });
    });
  }

  for (const [tool, rows] of Object.entries(ROWS)) {
    for (const [name, type, place] of rows) {
      it(`show ${type} for ${name} of ${tool} in ${place}, and the README says so`, async () => {
        const [folder = '', id] = place.split('/');
        const found = example(folder).suite.cases.find((one) => one.id === id);
        assert.ok(typesIn(found?.assertions ?? []).includes(type));
        const readme = await readFile(join(EXAMPLES, 'README.md'), 'utf8');
        const cells = readme.split('\n').map((line) => line.split(/\s*\|\s*/).slice(1, -1));
        const row = [tool, `\`${name}\``, `\`${type}\``, `\`${place}\``];
        assert.ok(
          cells.some((one) => one.join() === row.join()),
          'no such row in the README',
        );
      });
    }
  }

  it('show every type but plain equality and limits of what a live target used', () => {
    const cases = [...ran.values()].flatMap(({ suite }) => suite.cases);
    const shown = new Set(cases.flatMap(({ assertions }) => typesIn(assertions)));
    const others = assertionTypes.map(({ type }) => type).filter((type) => !shown.has(type));
    assert.deepEqual(others.sort(), ['equals', 'max-cost', 'max-latency', 'max-tokens']);
  });

  const verdictOf = (folder: string, id: string) => {
    const [verdict] = example(folder).lines.find((line) => line.id === id)?.verdicts ?? [];
    assert.ok(verdict);
    return verdict;
  };

  it('show what is told beside a score', () => {
    const gEval = verdictOf('deepeval', 'g-eval');
    assert.equal(Number(gEval.value).toFixed(2), '8.20');
    assert.equal(gEval.details.weighting, 'token probabilities');
    const graph = verdictOf('deepeval', 'decision-graph');
    const path = objectsIn(graph.details.path).map(({ node }) => node);
    assert.deepEqual(path, ['summary', 'answered', 'tone']);
    const samples = verdictOf('composition', 'samples');
    assert.deepEqual([samples.judge?.samples, samples.judge?.unstable], [3, true]);
    const gate = verdictOf('composition', 'required-gate');
    assert.deepEqual(gate.details.scores_per_turn, [1, 0]);
    assert.deepEqual([gate.details.promises, gate.details.kept], ['2', '1']);
    assert.equal(verdictOf('composition', 'each-turn-by-itself').usage.calls, 3);
    assert.equal(verdictOf('azure', 'customer-satisfaction').value, 3);
    assert.equal(verdictOf('mlflow', 'own-judge').label, 'mostly_polite');
    assert.equal(verdictOf('mlflow', 'user-frustration').label, 'resolved');
  });
});
