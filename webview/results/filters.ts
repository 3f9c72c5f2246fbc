import { OUTCOMES } from '../../src/core/compared.ts';
import { capitalized } from '../../src/core/presentation/capitalized.ts';
import { OUTCOME_ICONS } from '../../src/core/presentation/compared.ts';
import { STATUS_WORDS } from '../../src/core/presentation/status.ts';
import { statusSchema } from '../../src/core/verdict.ts';
import { type ResultsTable, type Shown, shownSchema } from '../../src/protocol/resultsProtocol.ts';
import type { Kept } from '../kept.ts';
import { dropdown } from '../ui/controls.ts';
import { columnName, labelsOf } from './model.ts';

/** Stands for no choice: a value of its own, since a tag may have any name. */
const ANY = 'any';

/** What is chosen, as menus; each is made anew only where it looks different. */
export function filterMenus(
  table: ResultsTable,
  shown: Shown,
  onChange: (shown: Shown) => void,
  kept: Kept,
): HTMLElement[] {
  const assertions = table.columns.map((_, index) => columnName(table, index));
  const labels = labelsOf(table, shown.assertion);
  const status = kept.get('status', shown, () =>
    dropdown({
      label: 'Status',
      options: [
        { value: 'all', label: 'Any status' },
        { value: 'bad', label: 'Failed or errored' },
        ...statusSchema.options.map((value) => ({
          value,
          label: capitalized(STATUS_WORDS[value]),
        })),
      ],
      value: shown.status,
      onChange: (value) =>
        onChange({ ...shown, status: shownSchema.shape.status.catch('all').parse(value) }),
    }),
  );
  const change = () =>
    kept.get('change', shown, () =>
      dropdown({
        label: 'Change',
        options: [
          { value: ANY, label: 'Any change' },
          ...OUTCOMES.map((value) => ({
            value,
            label: `${OUTCOME_ICONS[value]} Only ${value}`,
          })),
        ],
        value: shown.change ?? ANY,
        onChange: (value) => {
          const { change: _, ...rest } = shown;
          const found = OUTCOMES.find((one) => one === value);
          onChange(found ? { ...rest, change: found } : rest);
        },
      }),
    );
  const people = () =>
    kept.get('people', shown, () =>
      dropdown({
        label: 'People',
        options: [
          { value: ANY, label: 'Labelled or not' },
          { value: 'right', label: 'Right, people say' },
          { value: 'wrong', label: 'Wrong, people say' },
        ],
        value: shown.people ?? ANY,
        onChange: (value) => {
          const { people: _, ...rest } = shown;
          const said = value === 'right' || value === 'wrong' ? value : undefined;
          onChange(said ? { ...rest, people: said } : rest);
        },
      }),
    );
  const oneOf = (key: 'assertion' | 'tag' | 'label', names: readonly string[], any: string) =>
    kept.get(key, [shown, names], () =>
      dropdown({
        label: capitalized(key),
        options: [
          { value: ANY, label: any },
          ...names.map((name, index) => ({ value: `=${index}`, label: name })),
        ],
        value: shown[key] === undefined ? ANY : `=${names.indexOf(shown[key])}`,
        onChange: (value) => onChange(chosen(shown, key, names[Number(value.slice(1))])),
      }),
    );
  const group = kept.get('group', shown, () =>
    dropdown({
      label: 'Group by',
      options: [
        { value: 'none', label: 'No groups' },
        { value: 'file', label: 'By file' },
        { value: 'tag', label: 'By tag' },
      ],
      value: shown.group,
      onChange: (value) =>
        onChange({
          ...shown,
          group: shownSchema.shape.group.catch('none').parse(value),
          folded: [],
        }),
    }),
  );
  return [
    ...(table.cases.some(({ compared }) => compared) ? [change()] : []),
    status,
    ...(assertions.length > 1 ? [oneOf('assertion', assertions, 'Any assertion')] : []),
    ...(table.tags.length > 0 ? [oneOf('tag', table.tags, 'Any tag')] : []),
    ...(labels.length > 0 ? [oneOf('label', labels, 'Any label')] : []),
    ...(table.cases.some((one) => one.people) ? [people()] : []),
    group,
  ];
}

/** A label of another assertion would leave nothing to see. */
function chosen(shown: Shown, key: 'assertion' | 'tag' | 'label', name: string | undefined): Shown {
  const rest = { ...shown };
  delete rest[key];
  if (key === 'assertion') delete rest.label;
  return name === undefined ? rest : { ...rest, [key]: name };
}
