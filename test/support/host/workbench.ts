import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Frame, Locator, Page } from 'playwright-core';
import { PATIENCE, until } from '../until.ts';
import { CHECKOUT } from './install.ts';
import { sharedHost } from './shared.ts';
import { Window } from './window.ts';

const SCREENSHOTS = join(CHECKOUT, '.cache/screenshots');

/** The icon of each state. VS Code changes the words of a row late: it may say "Queued" as long as a test runs. */
const ICONS: Readonly<Record<string, string>> = {
  Errored: 'testing-error-icon',
  Failed: 'testing-failed-icon',
  Passed: 'testing-passed-icon',
  Queued: 'testing-queued-icon',
  Running: 'loading',
  Skipped: 'testing-skipped-icon',
  'Not yet run': 'testing-unset-icon',
};

const STATES = new RegExp(`\\((?:${Object.keys(ICONS).join('|')})\\)`);

interface TestRow {
  readonly text: string | null;
  readonly label: string;
  readonly icon: string;
}

/** A window of VS Code as a person sees and uses it. What no test is about goes through its API. */
export class Workbench {
  readonly page: Page;
  readonly window: Window;

  private constructor(page: Page, window: Window) {
    this.page = page;
    this.window = window;
  }

  /** @param options `trusted: false` opens the folder in Restricted Mode */
  static async open(options: {
    readonly folder: string;
    readonly trusted: boolean;
  }): Promise<Workbench> {
    const { host, context } = await sharedHost(options.trusted);
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    await page.goto(host.urlOf(options.folder));
    await page.locator('.monaco-workbench .part.statusbar').waitFor();
    return new Workbench(page, await Window.of(options.folder, host.companions));
  }

  async close(): Promise<void> {
    // So that the server ends what runs for this window, instead of waiting for it to come back.
    await this.page.goto('about:blank');
    await this.page.close();
  }

  /** A picture for people to look at, where they ask for pictures: `TURNLIGHT_PICTURES=1 npm test`. */
  async screenshot(name: string): Promise<void> {
    if (process.env.TURNLIGHT_PICTURES) await this.#picture(name);
  }

  async #picture(name: string): Promise<void> {
    await mkdir(SCREENSHOTS, { recursive: true });
    const path = join(SCREENSHOTS, `${name}.png`);
    await this.page.screenshot({ path, animations: 'disabled' });
  }

  /** Presses keys one after the other, wherever the focus is. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  editor(): Locator {
    return this.page.locator('.editor-instance .monaco-editor').first();
  }

  /** What the editor draws of the lines that are seen, spaces as they were written. */
  async drawnText(): Promise<string> {
    const text = await this.editor().locator('.view-lines').innerText();
    return text.replaceAll('\u00a0', ' ');
  }

  /** Puts the cursor where the keys that follow are typed. */
  async putCursor(path: string, line: number, column: number): Promise<void> {
    await this.window.open(path, line, column);
    await this.page.locator('.editor-instance .monaco-editor.focused').waitFor();
  }

  /** Clicks a code lens above a line of a file. */
  async clickLens(title: string, path: string, line: number): Promise<void> {
    await this.window.open(path, line);
    const expected = await until(
      `a code lens "${title}" above line ${line}`,
      () => this.window.lenses(path, line),
      (titles) => titles.includes(title),
    );
    // Drawn anew as each title is known: a click before would be lost.
    const words = expected.filter((one) => one !== '').join(' | ');
    await this.until(
      `a click on "${title}" of "${words}" above line ${line}`,
      async () => {
        const lenses = await this.#lensesAbove(line);
        return lenses?.text === words && this.#hitLens(lenses.index, title);
      },
      (hit) => hit,
    );
  }

  /** Clicks a link among lenses. False where something else was there when the button came up, which is what VS Code hears. */
  async #hitLens(index: number, title: string): Promise<boolean> {
    // VS Code first draws again what it knows from before, as texts that do nothing.
    const link = this.editor()
      .locator('.codelens-decoration')
      .nth(index)
      .locator(`a:text-is("${title}")`);
    await this.page.evaluate(`globalThis.pressed = '';
    addEventListener('mouseup', ({ target }) => {
      globalThis.pressed = target.closest?.('.codelens-decoration a')?.textContent ?? '';
    }, { capture: true, once: true })`);
    await link.click({ timeout: 2000 }).catch(() => {});
    return (await this.page.evaluate<string>('globalThis.pressed')).trim() === title;
  }

  /** The lenses that are drawn right above a line, among all that are drawn. */
  async #lensesAbove(line: number): Promise<{ text: string; index: number } | undefined> {
    const number = this.editor()
      .locator('.line-numbers')
      .filter({ hasText: new RegExp(`^${line}$`) });
    const below = await number.boundingBox({ timeout: 1000 }).catch(() => null);
    if (!below) return undefined;
    for (const [index, lenses] of (
      await this.editor().locator('.codelens-decoration').all()
    ).entries()) {
      const box = await lenses.boundingBox();
      const gap = box ? below.y - box.y : 0;
      if (gap <= 0 || gap > below.height * 1.5) continue;
      return { text: (await lenses.innerText()).replace(/\s+/g, ' ').trim(), index };
    }
    return undefined;
  }

  /** Moves the mouse over a text of the editor and waits for a hover that fits. */
  async hover(text: string, fits: (shown: string) => boolean): Promise<Locator> {
    const hover = this.page.locator('.monaco-hover:not(.hidden) .hover-contents');
    const shown = async () => (await hover.allInnerTexts()).join('\n').replaceAll('\u00a0', ' ');
    await this.until(
      `a hover over "${text}"`,
      async () => {
        const place = await this.#sourceOf(text);
        if (!place) return '';
        // A hover that came before the language server has an answer stays as it is.
        await this.page.mouse.move(0, 0);
        await this.page.mouse.move(place.x, place.y, { steps: 3 });
        const deadline = performance.now() + 5000;
        while (!fits(await shown()) && performance.now() < deadline) {
          await this.page.waitForTimeout(50);
        }
        return shown();
      },
      fits,
    );
    return hover;
  }

  /** The middle of a text that the editor draws in one piece. */
  async #sourceOf(text: string): Promise<{ x: number; y: number } | undefined> {
    const piece = this.editor()
      .locator('.view-line span:not(:has(span))')
      .filter({ hasText: new RegExp(escapeRegExp(text).replaceAll(' ', '[\\s\\u00a0]')) });
    const box = await piece
      .first()
      .boundingBox({ timeout: 1000 })
      .catch(() => null);
    return box ? { x: box.x + box.width / 2, y: box.y + box.height / 2 } : undefined;
  }

  /** The rows of the list of runs. */
  runs(): Locator {
    return this.page.locator('.pane-body .monaco-list-row[aria-label*="passed"]');
  }

  /** What the first row of the list of runs says. */
  async firstRun(): Promise<string> {
    return (await this.runs().first().getAttribute('aria-label')) ?? '';
  }

  /** Puts the focus in the list of runs, once all have ended and it holds as many, or any. */
  async showRuns(count?: number): Promise<void> {
    await this.until(
      'the list of runs that ended',
      async () => {
        await this.window.command('turnlight.runs.focus').catch(() => {});
        const isFocused = await this.page.evaluate<boolean>(
          "document.activeElement?.closest('.pane-body') != null",
        );
        const labels: string[] = await this.runs().evaluateAll((rows) =>
          rows.map((row) => row.getAttribute('aria-label') ?? ''),
        );
        return isFocused && labels.every((one) => !one.includes(', running, ')) ? labels : [];
      },
      ({ length }) => (count === undefined ? length > 0 : length === count),
    );
  }

  async showTests(): Promise<void> {
    const view = this.page.locator('.test-explorer');
    // There is no such view before the extension has told VS Code of its tests.
    await this.until(
      'the Testing view',
      async () => {
        await this.window.command('workbench.view.testing.focus').catch(() => {});
        return view.isVisible();
      },
      (visible) => visible,
    );
  }

  /** The rows of the Testing view: what they show, and what they say of their state. */
  async testRows(): Promise<string[]> {
    const rows = this.page.locator('.test-explorer .monaco-list-row');
    const seen: TestRow[] = await rows.evaluateAll((all) =>
      all.map((row) => ({
        text: row.textContent,
        label: row.getAttribute('aria-label') ?? '',
        icon: row.querySelector('.computed-state')?.className ?? '',
      })),
    );
    return seen.map(({ text, label, icon }) => {
      const state = Object.keys(ICONS).find((one) => icon.includes(`codicon-${ICONS[one]}`));
      const age = icon.split(' ').includes('retired') ? ', outdated' : '';
      return `${text} — ${label.replace(STATES, `(${state}${age})`)}`;
    });
  }

  /** Waits until the Testing view shows all of these, such as `alpha (Passed)`, each in one of its rows. */
  async testsShow(what: string, ...wanted: readonly string[]): Promise<void> {
    await this.until(
      what,
      () => this.testRows(),
      (rows) => wanted.every((one) => rows.some((row) => row.includes(one))),
    );
  }

  /** Unfolds the row of the Testing view that begins with a label. */
  async unfoldTest(label: string): Promise<void> {
    const row = this.page
      .locator(`.test-explorer .monaco-list-row[aria-label^="${label} "]`)
      .first();
    await this.until(
      `${label} unfolded`,
      async () => {
        await row
          .locator('.monaco-tl-twistie')
          .click({ timeout: 2000 })
          .catch(() => {});
        return row.getAttribute('aria-expanded', { timeout: 2000 }).catch(() => null);
      },
      (expanded) => expanded === 'true',
    );
  }

  /** Unfolds every row of the Testing view, once there is one. */
  async unfoldTests(): Promise<void> {
    await this.until(
      'a row',
      () => this.testRows(),
      (rows) => rows.length > 0,
    );
    const folded = this.page.locator('.test-explorer .monaco-list-row[aria-expanded="false"]');
    await this.until(
      'no folded row',
      async () => {
        const twistie = folded.first().locator('.monaco-tl-twistie');
        // A row may be drawn anew at any time: another look finds it where it is now.
        if ((await folded.count()) > 0) await twistie.click({ timeout: 2000 }).catch(() => {});
        return folded.count();
      },
      (count) => count === 0,
    );
  }

  /** Clicks an item of the menu that was just opened, which takes no click at the moment in which it opens. */
  async chooseInMenu(label: string | RegExp): Promise<void> {
    const item = this.page.getByText(label).first();
    await item.waitFor();
    await this.until(
      `${label} chosen`,
      async () => {
        await item.click({ timeout: 1_000 }).catch(() => {});
        return item.isVisible();
      },
      (visible) => !visible,
    );
  }

  async reload(): Promise<void> {
    const loaded = this.page.waitForEvent('load');
    await this.window.reload();
    await loaded;
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor();
  }

  /** As `until`, with a picture of the window where it never comes. */
  async until<Seen>(
    what: string,
    look: () => Promise<Seen>,
    wanted: (seen: Seen) => boolean,
  ): Promise<Seen> {
    try {
      return await until(what, look, wanted);
    } catch (error) {
      await this.#picture(`failed-${what.replace(/\W+/g, '-').slice(0, 60)}`);
      throw error;
    }
  }

  /** The webview frame that holds an element. */
  frameWith(selector: string): Promise<Frame> {
    return this.#frame(
      `a webview with ${selector}`,
      async (frame) => (await frame.locator(selector).count()) > 0,
    );
  }

  /** The webview frame in which keys go to an element: none that is typed before gets there. */
  frameFocusedOn(selector: string): Promise<Frame> {
    return this.#frame(`the focus of a webview on ${selector}`, (frame) =>
      frame.evaluate<boolean>(
        `document.hasFocus() && document.activeElement?.matches(${JSON.stringify(selector)}) === true`,
      ),
    );
  }

  async #frame(what: string, fits: (frame: Frame) => Promise<boolean>): Promise<Frame> {
    const found: { frame?: Frame } = {};
    await this.until(
      what,
      async () => {
        for (const frame of this.page.frames()) {
          // A frame may go while it is looked at.
          if (await fits(frame).catch(() => false)) found.frame = frame;
        }
        return found.frame !== undefined;
      },
      (is) => is,
    );
    if (!found.frame) throw new Error(`There is not ${what}.`);
    return found.frame;
  }
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
