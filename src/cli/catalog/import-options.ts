import { InvalidArgumentError } from 'commander';
import { FIELDS, type Field, type Mapping } from './card-maker.ts';

/** `name=cleanName,set=set.name` @throws InvalidArgumentError */
export function parseMap(text: string, before: Mapping['sources'] = {}): Mapping['sources'] {
  return Object.fromEntries([...Object.entries(before), ...text.split(',').map(parsePair)]);
}

function parsePair(text: string): [Field, string] {
  const [field, source] = splitAtEquals(text);
  if (isField(field) && source) return [field, source];
  throw new InvalidArgumentError(`Write FIELD=SOURCE, where FIELD is one of ${FIELDS.join(', ')}.`);
}

function isField(text: string): text is Field {
  return FIELDS.some((field) => field === text);
}

/** `{set}-{number}` @throws InvalidArgumentError */
export function parseIdTemplate(text: string): string {
  if (/\{[^{}]+\}/.test(text)) return text;
  throw new InvalidArgumentError("Write names of fields in braces, such as '{set}-{number}'.");
}

/** `groupId=Groups.csv` @throws InvalidArgumentError */
export function parseJoin(text: string): { field: string; file: string } {
  const [field, file] = splitAtEquals(text);
  if (field && file) return { field, file };
  throw new InvalidArgumentError('Write FIELD=FILE, such as groupId=Groups.csv.');
}

function splitAtEquals(text: string): [before: string, after: string] {
  const at = text.indexOf('=');
  return at < 0 ? [text, ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}
