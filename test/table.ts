import { expect } from 'vitest';

/**
 * The rows of a table that is written as text: one a line, ` | ` between its cells, each a text without spaces around. A
 * line that is indented by two or more goes on with the row above.
 */
export function table(text: TemplateStringsArray, ...values: readonly unknown[]): string[][] {
  const rows = String.raw(text, ...values);
  const [indent = ''] = /\n */.exec(rows) ?? [];
  return rows
    .replaceAll(new RegExp(`${indent} {2,}`, 'g'), ' ')
    .trim()
    .split('\n')
    .map((row) => row.split('|').map((cell) => cell.trim()));
}

/** The test of a row of a rule, a script, and what that says, which may have ` | ` in it. */
export function expectSaid(says: (script: string) => unknown) {
  return async (_: string, script = '', ...said: string[]) => {
    expect(String(await says(script))).toBe(said.join(' | '));
  };
}

/**
 * A body of JSON that differs from another as `changes` say: `path=JSON`, with `; ` between several; with nothing behind its
 * `=`, what is there is taken away. In a text, `x*2000` stands for that many.
 *
 * @throws for a text that is no change, and where nothing is to be taken away
 */
export function changed(body: object, changes = '') {
  const copy = JSON.parse(JSON.stringify(body));
  for (const change of changes.split('; ').filter(Boolean)) {
    const found = /^([^=]+)=(.*)$/.exec(change);
    if (!found) throw new Error(`no change: ${change}`);
    const [, path = '', value = ''] = found;
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    const part = keys.reduce((node, key) => node[key], copy);
    if (value === '' && !(last in part)) throw new Error(`nothing to take away: ${change}`);
    if (value === '') delete part[last];
    else part[last] = JSON.parse(value.replaceAll(/x\*(\d+)/g, (_, count) => 'x'.repeat(Number(count))));
  }
  return copy;
}

/** Which parts of what is shown differ from the usual, and which are gone; a text with ` / ` between its lines. */
export function differences(usual: Readonly<Record<string, unknown>>, now: Readonly<Record<string, unknown>>): string {
  const names = Object.keys({ ...usual, ...now }).filter((name) => usual[name] !== now[name]);
  const texts = names.map((name) => (name in now ? `${name}: ${now[name]}` : `no ${name}`));
  return texts.join(' ¶ ').replaceAll('\n', ' / ');
}
