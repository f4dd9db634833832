import type { ListLine } from './list-line.ts';

/** What collections call their columns, in the letters of their names; of several the first is read. */
const COLUMNS = {
  name: ['simplename', 'name', 'cardname', 'productname', 'card', 'player', 'nom', 'nombre', 'nome', 'カード名'],
  count: ['count', 'quantity', 'totalquantity', 'qty', 'cardq', 'amount', 'copies', 'have', 'owned', 'anzahl', '枚数'],
  set: [
    'setcode',
    'editioncode',
    'setid',
    'edition',
    'set',
    'setname',
    'code',
    'expansion',
    'editionname',
    'setnumber',
    'cardset',
  ],
  otherSet: ['setname', 'editionname', 'set', 'edition', 'expansion'],
  number: ['cardnumber', 'collectornumber', 'collectorsnumber', 'cardcode', 'collector', 'number', 'no', 'cn'],
  foil: ['foil', 'foiletched', 'isfoil', 'printing', 'finish', 'variance', 'variant', 'premium'],
} as const;
type Column = keyof typeof COLUMNS;
/** Where each column stands in a row; -1 for none. */
type Header = Readonly<Record<Column, number>> & { separator: keyof typeof CELLS };

/** No collection has more columns. */
const MOST_CELLS = 50;
const SEPARATORS = ['\t', ';', ','] as const;
/** RFC 4180: a cell in quotation marks may have the separator in it, and has its own marks twice. */
const CELLS = {
  '\t': /(?:^|\t) *(?:"((?:[^"]|"")*)"|([^\t]*))/g,
  ';': /(?:^|;) *(?:"((?:[^"]|"")*)"|([^;]*))/g,
  ',': /(?:^|,) *(?:"((?:[^"]|"")*)"|([^,]*))/g,
};
const FOIL = /foil|holo|etched|^(?:yes|true|1)$/i;
const NOT_FOIL = /\bnon|^not/i;
const COUNT = /^x?\s?(?<n>\d+)\s?x?$/i;

/** What the columns of a table are, where a line says so. */
export function headerOf(line: string): Header | undefined {
  return SEPARATORS.map((separator) => {
    const titles = cellsOf(line, separator).map((title) => title.toLowerCase().replace(/[^\p{L}]/gu, ''));
    const placeOf = (column: Column) => COLUMNS[column].map((title) => titles.indexOf(title)).find((at) => at >= 0);
    const place = (column: Column) => placeOf(column) ?? -1;
    const [name, count, set, otherSet] = [place('name'), place('count'), place('set'), place('otherSet')];
    return { name, count, set, otherSet, number: place('number'), foil: place('foil'), separator };
  }).find(({ name, separator: _, ...others }) => name >= 0 && Object.values(others).some((at) => at >= 0));
}

/** A row of a table; `undefined` when it has no name, or is of a card of which there is none. */
export function readRow(typed: string, header: Header): ListLine | undefined {
  const cells = cellsOf(typed, header.separator);
  const cell = (column: Column) => cells[header[column]] || undefined;
  const name = cell('name');
  const count = countOf(cell('count'));
  if (name === undefined || count === 0) return undefined;
  const [set, otherSet, number, foil = ''] = [cell('set'), cell('otherSet'), cell('number'), cell('foil')];
  const isFoil = FOIL.test(foil) && !NOT_FOIL.test(foil);
  return { text: name, name, count: count ?? 1, isCounted: true, set, otherSet, number, isFoil };
}

/** A row of a table without titles: count, name, set and number, or a name and its count. */
export function readBareRow(typed: string): ListLine | undefined {
  for (const separator of SEPARATORS.filter((each) => typed.includes(each))) {
    const [first = '', second = '', ...others] = cellsOf(typed, separator);
    const [before, behind] = [countOf(first), countOf(second)];
    const [set, number] = others.map((each) => each || undefined);
    // Commas may also be in the name, which is looked for first.
    const text = separator === ',' && !typed.includes('"') ? typed.slice(typed.indexOf(',') + 1).trim() : second;
    if (before !== undefined && second !== '') return { ...rowOf(text, before), name: second, set, number };
    if (behind !== undefined && first !== '' && others.length === 0) return rowOf(first, behind);
  }
  return undefined;
}

function rowOf(name: string, count: number): ListLine {
  return { text: name, name, count, isCounted: true, isFoil: false };
}

function countOf(cell = ''): number | undefined {
  const { n } = COUNT.exec(cell)?.groups ?? {};
  return n === undefined ? undefined : Number(n);
}

function cellsOf(row: string, separator: keyof typeof CELLS): string[] {
  return Array.from(row.matchAll(CELLS[separator]).take(MOST_CELLS), ([, quoted, plain = '']) =>
    (quoted?.replaceAll('""', '"') ?? plain).trim(),
  );
}
