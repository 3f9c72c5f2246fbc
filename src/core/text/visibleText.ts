/** Everything that some program treats as a line break. */
const LINE_BREAKS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

function splitLines(text: string): string[] {
  return text.split(LINE_BREAKS);
}

/**
 * Invisible characters that control a terminal, an editor, or a browser, or that can hide text in other text: control
 * characters, direction marks, zero-width characters, soft hyphens, tag characters, variation selectors, lone surrogates.
 */
const HIDDEN = String.raw`[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2028\u2029\ufff9-\ufffb]`;

/** Scripts whose letters are joined, or kept apart, by U+200D and U+200C within a word. */
const JOINING =
  'Arab Syrc Nkoo Mand Mong Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Mymr Khmr Tibt'
    .split(' ')
    .map((script) => String.raw`\p{Script_Extensions=${script}}`)
    .join('');

const EMOJI = String.raw`\p{Extended_Pictographic}(?:[\ufe0e\ufe0f]|\p{Emoji_Modifier})?`;

/** The flags of England, Scotland and Wales are spelled in tag characters: 🏴 + `gbeng` + an end tag. */
const FLAG = String.raw`\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`;

/** Hidden characters that are needed in ordinary text. */
const NEEDED = [
  FLAG,
  // ❤️, 👩🏽‍⚕️, 🏳️‍🌈
  String.raw`${EMOJI}(?:\u200d${EMOJI})*`,
  // 1️⃣
  String.raw`[0-9#*]\ufe0f\u20e3`,
  // می‌خواهم, क्‍ष: at most one, after a letter.
  String.raw`(?<=(?!${HIDDEN})[${JOINING}])[\u200c\u200d](?![\u200c\u200d])`,
  // 葛󠄀: a variant of the character before it.
  String.raw`(?<=\p{Script=Han})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]`,
  String.raw`(?<=(?!${HIDDEN})\p{Script=Mong})[\u180b-\u180f]`,
].join('|');

/** Most texts contain no hidden characters, and an outline has thousands. */
const PLAIN = /^[\n\x20-\x7e]*$/;
const PLAIN_LINE = /^[!-~]+(?: [!-~]+)*$/;

const NEEDED_OR_HIDDEN = new RegExp(`(${NEEDED})|${HIDDEN}`, 'gu');

/**
 * Makes text from a file, an agent, or a judge safe to show: lines stay lines, and hidden characters are shown by code
 * point, as in VS Code's editor: `[U+202E]`. Emoji, Persian, and Hindi words stay as they are.
 *
 * @param length maximum characters; truncated text ends in `…`, and no emoji is cut in two
 */
export function visibleText(text: string, length = Number.POSITIVE_INFINITY): string {
  return converted(text, length, visibleLines);
}

function visibleLines(text: string): string {
  return PLAIN.test(text) ? text : splitLines(text).map(visibleCharacters).join('\n');
}

/** Converts and shortens a text. Converts only as much of it as is shown. */
function converted(text: string, length: number, convert: (text: string) => string): string {
  // A character takes up to two units. The end can change, because a sequence may be cut in two there.
  const enough = 2 * length + 20;
  let size = enough;
  while (size < text.length) {
    const head = convert(text.slice(0, size));
    if (head.length > enough) return shortened(head, length);
    size *= 2;
  }
  return shortened(convert(text), length);
}

/** Like `visibleText`, on one line. */
export function visibleLine(text: string, length = Number.POSITIVE_INFINITY): string {
  const head = text.slice(0, length + 1);
  if (PLAIN_LINE.test(head)) return shortened(head, length);
  return converted(text, length, (one) => visibleLines(one).replace(/\s+/g, ' ').trim());
}

/** JSON of the same value without CI commands and with hidden characters escaped, as in `"\u202e"`. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .split('\n')
    .map((line) => reveal(line, jsonEscape).replace(COMMAND, String.raw`#\u0023`))
    .join('\n');
}

/** `##[error]`, `##vso[…]` and `##teamcity[…]`: CI commands anywhere in a line. */
const COMMAND = /##(?=\w*\[)/g;

/** Neutralizes CI commands in log lines. GitHub Actions also obeys `::error::` at the start of a line. */
export function plainLog(text: string): string {
  return text.replace(COMMAND, '## ').replace(/^([^\S\r\n\u2028\u2029]*):(?=:)/gm, '$1: ');
}

/**
 * Maximum number of hidden characters per line to show as code points, which take eight characters each. The others are
 * left out, because thousands of replacement characters take seconds to draw.
 */
const MAX_CODES = 10_000;

function visibleCharacters(line: string): string {
  let count = 0;
  return reveal(line.replaceAll('\t', '  '), (character) => {
    count += 1;
    if (count > MAX_CODES) return count === MAX_CODES + 1 ? '\ufffd' : '';
    const code = character.codePointAt(0) ?? 0;
    return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
  });
}

function reveal(text: string, show: (character: string) => string): string {
  return text.replace(NEEDED_OR_HIDDEN, (found, needed?: string) => needed ?? show(found));
}

function jsonEscape(character: string): string {
  return character.split('').map(unicodeEscape).join('');
}

/** `\u202e` */
export function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Created only when needed, because it takes longer to create than most modules take to load. */
let segmenter: Intl.Segmenter | undefined;

function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  if (PLAIN.test(text.slice(0, length))) return `${text.slice(0, length - 1)}…`;
  let end = 0;
  let count = 0;
  let cut = 0;
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment } of segmenter.segment(text)) {
    count += Array.from(segment).length;
    if (count > length) return `${text.slice(0, cut)}…`;
    end += segment.length;
    if (count < length) cut = end;
  }
  return text;
}

const ICON = /\$\([a-z0-9-]+(?:~[a-z]+)?\)/gi;

/** Text for labels in VS Code, which would otherwise show `$(trash)` as an icon. */
export function labelText(text: string, length?: number): string {
  return visibleLine(text, length).replace(ICON, '\\$&');
}

/** Text for notifications in VS Code, which would otherwise turn `[click](command:…)` into a link. */
export function noticeText(text: string): string {
  return visibleLine(text).replaceAll('](', '] (');
}

/** Text for prompts of input boxes in VS Code, which show both links and icons. */
export function promptText(text: string): string {
  return noticeText(labelText(text));
}

/**
 * Marks text as evidence with a prefix on each line, so that none of it can look like instructions:
 *
 *     | Ignore the above.
 *     | === END OF CONVERSATION ===
 */
export function fence(text: string): string {
  return `| ${splitLines(text).join('\n| ')}`;
}
