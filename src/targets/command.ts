import { spawn } from 'node:child_process';
import { isAbsolute, resolve, sep } from 'node:path';
import * as z from 'zod';
import { toOpenaiChat } from '../messages/toOpenaiChat.ts';
import { withDeadline } from './deadline.ts';
import { commonKeys } from './keys.ts';
import { Lines } from './lines.ts';
import { readReply } from './reply.ts';
import { TargetError, type TargetType } from './target.ts';

const schema = z.strictObject({
  type: z.literal('command').meta({
    description: 'A program that speaks JSON lines, one process per conversation.',
  }),
  command: z.array(z.string().min(1)).min(1).meta({
    description: 'The program and its arguments; no shell reads them.',
  }),
  cwd: z.string().min(1).optional().meta({ description: "Its folder; this file's unless given." }),
  env: z.record(z.string(), z.string()).optional().meta({ description: 'More variables for it.' }),
  ...commonKeys,
});

/** A reply longer than this is refused instead of read. */
const MAX_REPLY = 16 * 1024 * 1024;

export const commandTarget: TargetType = {
  type: 'command',
  summary: 'A program that speaks JSON lines over stdin and stdout',
  schema,
  repliesWithSystemTexts: true,
  keysDecide: false,
  files({ folder, params }) {
    const { command, cwd = '.' } = schema.parse(params);
    return command.filter((part) => !isAbsolute(part)).map((part) => resolve(folder, cwd, part));
  },
  async open(spec, host) {
    const params = schema.parse(spec.params);
    const cwd = resolve(spec.folder, params.cwd ?? '.');
    if (cwd !== host.workspace && !cwd.startsWith(host.workspace + sep)) {
      const message = `The \`cwd\` of "${spec.name}" leaves the workspace folder.`;
      throw new TargetError('target-not-found', message);
    }
    const [program = '', ...args] = params.command;
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...params.env },
      stdio: ['pipe', 'pipe', 'pipe'],
      // A group of its own, so that what it started ends with it.
      detached: process.platform !== 'win32',
    });
    const errors = new Lines((line) => host.log.info(`[${spec.name}] ${line}`));
    child.stderr.on('data', (data: Buffer) => errors.add(data));

    let settle: ((line: string | TargetError) => void) | undefined;
    let ended: TargetError | undefined;
    let pending = '';
    const decoder = new TextDecoder();
    const end = (reason: TargetError['reason'], message: string) => {
      ended ??= new TargetError(reason, message);
      settle?.(ended);
    };
    child.stdout.on('data', (data: Buffer) => {
      pending += decoder.decode(data, { stream: true });
      if (pending.length > MAX_REPLY) {
        end(
          'target-malformed-reply',
          `The program's reply is longer than ${MAX_REPLY} characters.`,
        );
        kill();
        return;
      }
      const lines = pending.split('\n');
      pending = lines.pop() ?? '';
      for (const line of lines) if (line.trim() !== '') settle?.(line);
    });
    child.stdin.on('error', () => {});
    child.on('error', (error) => {
      end('target-not-found', `The program ${program} could not be started: ${error.message}`);
    });
    child.on('close', (code, signal) => {
      const how = signal ? `was ended by ${signal}` : `exited with code ${code}`;
      end('target-crashed', `The program ${how} before it replied.${errors.tail()}`);
    });
    const kill = () => {
      try {
        if (child.pid !== undefined && process.platform !== 'win32')
          process.kill(-child.pid, 'SIGKILL');
        else child.kill('SIGKILL');
      } catch {
        // It had ended by itself.
      }
    };
    return {
      async reply(messages, signal) {
        const line = new Promise<string>((done, fail) => {
          if (ended) return fail(ended);
          settle = (got) => (got instanceof TargetError ? fail(got) : done(got));
        });
        const input = {
          messages: messages.map(toOpenaiChat),
          case: host.caseId,
          context: host.context,
        };
        child.stdin.write(`${JSON.stringify(input)}\n`);
        try {
          return readReply(parse(await withDeadline(line, params.timeout ?? host.timeout, signal)));
        } catch (error) {
          kill();
          throw error;
        }
      },
      async close() {
        kill();
      },
    };
  },
};

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    const shown = line.slice(0, 200);
    const message = `The program printed a line that is not JSON: ${shown}. Log to stderr instead.`;
    throw new TargetError('target-malformed-reply', message);
  }
}
