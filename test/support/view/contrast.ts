import type { Frame, Page } from 'playwright-core';

/** WCAG 2.2, 1.4.3 (AA), for text that is not large. */
const NEEDED = 4.5;

interface SeenText {
  readonly words: string;
  readonly color: string;
  /** Backgrounds of the element and its ancestors, innermost first. */
  readonly grounds: readonly string[];
}

/**
 * Excluded elements: toolkit controls, whose background is in a shadow tree, and icons next to a word, which can have
 * less contrast.
 */
const LEFT_OUT = '.hidden, .sign, .badge .icon, script, turnlight-button, turnlight-dropdown';

const SEEN_TEXTS = `(() => {
  const seen = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.nodeValue.trim() || element.closest('${LEFT_OUT}')) continue;
    if (!element.checkVisibility()) continue;
    const grounds = [];
    for (let at = element; at; at = at.parentElement) grounds.push(getComputedStyle(at).backgroundColor);
    seen.push({
      words: element.className + ': ' + node.nodeValue.slice(0, 40),
      color: getComputedStyle(element).color,
      grounds,
    });
  }
  return seen;
})()`;

/** Visible texts with too little contrast to their background, each with its contrast. */
export async function paleTexts(page: Page | Frame): Promise<string[]> {
  const seen: SeenText[] = await page.evaluate(SEEN_TEXTS);
  if (seen.length === 0) throw new Error('There is no text to see.');
  return seen.flatMap(({ words, color, grounds }) => {
    const ground = grounds.map(parse).reduceRight(over);
    const contrast = contrastOf(over(ground, parse(color)), ground);
    return contrast < NEEDED ? [`${contrast.toFixed(2)} ${words}`] : [];
  });
}

/** Red, green and blue in 0..255, alpha in 0..1. */
type Color = readonly [number, number, number, number];

function parse(color: string): Color {
  const [red = 0, green = 0, blue = 0, alpha = 1] = (color.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue, alpha];
}

function over(below: Color, [red, green, blue, alpha]: Color): Color {
  const mix = (top: number, under: number) => top * alpha + under * (1 - alpha);
  return [mix(red, below[0]), mix(green, below[1]), mix(blue, below[2]), 1];
}

function contrastOf(one: Color, other: Color): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

/** Relative luminance, 0..1. */
function luminance([red, green, blue]: Color): number {
  const linear = (channel: number) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
