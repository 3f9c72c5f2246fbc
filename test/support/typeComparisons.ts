/**
 * Code in a source text that compares assertion types by name, as written. Names can also mean other things: `script`
 * is also a kind of file, and `max-cost` a reason why a run stopped. So what is compared matters.
 *
 *     if (type === 'script')               switch (given.type) { case 'script':
 *     if (kind === 'llm-judge')            new Set(['g-eval', 'similar'])
 */
export function typeComparisons(source: string, names: readonly string[]): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/[^\n]*/g, '$1');
  const name = `['"\`](?<name>${names.join('|')})['"\`]`;
  const compared = [
    `(?<operand>[\\w.?]+)\\s*[=!]==?\\s*${name}`,
    `${name}\\s*[=!]==?\\s*(?<operand>[\\w.?]+)`,
    `switch \\((?<operand>[^\\n]*)\\) \\{(?:(?!\\n *switch )[\\s\\S])*?case ${name}:`,
  ].flatMap((pattern) => [...code.matchAll(new RegExp(pattern, 'g'))]);
  const told = compared.filter(({ groups }) => {
    const { operand = '', name: named = '' } = groups ?? {};
    return /type$/i.test(operand) || (named.includes('-') && !operand.includes('.'));
  });
  // A list that contains only types, whatever it is used for.
  const lists = [...code.matchAll(/\[\s*(['"`][\w-]+['"`],?\s*)+\]/g)].filter(([list]) =>
    [...list.matchAll(/[\w-]+/g)].every(([one]) => names.includes(one)),
  );
  return [...told, ...lists].map(([whole]) => whole);
}
