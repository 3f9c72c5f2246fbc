import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import type { CaseLine } from '../../src/core/record/runRecord.ts';
import { freePort } from '../../test/support/redis.ts';
import { until } from '../../test/support/until.ts';
import type { Missing } from '../npmTool.ts';
import { say } from '../print.ts';
import { promptfooEnv, promptfooScript } from '../promptfoo.ts';
import { act, elementsOf, heapOf, scrolled, timed } from './acts.ts';
import { evalId, evalText } from './promptfooEval.ts';

/**
 * Measurements of promptfoo's view in one round: milliseconds, except for the number of elements, and memory in bytes.
 */
export interface TheirRound {
  /** From a click on the eval in the list to the first rows. */
  readonly opened: number;
  readonly filtered: number;
  readonly searched: number;
  /** With its default of 50 cases per page. */
  readonly frame: number;
  readonly slowFrame: number;
  readonly nodes: number;
  readonly page: number;
  /** The same with its maximum of 1,000 cases per page, and the time until they appear. */
  readonly mostDrawn: number;
  readonly mostFrame: number;
  readonly mostSlowFrame: number;
  readonly mostNodes: number;
  readonly mostPage: number;
  /** Compared with another eval, with 50 cases per page. */
  readonly comparedOpened: number;
  readonly comparedFrame: number;
  readonly comparedNodes: number;
  /** Resident memory of promptfoo's server. */
  readonly held: number;
}

const [BASE, HEAD] = ['Base', 'Head'];

/** promptfoo's own view of the same two runs. */
export class PromptfooView {
  readonly #server: ChildProcess;
  readonly #origin: string;
  readonly #cases: number;
  /** Milliseconds that importing one of the runs takes. */
  readonly imported: number;

  private constructor(server: ChildProcess, origin: string, cases: number, imported: number) {
    this.#server = server;
    this.#origin = origin;
    this.#cases = cases;
    this.imported = imported;
  }

  static async start(
    folder: string,
    base: readonly CaseLine[],
    head: readonly CaseLine[],
  ): Promise<PromptfooView | Missing> {
    const script = await promptfooScript();
    if (typeof script !== 'string') return script;
    const home = join(folder, 'promptfoo-home');
    await mkdir(home);
    const env = { ...process.env, ...promptfooEnv(home) };
    const importing = async (name: string, cases: readonly CaseLine[]) => {
      say(`promptfoo imports ${cases.length} cases …`);
      const path = join(home, `${name}.json`);
      await writeFile(path, evalText(name, cases));
      const run = promisify(execFile);
      return timed(() => run(process.execPath, [script, 'import', path], { env, cwd: home }));
    };
    const imported = await importing(BASE, base);
    await importing(HEAD, head);
    const port = await freePort();
    const args = [script, 'view', '--no', '--port', String(port)];
    const server = spawn(process.execPath, args, { env, cwd: home, stdio: 'ignore' });
    const origin = `http://127.0.0.1:${port}`;
    const answers = () =>
      fetch(`${origin}/health`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until("promptfoo's view", answers, (ok) => ok);
    return new PromptfooView(server, origin, head.length, imported);
  }

  async measure(browser: Browser): Promise<TheirRound> {
    // promptfoo's page contacts other servers for feedback; this proxy blocks them.
    const context = await browser.newContext({
      viewport: { width: 900, height: 1000 },
      proxy: { server: 'http://127.0.0.1:9', bypass: '127.0.0.1' },
    });
    try {
      const page = await context.newPage();
      await page.goto(`${this.#origin}/evals`);
      const link = `a[href$="${evalId(HEAD)}"]`;
      await page.waitForSelector(link);
      const total = this.#cases.toString();
      const all = showing(`${total} results`);
      const opened = await acted(page, `document.querySelector('${link}').click()`, all);
      const { frame, slowFrame } = await scrolled(page, SCROLLER);
      const [nodes, heap] = [await elementsOf(page), await heapOf(page)];
      const filtered = await acted(
        page,
        clicked('Failures'),
        showing(`(?!${total})\\\\b\\\\d+ results`),
      );
      await acted(page, clicked('All'), all);
      const searched = await acted(page, typed('order 777 '), showing('\\\\b1 results'));
      await acted(page, typed(''), `${all} && ${ROWS.replace('> 0', '>= 50')}`);
      const most = await this.#most(page);
      const compared = await this.#compared(page);
      const { stdout } = await promisify(execFile)('ps', [
        '-o',
        'rss=',
        '-p',
        String(this.#server.pid),
      ]);
      return {
        ...{ opened, filtered, searched, frame, slowFrame, nodes, page: heap },
        ...most,
        ...compared,
        held: Number(stdout) * 1_024,
      };
    } finally {
      await context.close();
    }
  }

  /** Measures with promptfoo's maximum page size. */
  async #most(page: Page) {
    await page.getByLabel('Results per page').click();
    const option = page.getByRole('option', { name: '1000', exact: true });
    await option.waitFor();
    const drawing = acted(page, '', ROWS.replace('> 0', '>= 1000'));
    await option.click();
    const mostDrawn = await drawing;
    const { frame, slowFrame } = await scrolled(page, SCROLLER);
    const measured = {
      ...{ mostDrawn, mostFrame: frame, mostSlowFrame: slowFrame },
      mostNodes: await elementsOf(page),
      mostPage: await heapOf(page),
    };
    await page.getByLabel('Results per page').click();
    await page.getByRole('option', { name: '50', exact: true }).click();
    await page.waitForFunction(ROWS.replace('> 0', '=== 50'));
    return measured;
  }

  async #compared(page: Page) {
    await page.getByRole('button', { name: 'Eval actions' }).click();
    await page.getByRole('menuitem', { name: 'Compare with another eval' }).click();
    const row = page.getByRole('dialog').getByText(evalId(BASE));
    await row.waitFor();
    const drawing = acted(
      page,
      '',
      "!document.querySelector('[role=dialog]') && document.querySelectorAll('tbody tr:first-child td').length > 3",
    );
    await row.click();
    const comparedOpened = await drawing;
    const { frame } = await scrolled(page, SCROLLER);
    return { comparedOpened, comparedFrame: frame, comparedNodes: await elementsOf(page) };
  }

  async close(): Promise<void> {
    const ended = new Promise((done) => this.#server.once('exit', done));
    this.#server.kill();
    await ended;
  }
}

function acted(page: Page, action: string, done: string): Promise<number> {
  return page.evaluate<number>(act(action, done));
}

const SCROLLER = 'document.scrollingElement';

const ROWS = "document.querySelectorAll('tbody tr').length > 0";

function clicked(button: string): string {
  return `[...document.querySelectorAll('button')].find((one) => one.textContent === '${button}').click()`;
}

/** Sets the search field's value in a way that React notices. */
function typed(text: string): string {
  return `(() => {
    const field = document.querySelector('[placeholder="Search..."]');
    const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
    set.call(field, '${text}');
    field.dispatchEvent(new Event('input', { bubbles: true }));
  })()`;
}

/** Checks the line "Showing 1 to 50 of 10000 results". */
function showing(pattern: string): string {
  return `new RegExp('of ${pattern}').test(
    [...document.querySelectorAll('div')].findLast((one) => one.textContent.startsWith('Showing'))?.textContent ?? ''
  )`;
}
