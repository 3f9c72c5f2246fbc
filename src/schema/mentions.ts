import type * as z from 'zod';
import { changedAt, isMapping, type Path, samePath } from '../core/data/data.ts';
import {
  type FileKind,
  type Meaning,
  SCOPES,
  type SymbolKind,
  type TemplateKind,
} from '../core/meaning.ts';
import { type Plan, planOf } from './plans.ts';

/** A place where something is named, as the schema says. */
export interface Mention {
  readonly kind: SymbolKind | FileKind;
  readonly role: 'declaration' | 'reference';
  readonly text: string;
  readonly path: Path;
  readonly part: 'key' | 'value';
  /** Where the name holds: the path of the case or the assertion, such as `cases/3`; else empty. */
  readonly scope: string;
  readonly inAssertion: boolean;
}

/** A text into which variables are filled. */
export interface Template {
  readonly kind: TemplateKind;
  readonly text: string;
  readonly path: Path;
  /** The case that it belongs to; `defaults`, or empty. */
  readonly scope: string;
}

export interface Mentions {
  readonly names: readonly Mention[];
  readonly templates: readonly Template[];
}

/** Everything in a value that the schema says is a name, a path or a text with variables. */
export function mentionsIn(schema: z.ZodType, value: unknown): Mentions {
  const plan = planOf(schema);
  return plan ? mentionsBy(plan, value) : { names: [], templates: [] };
}

/** Mappings stay the same objects from one version of a text to the next, but for the case that is edited. */
const KNOWN = new WeakMap<object, { readonly plan: Plan; readonly found: Mentions }>();

/** Paths and scopes are as if the value stood by itself. */
function mentionsBy(plan: Plan, value: unknown): Mentions {
  const known = isMapping(value) ? KNOWN.get(value) : undefined;
  if (known?.plan === plan) return known.found;
  const found = new Walk();
  found.visit(value, plan, OUTSIDE);
  if (isMapping(value)) KNOWN.set(value, { plan, found });
  return found;
}

interface Surroundings {
  readonly template?: TemplateKind | undefined;
  /** The paths of the case and of the assertion around it. */
  readonly case: string;
  readonly assertion: string;
}

const OUTSIDE: Surroundings = { case: '', assertion: '' };

class Walk implements Mentions {
  readonly names: Mention[] = [];
  readonly templates: Template[] = [];
  /** Of the value that is looked at. */
  readonly #path: (string | number)[] = [];

  visit(value: unknown, plan: Plan | undefined, around: Surroundings): void {
    if (plan?.meaning.opens === 'case' && this.#path.length > 0 && isMapping(value)) {
      this.#addCase(mentionsBy(plan, value));
      return;
    }
    const inside = plan ? within(plan, this.#path, around) : around;
    const options = plan?.options(value) ?? [];
    for (const option of options) this.visit(value, option, inside);
    if (options.length > 0) return;
    if (typeof value === 'string') this.#text(value, plan, inside);
    else if (Array.isArray(value)) this.#list(value, plan, inside);
    else if (isMapping(value)) this.#mapping(value, plan, inside);
  }

  #addCase({ names, templates }: Mentions): void {
    const above = [...this.#path];
    const scope = above.join('/');
    for (const one of names) {
      const path = [...above, ...one.path];
      this.names.push({ ...one, path, scope: scopeUnder(scope, one) });
    }
    for (const one of templates) {
      this.templates.push({ ...one, path: [...above, ...one.path], scope });
    }
  }

  #text(text: string, plan: Plan | undefined, inside: Surroundings): void {
    if (plan) this.#mention(text, plan, inside, 'value');
    const { template, case: scope } = inside;
    if (!template || !text.includes(template === 'env' ? '${' : '{{')) return;
    this.templates.push({ kind: template, text, path: [...this.#path], scope });
  }

  #mention(text: string, { meaning }: Plan, inside: Surroundings, part: 'key' | 'value'): void {
    const kind = kindOf(meaning);
    if (kind === undefined) return;
    this.names.push({
      kind,
      role: meaning.declares ? 'declaration' : 'reference',
      text,
      path: [...this.#path],
      part,
      scope: scopeOf(kind, inside),
      inAssertion: inside.assertion !== '',
    });
  }

  #list(list: readonly unknown[], plan: Plan | undefined, inside: Surroundings): void {
    const items = plan?.items;
    if (!items && !inside.template) return;
    for (const [index, item] of list.entries()) this.#step(index, item, items, inside);
  }

  #mapping(value: object, plan: Plan | undefined, inside: Surroundings): void {
    const named = plan && kindOf(plan.meaning) !== undefined;
    if (!named && !plan?.rest && !inside.template) {
      for (const [key, field] of plan?.fields ?? []) {
        if (Object.hasOwn(value, key)) this.#step(key, Reflect.get(value, key), field, inside);
      }
      return;
    }
    for (const [key, inner] of Object.entries(value)) {
      if (named) {
        this.#path.push(key);
        this.#mention(key, plan, inside, 'key');
        this.#path.pop();
      }
      this.#step(key, inner, plan?.fields.get(key) ?? plan?.rest, inside);
    }
  }

  #step(key: string | number, value: unknown, plan: Plan | undefined, inside: Surroundings): void {
    this.#path.push(key);
    this.visit(value, plan, inside);
    this.#path.pop();
  }
}

function scopeUnder(outer: string, { kind, scope }: Mention): string {
  const holds = SCOPES[kind];
  if (holds === 'suite') return '';
  return holds === 'case' ? outer : scope && `${outer}/${scope}`;
}

function kindOf({ declares, refersTo, file }: Meaning): SymbolKind | FileKind | undefined {
  return declares ?? refersTo ?? file;
}

function scopeOf(kind: SymbolKind | FileKind, around: Surroundings): string {
  const holds = SCOPES[kind];
  return holds === 'suite' ? '' : around[holds];
}

function within({ meaning }: Plan, path: Path, around: Surroundings): Surroundings {
  const { opens, template: own } = meaning;
  const template = own === 'none' ? undefined : (own ?? (opens ? undefined : around.template));
  if (opens === undefined) {
    return template === around.template ? around : { ...around, template };
  }
  const here = path.join('/');
  return opens === 'case'
    ? { template, case: here, assertion: '' }
    : { template, case: around.case, assertion: here };
}

/** What a text at a path would be. */
export interface Role extends Pick<Mention, 'role' | 'scope'> {
  readonly kind?: SymbolKind | FileKind;
  readonly template?: TemplateKind;
}

/** Is taken for a name, a path and a text with variables of either kind. */
const ANY_TEXT = '{{${';

/** The value without the items of lists that do not lead to a path: 300 other cases tell nothing of it. */
function onTheWay(value: unknown, [step, ...rest]: Path): unknown {
  if (step === undefined) return value;
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === step ? onTheWay(item, rest) : undefined));
  }
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).map(([key, one]) => {
    if (key === step) return [key, onTheWay(one, rest)];
    return [key, Array.isArray(one) ? [] : one];
  });
  return Object.fromEntries(entries);
}

/** What a text would be that stands at a path, or a key there; several where nothing tells. */
export function rolesAt(schema: z.ZodType, root: unknown, path: Path, onKey = false): Role[] {
  const { names, templates } = mentionsIn(
    schema,
    changedAt(onTheWay(root, path), path, () => ANY_TEXT),
  );
  const isHere = (one: Mention | Template) => samePath(one.path, path);
  const named = names.filter((one) => isHere(one) && (one.part === 'key') === onKey);
  const template = templates.find(isHere)?.kind;
  const filled = template && { template };
  const roles = named.map(({ kind, role, scope }) => ({ kind, role, scope, ...filled }));
  return roles.length > 0 ? roles : [{ role: 'reference', scope: '', ...filled }];
}
