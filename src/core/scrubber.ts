import { type Logger, mapLog } from './logger.ts';
import { MIN_NEEDLE, Needles } from './text/needles.ts';
import { unicodeEscape, visibleLine } from './text/visibleText.ts';

/** `PWD` and `OLDPWD` are folders, not passwords. */
const SECRET_NAMES = [
  /KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|AUTHORIZATION|CREDENTIAL/i,
  /(?<![A-Z0-9])(?:PASS|PAT|DSN)(?![A-Z0-9])/i,
  /COOKIES?$|(?<![A-Z0-9])AUTH$|(?<!^(?:OLD)?)PWD$/i,
];

/** Whether a variable or header contains a secret, judging by its name. */
export function isSecretName(name: string): boolean {
  return SECRET_NAMES.some((pattern) => pattern.test(name));
}

/** Also matches addresses with several hosts, which `URL` can't parse. */
const USER_AND_PASSWORD = /^(?:[a-z][a-z0-9+.-]*:)+\/\/([^/?#:]*):([^/?#]*)@/i;

/** An ordinary word, such as `postgres`, the password of many test databases. Hiding it would garble text. */
const ORDINARY_WORD = /^[a-z]{1,12}$/i;

/** The password as written in an address and, unless an escape is malformed, in decoded form. */
function formsOfPassword(password: string): string[] {
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

/** Maximum characters of a secret's name to show. A header can have any name. */
const MAX_NAME = 100;

/** Also matches escaped line breaks, which secrets contain in `.env` and JSON files. */
const LINE_BREAKS = /(?:[\r\n]|\\[rn])+/;

/** More lines than a certificate chain with a key has. */
const MAX_LINES = 1_000;

const PEM_BOUNDARY = /^-----(?:BEGIN|END) [^-]*-----$/;

/**
 * Removes secrets from text: `sk-0123456789` becomes `[hidden: OPENAI_API_KEY]`, also within a URL, JSON, or base64.
 */
export class Scrubber {
  /** Secrets' names by each of their encoded forms. */
  readonly #names = new Map<string, string>();
  #needles: Needles | undefined;

  /** @param env contains the first secrets, by name */
  constructor(env: Readonly<Record<string, string | undefined>> = {}) {
    this.addSecretsOf(env);
  }

  /** Adds values whose names mark them as secrets, and passwords in addresses. */
  addSecretsOf(named: Readonly<Record<string, string | undefined>>): void {
    for (const [name, value = ''] of Object.entries(named)) {
      if (isSecretName(name)) this.add(name, value);
      const [, , password = ''] = USER_AND_PASSWORD.exec(value.trim()) ?? [];
      if (!ORDINARY_WORD.test(password)) this.addPassword(name, password);
    }
  }

  /** @param password as written in an address */
  addPassword(name: string, password: string): void {
    for (const form of formsOfPassword(password)) this.add(name, form);
  }

  /** Also hides each line of a multiline secret, such as a PEM key, since programs print lines one by one. */
  add(name: string, value: string | undefined): void {
    const secret = value?.trim() ?? '';
    this.#addText(name, secret);
    const lines = secret.split(LINE_BREAKS, MAX_LINES).map((line) => line.trim());
    for (const line of lines) if (!PEM_BOUNDARY.test(line)) this.#addText(name, line);
  }

  #addText(name: string, secret: string): void {
    // Shorter values are ordinary words: hiding them would garble text.
    if (secret.length < MIN_NEEDLE || this.#names.has(secret)) return;
    const shownName = visibleLine(name, MAX_NAME);
    this.#needles ??= new Needles();
    for (const form of formsOf(secret)) {
      if (this.#names.has(form)) continue;
      this.#names.set(form, shownName);
      this.#needles.add(form);
    }
  }

  log(log: Logger): Logger {
    return mapLog(log, (message) => this.text(message));
  }

  text(text: string): string {
    let clean = '';
    let done = 0;
    for (const { needle, start, end } of this.#needles?.find(text) ?? []) {
      clean += text.slice(done, start) + this.#placeholder(needle);
      done = end;
    }
    return done === 0 ? text : clean + text.slice(done);
  }

  /** The beginning of streamed text: the part that no secret can extend beyond. */
  beginning(text: string): string {
    const clean = this.text(text);
    return clean.slice(0, clean.length - (this.#needles?.overlap(clean) ?? 0));
  }

  /**
   * Keeps Turnlight's own keys and words, and the names of files and cases, even if a secret equals one. Returns the
   * same object if there are no secrets.
   */
  data<Data>(data: Data): Data {
    return this.#needles ? (this.#clean(data, '', false) as Data) : data;
  }

  /** Like `data`, for data whose keys others chose, such as a server's answer. */
  foreign<Data>(data: Data): Data {
    return this.#needles ? (this.#clean(data, '', true) as Data) : data;
  }

  /** Scrubs an answer's text. If the text is JSON, its keys, its numbers, and words from its schema are kept. */
  answer(text: string, schema: unknown): string {
    const clean = this.text(text);
    if (clean === text) return text;
    const own = new Set<string>();
    eachText(schema, (word) => void own.add(word));
    const change = (word: string) => (own.has(word) ? word : this.text(word));
    try {
      return JSON.stringify(mapTexts(JSON.parse(text), change));
    } catch {
      return clean;
    }
  }

  /**
   * Restores the secrets in scrubbed data that `known` also contains, so that the two can be compared.
   *
   * @param known for example, an assertion's keys; backslashes in a pattern don't matter
   */
  restore<Data>(data: Data, known: unknown): Data {
    const secrets = new Map<string, string>();
    eachText(known, (text) => {
      const unescaped = text.replace(/\\(\W)/g, '$1');
      for (const one of [text, unescaped]) {
        for (const { needle } of this.#needles?.find(one) ?? []) {
          secrets.set(this.#placeholder(needle), needle);
        }
      }
    });
    if (secrets.size === 0) return data;
    return mapTexts(data, (text) => {
      let restored = text;
      for (const [placeholder, secret] of secrets) {
        restored = restored.replaceAll(placeholder, () => secret);
      }
      return restored;
    }) as Data;
  }

  #placeholder(needle: string): string {
    return `[hidden: ${this.#names.get(needle)}]`;
  }

  json(data: unknown): string {
    return JSON.stringify(this.data(data));
  }

  /** @param isForeign whether others chose the keys */
  #clean(value: unknown, key: string, isForeign: boolean): unknown {
    if (typeof value === 'string') {
      return !isForeign && OWN_WORDS.get(key)?.test(value) ? value : this.text(value);
    }
    if (typeof value === 'number' && isForeign) {
      const text = String(value);
      const clean = this.text(text);
      return clean === text ? value : clean;
    }
    if (Array.isArray(value)) {
      const clean = value.map((one) => this.#clean(one, key, isForeign));
      return clean.some((one, index) => one !== value[index]) ? clean : value;
    }
    if (typeof value !== 'object' || value === null) return value;
    let isSame = true;
    const isCase = Object.hasOwn(value, 'suite');
    const entries = Object.entries(value).map(([name, one]) => {
      const cleanName = isForeign ? this.text(name) : name;
      const isOwn = !isForeign && (OWN_NAMES.has(name) || (isCase && name === 'id'));
      if (isOwn && isNames(one)) return [name, one];
      const clean = this.#clean(one, name, isForeign || FOREIGN_KEYS.has(name));
      isSame &&= cleanName === name && clean === one;
      return [cleanName, clean];
    });
    return isSame ? value : Object.fromEntries(entries);
  }
}

/** Whether JSON data contains a hidden secret's placeholder, or text that looks like one. */
export function hidesSecret(data: unknown): boolean {
  return JSON.stringify(data)?.includes('[hidden: ') ?? false;
}

/** JSON data in which a character that doesn't occur in text replaces each placeholder for a secret. */
export function blankSecrets<Data>(data: Data): Data {
  return mapTexts(data, (text) => text.replace(/\[hidden: [^[\]]*\]?/g, '\uffff')) as Data;
}

/** Calls back with every string in JSON data, including keys. */
function eachText(value: unknown, onText: (text: string) => void): void {
  mapTexts(value, (text) => {
    onText(text);
    return text;
  });
}

/** JSON data with its strings and keys replaced. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [change(key), mapTexts(one, change)]),
  );
}

/** Keys of ours whose values' keys are chosen by agents, programs, and authors. */
const FOREIGN_KEYS: ReadonlySet<string> = new Set([
  'arguments',
  'context',
  'details',
  'expectations',
  'parameters',
  'schema',
  'thoughts',
]);

/**
 * Our keys for names of files and cases. These names must be kept: they identify results, and a variable that isn't
 * secret, such as `SONAR_PROJECT_KEY`, may have the same value.
 */
const OWN_NAMES: ReadonlySet<string> = new Set(['suite', 'suite_name', 'variant', 'path', 'cases']);

function isNames(value: unknown): boolean {
  return Array.isArray(value)
    ? value.every((one) => typeof one === 'string')
    : typeof value === 'string';
}

const OWN_WORD = /^[a-z]+(?:-[a-z]+)*$/;

/** Values that programs compare, by our key for them. They appear in our source code, so they aren't secrets. */
const OWN_WORDS: ReadonlyMap<string, RegExp> = new Map([
  ['answerFormat', OWN_WORD],
  ['finish', OWN_WORD],
  ['kind', OWN_WORD],
  ['origin', OWN_WORD],
  ['outcome', /^(?:unchanged|undecided)$/],
  ['reason', /^(?:earlier-text|not-judged)$/],
  ['role', /^(?:assistant|developer)$/],
  ['says', /^no-evidence$/],
  ['side', OWN_WORD],
  ['stop_reason', OWN_WORD],
  ['test', /^wilcoxon$/],
  ['type', OWN_WORD],
]);

/** Characters that Go, Gson, and .NET escape in JSON, so that it can be part of HTML. */
const HTML_CHARACTERS = [/[&<>]/g, /[&'<=>]/g, /[&'+<>`]|[^\0-\x7f]/g];

function formsOf(secret: string): string[] {
  const quoted = inJson(secret);
  const ascii = quoted.replace(/[^\0-\x7f]/g, unicodeEscape);
  // The text as a request would send it; half a character would be an error.
  const sent = secret.replace(/\p{Surrogate}/gu, '\ufffd');
  const inUrl = encodeURIComponent(sent);
  const safe = HTML_CHARACTERS.map((pattern) => quoted.replace(pattern, unicodeEscape));
  const texts = [
    secret,
    quoted,
    // The text as Python and PHP write it in JSON.
    ascii,
    ...[quoted, ascii].map((text) => text.replaceAll('/', '\\/')),
    ...safe,
    ...safe.map((text) =>
      text.replaceAll(/\\u..../g, (code) => `\\u${code.slice(2).toUpperCase()}`),
    ),
    inUrl,
    inUrl.replaceAll('%2F', '/'),
    inUrl.replaceAll(/%../g, (code) => code.toLowerCase()),
    encodeURI(sent),
    new URLSearchParams({ '': secret }).toString().slice(1),
    inHtml(secret),
  ];
  return [
    ...texts,
    ...texts.map(inJson),
    ...[0, 1, 2].flatMap((offset) => base64At(secret, offset)),
  ];
}

function inHtml(text: string): string {
  const named = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return named.replaceAll('"', '&quot;');
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/**
 * The part of a text's base64 and base64url forms that doesn't depend on its context.
 *
 * @param offset bytes before it, modulo 3
 */
function base64At(text: string, offset: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]);
  const from = Math.ceil((offset * 8) / 6);
  const to = Math.floor((bytes.length * 8) / 6);
  return (['base64', 'base64url'] as const).map((code) => bytes.toString(code).slice(from, to));
}
