import type * as z from 'zod';
import { isMapping, type Path, samePath, withValueAt } from '../core/data/data.ts';
import {
  type FileKind,
  MEANING_KEYS,
  type Meaning,
  SCOPES,
  type SymbolKind,
  type TemplateKind,
} from '../core/meaning.ts';
import { definition, metaOf, unwrap } from './schemaWalk.ts';

/** A name in a value, as determined by the schema. */
export interface Mention {
  readonly kind: SymbolKind | FileKind;
  readonly role: 'declaration' | 'reference';
  readonly text: string;
  readonly path: Path;
  readonly part: 'key' | 'value';
  /** The case or assertion within which the name is valid, such as `cases/3`; empty for the whole file. */
  readonly scope: string;
  readonly inAssertion: boolean;
}

/** Text in which variables are filled in. */
export interface Template {
  readonly kind: TemplateKind;
  readonly text: string;
  readonly path: Path;
  /** The path of its case, `defaults`, or empty. */
  readonly scope: string;
}

interface Mentions {
  readonly names: readonly Mention[];
  readonly templates: readonly Template[];
}

/** Finds all names, paths, and texts with variables in a value. */
export function mentionsIn(schema: z.ZodType, value: unknown): Mentions {
  const plan = planOf(schema);
  return plan ? mentionsBy(plan, value) : { names: [], templates: [] };
}

/** Mentions by value. Unchanged cases remain the same objects from one version of a text to the next. */
const FOUND = new WeakMap<object, { readonly plan: Plan; readonly found: Mentions }>();

/** Paths and scopes are relative to the value. */
function mentionsBy(plan: Plan, value: unknown): Mentions {
  const known = isMapping(value) ? FOUND.get(value) : undefined;
  if (known?.plan === plan) return known.found;
  const found = new Walk();
  found.visit(value, plan, OUTSIDE);
  if (isMapping(value)) FOUND.set(value, { plan, found });
  return found;
}

interface Surroundings {
  readonly template?: TemplateKind | undefined;
  /** Paths of the enclosing case and assertion. */
  readonly case: string;
  readonly assertion: string;
}

const OUTSIDE: Surroundings = { case: '', assertion: '' };

class Walk implements Mentions {
  readonly names: Mention[] = [];
  readonly templates: Template[] = [];
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
    const level = SCOPES[kind];
    this.names.push({
      kind,
      role: meaning.declares ? 'declaration' : 'reference',
      text,
      path: [...this.#path],
      part,
      scope: level === 'suite' ? '' : inside[level],
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
  if (SCOPES[kind] === 'suite') return '';
  return SCOPES[kind] === 'case' ? outer : scope && `${outer}/${scope}`;
}

function kindOf({ declares, refersTo, file }: Meaning): SymbolKind | FileKind | undefined {
  return declares ?? refersTo ?? file;
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

/** The role of the string at a path. */
export interface Role extends Pick<Mention, 'role' | 'scope'> {
  readonly kind?: SymbolKind | FileKind;
  readonly template?: TemplateKind;
}

/** Text that can be a name, a path, or text with variables of either kind. */
const ANY_TEXT = '{{${';

/** Drops list items that aren't on the path, such as hundreds of other cases. */
function pruneTo(value: unknown, [step, ...rest]: Path): unknown {
  if (step === undefined) return value;
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === step ? pruneTo(item, rest) : undefined));
  }
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).map(([key, one]) => {
    if (key === step) return [key, pruneTo(one, rest)];
    return [key, Array.isArray(one) ? [] : one];
  });
  return Object.fromEntries(entries);
}

/** The roles of the string or key at a path; more than one if the schema is ambiguous. */
export function rolesAt(schema: z.ZodType, root: unknown, path: Path, onKey = false): Role[] {
  const value = withValueAt(pruneTo(root, path), path, () => ANY_TEXT);
  const { names, templates } = mentionsIn(schema, value);
  const isHere = (one: Mention | Template) => samePath(one.path, path);
  const named = names.filter((one) => isHere(one) && (one.part === 'key') === onKey);
  const template = templates.find(isHere)?.kind;
  const filled = template && { template };
  const roles = named.map(({ kind, role, scope }) => ({ kind, role, scope, ...filled }));
  return roles.length > 0 ? roles : [{ role: 'reference', scope: '', ...filled }];
}

type Schema = z.core.$ZodType;

/**
 * The part of a schema that can contain names, so that walking through thousands of messages visits only their tool
 * calls. Undefined for a schema without names.
 */
interface Plan {
  readonly meaning: Meaning;
  /** The kind of value that the plan matches. */
  readonly form: 'word' | 'list' | 'mapping' | 'any';
  /** Keys of a mapping that can contain names. */
  readonly fields: ReadonlyMap<string, Plan>;
  /** The plan for the values of a mapping with arbitrary keys. */
  readonly rest?: Plan | undefined;
  readonly items?: Plan | undefined;
  /** A mapping contains names only if it has one of these keys; undefined if it always may. */
  readonly keys?: ReadonlySet<string> | undefined;
  /** Values that a mapping must contain to match: `type: tool_use`. */
  readonly literals: readonly (readonly [key: string, values: readonly unknown[]])[];
  /** For a union, the plans that match a value. */
  options(value: unknown): readonly Plan[];
}

const PLANS = new WeakMap<Schema, { plan: Plan | undefined }>();

function planOf(schema: Schema): Plan | undefined {
  const known = PLANS.get(schema);
  if (known) return known.plan;
  const plan = compile(schema);
  PLANS.set(schema, { plan });
  return plan;
}

const NONE = { fields: new Map<string, Plan>(), literals: [], options: () => [] } as const;

function compile(schema: Schema): Plan | undefined {
  const meaning = meaningOf(schema);
  const plain = unwrap(schema, false);
  const { type, getter, shape, valueType, element, options } = definition(plain);
  // A lazy schema isn't known yet, so it may contain names.
  if (getter) return { ...NONE, meaning, form: 'any', options: () => optional(planOf(getter())) };
  if (options) return unionPlan(plain, meaning);
  const means = Object.keys(meaning).length > 0;
  if (shape) {
    const fields = new Map(
      Object.entries(shape).flatMap(([key, field]) => {
        const plan = planOf(field);
        return plan ? [[key, plan] as const] : [];
      }),
    );
    const keys = means ? undefined : new Set(fields.keys());
    const literals = literalsOf(shape);
    const plan = { ...NONE, meaning, form: 'mapping', fields, keys, literals } as const;
    return means || fields.size > 0 ? plan : undefined;
  }
  if (valueType) {
    const rest = planOf(valueType);
    return means || rest ? { ...NONE, meaning, form: 'mapping', rest } : undefined;
  }
  if (element) {
    const items = planOf(element);
    return means || items ? { ...NONE, meaning, form: 'list', items } : undefined;
  }
  const form = type === 'unknown' || type === 'any' ? 'any' : type === 'tuple' ? 'list' : 'word';
  return means ? { ...NONE, meaning, form } : undefined;
}

function optional<Value>(value: Value | undefined): Value[] {
  return value === undefined ? [] : [value];
}

export function meaningOf(schema: Schema): Meaning {
  const meta = metaOf(schema);
  const stated = MEANING_KEYS.filter((key) => meta[key] !== undefined);
  return Object.fromEntries(stated.map((key) => [key, meta[key]]));
}

function literalsOf(shape: Readonly<Record<string, Schema>>): Plan['literals'] {
  return Object.entries(shape).flatMap(([key, field]) => {
    const { type, values = [] } = definition(unwrap(field, false));
    return type === 'literal' ? [[key, values] as const] : [];
  });
}

function unionPlan(schema: Schema, meaning: Meaning): Plan | undefined {
  const { options = [], discriminator } = definition(schema);
  const plans = options.flatMap((option) => optional(planOf(option)));
  if (plans.length === 0 && Object.keys(meaning).length === 0) return undefined;
  if (discriminator === undefined) {
    const fitting = (value: unknown) => plans.filter((plan) => fits(plan, value));
    return { ...NONE, meaning, form: 'any', options: fitting };
  }
  const byValue = new Map(
    options.flatMap((option) => {
      const { shape = {} } = definition(unwrap(option, false));
      const tags = literalsOf(shape).find(([key]) => key === discriminator)?.[1] ?? [];
      return tags.map((tag) => [tag, optional(planOf(option))] as const);
    }),
  );
  const undecided = [commonPlan(options)];
  const keys = plans.flatMap((plan) => (plan.keys ? [...plan.keys] : []));
  return {
    ...NONE,
    meaning,
    form: 'mapping',
    keys: plans.every((plan) => plan.keys) ? new Set(keys) : undefined,
    options: (value) => (isMapping(value) ? (byValue.get(value[discriminator]) ?? undecided) : []),
  };
}

/** For a mapping without a discriminator: a plan for the keys that have the same meaning in all branches. */
function commonPlan(options: readonly Schema[]): Plan {
  const shapes = options.map((option) => definition(unwrap(option, false)).shape ?? {});
  const keys = new Set(shapes.flatMap((shape) => Object.keys(shape)));
  const fields = new Map(
    [...keys].flatMap((key) => {
      const plans = shapes.flatMap((shape) => (shape[key] ? [planOf(shape[key])] : []));
      const [first] = plans;
      const same = plans.every((plan) => first && plan && isSame(plan.meaning, first.meaning));
      return first && same ? [[key, first] as const] : [];
    }),
  );
  const [first = {}, ...others] = options.map(meaningOf);
  const common = MEANING_KEYS.filter((key) => others.every((other) => other[key] === first[key]));
  const meaning = Object.fromEntries(common.map((key) => [key, first[key]]));
  return { ...NONE, meaning, form: 'mapping', fields };
}

function isSame(a: Meaning, b: Meaning): boolean {
  return MEANING_KEYS.every((key) => a[key] === b[key]);
}

function fits({ form, keys, literals }: Plan, value: unknown): boolean {
  if (form === 'any') return true;
  if (Array.isArray(value)) return form === 'list';
  if (!isMapping(value)) return form === 'word';
  return (
    form === 'mapping' &&
    (!keys || Object.keys(value).some((key) => keys.has(key))) &&
    literals.every(([key, values]) => value[key] === undefined || values.includes(value[key]))
  );
}
