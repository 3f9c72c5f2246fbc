import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Frame, Locator, Page } from 'playwright-core';
import { launchBrowser } from './browser.ts';
import { CHECKOUT } from './install.ts';
import { type Host, type HostOptions, startHost } from './server.ts';

const SCREENSHOTS = join(CHECKOUT, '.cache/screenshots');

const TIMEOUT = 30_000;

/** A VS Code window as a person uses it: commands, keys, what is to be seen. */
export class Workbench {
  readonly page: Page;
  readonly #host: Host;
  readonly #browser: Browser;

  private constructor(page: Page, host: Host, browser: Browser) {
    this.page = page;
    this.#host = host;
    this.#browser = browser;
  }

  static async open(options: HostOptions): Promise<Workbench> {
    const host = await startHost(options);
    const browser = await launchBrowser();
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    page.setDefaultTimeout(TIMEOUT);
    await page.goto(host.url);
    await page.locator('.monaco-workbench .part.statusbar').waitFor();
    return new Workbench(page, host, browser);
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.#host.stop();
  }

  async screenshot(name: string): Promise<void> {
    await mkdir(SCREENSHOTS, { recursive: true });
    await this.page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
  }

  /** Runs a command of the palette by its title; commands of a window that still opens come late. */
  async command(title: string): Promise<void> {
    const row = this.page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first();
    for (let tries = 0; ; tries += 1) {
      await this.page.keyboard.press('F1');
      const input = this.page.locator('.quick-input-widget input.input');
      await input.waitFor();
      await input.fill(`>${title}`);
      try {
        await row.click({ timeout: 3000 });
        return;
      } catch (error) {
        if (tries === 5) throw error;
        await this.page.keyboard.press('Escape');
      }
    }
  }

  /** Opens a file of the workspace by quick open, beside whatever stands to the right. */
  async openFile(name: string): Promise<void> {
    await this.page.keyboard.press('Control+1');
    await this.page.keyboard.press('Control+P');
    const input = this.page.locator('.quick-input-widget input.input');
    await input.waitFor();
    await input.fill(name);
    const row = this.page.locator('.quick-input-list .monaco-list-row', { hasText: name }).first();
    await row.waitFor();
    await row.click();
    const base = name.split('/').at(-1) ?? name;
    await this.page.locator(`.tab[data-resource-name="${base}"]`).waitFor();
    await this.editor().locator('.view-line').first().waitFor();
  }

  editor(): Locator {
    return this.page.locator('.editor-instance .monaco-editor').first();
  }

  /** The rendered line of the editor that holds a text. */
  line(text: string): Locator {
    // The editor renders spaces as no-break spaces.
    const pattern = new RegExp(escapeRegExp(text).replaceAll(' ', '[\\s\\u00a0]'));
    return this.editor().locator('.view-line', { hasText: pattern }).first();
  }

  /** Clicks a code lens above the line that holds `near`. */
  async clickLens(title: string, index = 0): Promise<void> {
    await this.#settledLenses();
    const lens = this.editor().locator('.codelens-decoration a', {
      hasText: new RegExp(`^${escapeRegExp(title)}$`),
    });
    await lens.nth(index).click();
  }

  /** Lenses are drawn anew when what a run takes is known: a click in between is lost. */
  async #settledLenses(): Promise<void> {
    const read = () => this.editor().locator('.codelens-decoration').allInnerTexts();
    let before = await read();
    await this.until(
      async () => {
        await this.page.waitForTimeout(400);
        const now = await read();
        const same = now.length > 0 && now.join() === before.join();
        before = now;
        return same;
      },
      (same) => same,
      'code lenses that stay',
    );
  }

  /** Goes to a line and column, from 1. */
  async goTo(line: number, column = 1): Promise<void> {
    await this.page.keyboard.press('Control+G');
    const input = this.page.locator('.quick-input-widget input.input');
    await input.waitFor();
    await input.fill(`:${line}:${column}`);
    await this.page.keyboard.press('Enter');
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  }

  /** The text of the hover at the cursor. */
  async hoverText(): Promise<string> {
    await this.command('Show or Focus Hover');
    const hover = this.page.locator('.monaco-hover:not(.hidden)', {
      has: this.page.locator('.hover-contents'),
    });
    await hover.first().waitFor();
    return (await hover.first().textContent()) ?? '';
  }

  /** The rows of the Testing view: what they show, and what they say of their state. */
  async testRows(): Promise<string[]> {
    const rows = this.page.locator('.test-explorer .monaco-list-row');
    const labels: string[] = await rows.evaluateAll((all) =>
      all.map((row) => `${row.textContent} — ${row.getAttribute('aria-label')}`),
    );
    return labels;
  }

  /** Unfolds every row of the Testing view. */
  async unfoldTests(): Promise<void> {
    const folded = this.page.locator('.test-explorer .monaco-list-row[aria-expanded="false"]');
    for (let rounds = 0; rounds < 20 && (await folded.count()) > 0; rounds += 1) {
      await folded.first().locator('.monaco-tl-twistie').click();
      await this.page.waitForTimeout(50);
    }
  }

  async theme(name: string): Promise<void> {
    await this.command('Preferences: Color Theme');
    const input = this.page.locator('.quick-input-widget input.input');
    await input.waitFor();
    await input.fill(name.replace(/^Default /, ''));
    await this.page.keyboard.press('Enter');
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  }

  /** By its own command: a page that is only loaded anew may lose what the window was about to keep. */
  async reload(): Promise<void> {
    const loaded = this.page.waitForEvent('load');
    await this.command('Developer: Reload Window');
    await loaded;
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor();
  }

  /** Waits until a look at the window gives what is wanted. */
  async until<Seen>(
    look: () => Promise<Seen>,
    wanted: (seen: Seen) => boolean,
    what: string,
  ): Promise<Seen> {
    const deadline = Date.now() + TIMEOUT;
    let seen = await look();
    while (!wanted(seen)) {
      if (Date.now() > deadline) {
        await this.screenshot('failed');
        throw new Error(`${what}: not seen. The last look gave ${JSON.stringify(seen)}`);
      }
      await this.page.waitForTimeout(100);
      seen = await look();
    }
    return seen;
  }

  /** The webview frame that holds an element. */
  async frameWith(selector: string): Promise<Frame> {
    return this.until(
      async () => {
        for (const frame of this.page.frames()) {
          if (
            await frame
              .locator(selector)
              .count()
              .catch(() => 0)
          )
            return frame;
        }
        return undefined;
      },
      (frame): frame is Frame => frame !== undefined,
      `a webview with ${selector}`,
    ) as Promise<Frame>;
  }
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
