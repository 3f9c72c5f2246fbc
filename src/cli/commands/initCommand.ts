import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unreachable } from '../../core/errors.ts';
import { isError } from '../../core/problem.ts';
import { formatList } from '../../core/text/format.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { toUnwritableError } from '../../disk/fileErrors.ts';
import { linkStats } from '../../disk/regularFile.ts';
import { DEFAULT_PATH, evalFilePath, suiteName } from '../../evalfile/evalFilePath.ts';
import { overlayFiles } from '../../evalfile/files.ts';
import { loadSuite } from '../../evalfile/load.ts';
import { nodeFiles } from '../../evalfile/nodeFiles.ts';
import { type StarterTarget, starterAgent, starterText } from '../../evalfile/starter.ts';
import { writeEvalFile } from '../../interop/importedFiles.ts';
import { shownPath } from '../../report/style.ts';
import { missingKeys } from '../../runner/models.ts';
import { EXIT, type ExitCode, UsageError } from '../exitCode.ts';
import { EXAMPLE_MODEL, type INIT_TARGETS, JUDGE_VARIABLE } from '../options.ts';
import { assertWritesInside, workspaceOf } from '../paths.ts';
import type { Shell } from '../shell.ts';

interface InitOptions {
  readonly target: (typeof INIT_TARGETS)[number];
  readonly model?: string;
  readonly judge?: string;
}

/**
 * Creates a first eval file and an agent to replace with the real one, and prints the next command.
 *
 * @throws UsageError if the eval file exists, UnwritableError
 */
export async function init(
  name: string | undefined,
  options: InitOptions,
  shell: Shell,
): Promise<ExitCode> {
  const { folder, env } = shell;
  const read = evalFilePath(name ?? DEFAULT_PATH);
  if ('problem' in read) throw new UsageError(read.problem);
  const path = join(folder, read.path);
  const judge = options.judge ?? env(JUDGE_VARIABLE);
  const target = targetOf(options, judge);
  const starter = { name: suiteName(path), target, judge: judge ? { id: judge } : undefined };
  const texts = new Map([[path, starterText(starter)]]);
  const agent = starterAgent(target);
  // If there is already an agent, test it.
  const agentPath = agent && join(dirname(path), agent.name);
  if (agentPath && !linkStats(agentPath)) texts.set(agentPath, agent.text);

  for (const one of texts.keys()) assertWritesInside(one, folder);
  if (linkStats(path)) throw new UsageError(`${read.path} already exists. Pass another name.`);
  const files = overlayFiles(nodeFiles(), (one) => texts.get(one));
  const loaded = await loadSuite(path, files, { workspace: workspaceOf(folder), env });
  const error = loaded.problems.find(isError);
  if (error) throw new UsageError(visibleLine(error.message));

  await mkdir(dirname(path), { recursive: true }).catch((cause: unknown) => {
    throw toUnwritableError('The folder', dirname(path), cause);
  });
  for (const [file, text] of texts) await writeEvalFile(file, text, false);

  const created = [...texts.keys()].map((one) => shownPath(one, folder));
  const program = shell.processEnv('npm_command') === 'exec' ? 'npx turnlight' : 'turnlight';
  const [missing] = await missingKeys(loaded.suite?.cases ?? [], {
    secret: async (variable) => env(variable),
    env,
  });
  const lines = [
    `Created ${formatList(created)}.`,
    ...(judge
      ? []
      : [
          `It has no judge yet, and its first check needs none. For checks in plain English, add one to the file: judge: ${EXAMPLE_MODEL}, which needs OPENAI_API_KEY, or judge: ollama:qwen3:8b, which needs no key.`,
        ]),
    ...(missing
      ? [
          `${visibleLine(missing.model.id)} needs an API key: set ${missing.variable} in the environment, or in a file such as .env, and pass --dotenv .env.`,
        ]
      : []),
    ...(target.kind === 'http' && agentPath
      ? [`Start the service:  node ${shownPath(agentPath, folder)}`]
      : []),
    `Run it:  ${program} run ${read.path}`,
  ];
  shell.out.write(`${lines.join('\n')}\n`);
  return EXIT.passed;
}

function targetOf({ target, model }: InitOptions, judge: string | undefined): StarterTarget {
  switch (target) {
    case 'function':
      return { kind: 'module' };
    case 'program':
      return { kind: 'command' };
    case 'service':
      return { kind: 'http' };
    case 'model':
      return { kind: 'chat', model: { id: model ?? judge ?? EXAMPLE_MODEL } };
    case 'transcript':
      return { kind: 'transcript' };
    default:
      return unreachable(target);
  }
}
