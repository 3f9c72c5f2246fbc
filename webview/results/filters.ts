import { OUTCOME_ICONS, OUTCOMES, STATUS_WORDS } from '../../src/core/presentation/words.ts';
import { capitalized } from '../../src/core/text/format.ts';
import { statusSchema } from '../../src/core/verdict.ts';
import type { ResultsTable, TableSettings } from '../../src/protocol/resultsProtocol.ts';
import type { ElementCache } from '../elementCache.ts';
import { type DropdownOptions, keptDropdown } from '../ui/controls.ts';
import { columnName, labelsOf } from './model.ts';

type Options<Value> = DropdownOptions<Value>['options'];

/** What need not be chosen. */
type Choice = 'assertion' | 'change' | 'label' | 'people' | 'tag';

/** What is chosen, as menus. */
export function filterMenus(
  table: ResultsTable,
  shown: TableSettings,
  onChange: (shown: TableSettings) => void,
  cache: ElementCache,
): HTMLElement[] {
  const always = <Key extends 'status' | 'group'>(
    key: Key,
    label: string,
    options: Options<TableSettings[Key]>,
    reset: Partial<TableSettings> = {},
  ) => {
    const choose = (value: TableSettings[Key]) => onChange({ ...shown, ...reset, [key]: value });
    return keptDropdown(cache, { label, options, value: shown[key], onChange: choose }, shown);
  };
  const optional = <Key extends Choice>(
    key: Key,
    any: string,
    values: Options<TableSettings[Key]>,
  ) => {
    const choose = (value: TableSettings[Key]) => onChange(withChoice(shown, key, value));
    const label = capitalized(key);
    const options = [{ value: undefined, label: any }, ...values];
    return keptDropdown(cache, { label, options, value: shown[key], onChange: choose }, shown);
  };
  const named = (names: readonly string[]) => names.map((name) => ({ value: name, label: name }));
  const assertions = table.columns.map((_, index) => columnName(table, index));
  const labels = labelsOf(table, shown.assertion);
  const changes = OUTCOMES.map((value) => ({
    value,
    label: `${OUTCOME_ICONS[value]} Only ${value}`,
  }));
  const statuses = statusSchema.options.map((value) => ({
    value,
    label: capitalized(STATUS_WORDS[value]),
  }));
  return [
    ...(table.cases.some(({ compared }) => compared)
      ? [optional('change', 'Any change', changes)]
      : []),
    always('status', 'Status', [
      { value: 'all', label: 'Any status' },
      { value: 'bad', label: 'Failed or errored' },
      ...statuses,
    ]),
    ...(assertions.length > 1 ? [optional('assertion', 'Any assertion', named(assertions))] : []),
    ...(table.tags.length > 0 ? [optional('tag', 'Any tag', named(table.tags))] : []),
    ...(labels.length > 0 ? [optional('label', 'Any label', named(labels))] : []),
    ...(table.cases.some((one) => one.people)
      ? [
          optional('people', 'Labelled or not', [
            { value: 'right', label: 'Right, people say' },
            { value: 'wrong', label: 'Wrong, people say' },
          ]),
        ]
      : []),
    always(
      'group',
      'Group by',
      [
        { value: 'none', label: 'No groups' },
        { value: 'file', label: 'By file' },
        { value: 'tag', label: 'By tag' },
      ],
      { folded: [] },
    ),
  ];
}

/** A label of another assertion would leave nothing to see. */
function withChoice<Key extends Choice>(
  shown: TableSettings,
  key: Key,
  value: TableSettings[Key],
): TableSettings {
  const rest = { ...shown };
  delete rest[key];
  if (key === 'assertion') delete rest.label;
  return value === undefined ? rest : { ...rest, [key]: value };
}
