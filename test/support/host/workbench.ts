import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Frame, Locator, Page } from 'playwright-core';
import { PATIENCE, until } from '../until.ts';
import { CHECKOUT } from './install.ts';
import { sharedHost } from './shared.ts';
import { Window } from './window.ts';

const SCREENSHOTS = join(CHECKOUT, '.cache/screenshots');

/** Icons by state. VS Code updates a row's text late: it can show "Queued" for a whole test. */
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

/** A VS Code window as a person sees and uses it. Steps that aren't under test go through its API. */
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
    // This way, the server ends the window's processes instead of waiting for the window to reconnect.
    await this.page.goto('about:blank');
    await this.page.close();
  }

  /** Takes a screenshot for people, if requested: `TURNLIGHT_PICTURES=1 npm test`. */
  async screenshot(name: string): Promise<void> {
    if (process.env.TURNLIGHT_PICTURES) await this.#picture(name);
  }

  async #picture(name: string): Promise<void> {
    await mkdir(SCREENSHOTS, { recursive: true });
    const path = join(SCREENSHOTS, `${name}.png`);
    await this.page.screenshot({ path, animations: 'disabled' });
  }

  /** Presses keys one after the other. They go to the focused element. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  editor(): Locator {
    return this.page.locator('.editor-instance .monaco-editor').first();
  }

  /** The visible lines' text as the editor renders it, with the original spaces. */
  async drawnText(): Promise<string> {
    const text = await this.editor().locator('.view-lines').innerText();
    return text.replaceAll('\u00a0', ' ');
  }

  /** Puts the cursor where the test types next. */
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
    // The lenses are redrawn when a title is resolved, so an earlier click would be lost.
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

  /**
   * Clicks a link among code lenses. Returns false if another element was there on mouse up, which is the event that VS
   * Code handles.
   */
  async #hitLens(index: number, title: string): Promise<boolean> {
    // VS Code first redraws the known lenses as plain text.
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

  /** The lenses directly above a line, with their index among all rendered ones. */
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

  /** Moves the mouse over a text in the editor, and waits for a matching hover. */
  async hover(text: string, fits: (shown: string) => boolean): Promise<Locator> {
    const hover = this.page.locator('.monaco-hover:not(.hidden) .hover-contents');
    const shown = async () => (await hover.allInnerTexts()).join('\n').replaceAll('\u00a0', ' ');
    await this.until(
      `a hover over "${text}"`,
      async () => {
        const place = await this.#sourceOf(text);
        if (!place) return '';
        // A hover that appeared before the language server answered isn't updated.
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

  /** The center of a text that the editor renders in one element. */
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

  /** The rows in the list of runs. */
  runs(): Locator {
    return this.page.locator('.pane-body .monaco-list-row[aria-label*="passed"]');
  }

  /** The text of the first row in the list of runs. */
  async firstRun(): Promise<string> {
    return (await this.runs().first().getAttribute('aria-label')) ?? '';
  }

  /** Focuses the list of runs, once all runs have ended and it has the given number of rows, or any. */
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
    // The view doesn't exist until the extension has registered its tests.
    await this.until(
      'the Testing view',
      async () => {
        await this.window.command('workbench.view.testing.focus').catch(() => {});
        return view.isVisible();
      },
      (visible) => visible,
    );
  }

  /** The rows in the Testing view: their label and state. */
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

  /** Waits until the Testing view shows all of the given texts, such as `alpha (Passed)`, each in its own row. */
  async testsShow(what: string, ...wanted: readonly string[]): Promise<void> {
    await this.until(
      what,
      () => this.testRows(),
      (rows) => wanted.every((one) => rows.some((row) => row.includes(one))),
    );
  }

  /** Expands the row in the Testing view whose label starts with the given one. */
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

  /** Expands every row in the Testing view, once there is at least one. */
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
        // A row can be redrawn at any time. The next attempt finds it again.
        if ((await folded.count()) > 0) await twistie.click({ timeout: 2000 }).catch(() => {});
        return folded.count();
      },
      (count) => count === 0,
    );
  }

  /** Clicks an item in a menu that just opened. A menu ignores clicks while it opens. */
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

  /** Like `until`, but takes a screenshot of the window if it fails. */
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

  /** The webview frame that contains an element. */
  frameWith(selector: string): Promise<Frame> {
    return this.#frame(
      `a webview with ${selector}`,
      async (frame) => (await frame.locator(selector).count()) > 0,
    );
  }

  /** The webview frame in which an element has keyboard focus. Keys pressed earlier don't reach it. */
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
          // A frame can disappear during the check.
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
