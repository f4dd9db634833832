import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  diffCommands,
  fieldChanges,
  isSame,
  type LocalCommand,
  type RegisteredCommand,
} from '../../../src/cli/commands/command-diff.ts';

const GLOBAL = undefined;
const IN_SERVER = '1180000000004194305';

const CARD: LocalCommand = {
  name: 'card',
  description: 'Show one card',
  options: [
    { type: 3, name: 'id', description: 'Card id', required: true, min_length: 1, max_length: 100 },
    { type: 5, name: 'prices', description: 'With prices' },
  ],
  contexts: [0, 1],
  integration_types: [0],
};

/** A command as Discord returns it, with every field that it fills in. */
function registered(command: object, more: object = {}): RegisteredCommand {
  return {
    id: '1180000000000000900',
    application_id: '1180000000000000001',
    version: '1180000000000000901',
    type: 1,
    name: 'card',
    default_member_permissions: null,
    dm_permission: true,
    nsfw: false,
    name_localizations: null,
    description_localizations: null,
    ...command,
    ...more,
  };
}

function changesOf(local: Partial<LocalCommand>, remote: object, guildId: string | undefined = GLOBAL) {
  const diff = diffCommands([{ ...CARD, ...local }], [registered({ ...CARD, ...remote })], guildId);
  return diff.changed.flatMap(({ changes }) => changes);
}

const OPTIONS = CARD.options ?? [];

describe('a value that Discord fills in is no difference', () => {
  it.each<[string, Partial<LocalCommand>, object]>([
    ['defaults and ids', {}, {}],
    ['no options as none', { options: [] }, { options: undefined }],
    ['contexts in another order', {}, { contexts: [1, 0] }],
    ['the default of installation', { integration_types: [] as never }, { integration_types: [] }],
    ['required written out', {}, { options: OPTIONS.map((option) => ({ required: false, ...option })) }],
    ['no translations as null', { name_localizations: {} }, { name_localizations: null }],
    ['translated copies', {}, { name_localized: 'Karte', description_localized: 'Zeigt eine Karte' }],
    ['permission bits', { default_member_permissions: '32' }, { default_member_permissions: '0032' }],
    ['the deprecated default_permission', {}, { default_permission: true }],
    ['empty lists in options', {}, { options: OPTIONS.map((option) => ({ ...option, choices: [], options: [] })) }],
  ])('%s', (_, local, remote) => {
    expect(changesOf(local, remote)).toEqual([]);
  });

  it('when dm_permission means the same as contexts', () => {
    const { contexts: _, ...bare } = CARD;
    const closed = { ...bare, dm_permission: false };
    expect(isSame(diffCommands([closed], [registered(bare, { dm_permission: false, contexts: null })], GLOBAL))).toBe(
      true,
    );
    expect(isSame(diffCommands([bare], [registered(bare, { contexts: null })], GLOBAL))).toBe(true);
  });

  it('in the contexts of a command of a server', () => {
    expect(changesOf({}, { contexts: null, integration_types: undefined }, IN_SERVER)).toEqual([]);
  });
});

describe('a difference is reported with its path', () => {
  const PERMISSIONS = { path: 'default_member_permissions', before: null, after: '32' };

  it.each<[string, Partial<LocalCommand>, object, object]>([
    ['description', {}, { description: 'Old' }, { path: 'description', before: 'Old', after: 'Show one card' }],
    ['nsfw', {}, { nsfw: true }, { path: 'nsfw', before: true, after: false }],
    ['contexts', {}, { contexts: [0] }, { path: 'contexts.1', after: 1 }],
    ['permissions', { default_member_permissions: '32' }, {}, PERMISSIONS],
    ['translations', { name_localizations: { de: 'karte' } }, {}, { path: 'name_localizations.de', after: 'karte' }],
  ])('%s', (_, local, remote, change) => {
    expect(changesOf(local, remote)).toEqual([change]);
  });

  it('inside an option, and for a whole one', () => {
    const [id, prices] = CARD.options ?? [];
    const remote = { options: [{ ...id, max_length: 50 }] };
    expect(changesOf({ options: [id, prices] as LocalCommand['options'] & object }, remote)).toMatchObject([
      { path: 'options.0.max_length', before: 50, after: 100 },
      { path: 'options.1', after: { name: 'prices' } },
    ]);
  });

  it('in the options of a subcommand', () => {
    const group = (description: string) => ({
      options: [
        { type: 1, name: 'show', description: 'Show', options: [{ type: 3, name: 'id', description }] },
      ] as LocalCommand['options'] & object,
    });
    expect(changesOf(group('New'), group('Old'))).toEqual([
      { path: 'options.0.options.0.description', before: 'Old', after: 'New' },
    ]);
  });
});

it('whole commands are added, removed, unchanged, or kept', () => {
  const usage = { name: 'usage', description: 'How much is left' };
  const diff = diffCommands(
    [CARD, usage],
    [registered(CARD), registered(usage, { name: 'old' }), registered({ name: 'usage', type: 2, description: '' })],
    GLOBAL,
  );
  expect(diff.added).toEqual([usage]);
  expect(diff.removed.map(({ name }) => name)).toEqual(['old']);
  expect(diff.unchanged).toEqual(['card']);
  expect(diff.kept.map(({ type }) => type)).toEqual([2]);
  expect(isSame(diff)).toBe(false);
});

it('fieldChanges finds no difference between a value and its copy with keys in another order', () => {
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([key, inner]) => [key, shuffled(inner)]),
    );
  };
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.dictionary(fc.string(), fc.integer())), (value) => {
      expect(fieldChanges(value, shuffled(value))).toEqual([]);
    }),
  );
});

it('a menu command of this checkout is compared, and cleared with the others; a foreign one is left alone', () => {
  const menu = { name: 'Look up cards', type: 3 };
  const [ours, foreign] = [menu.name, 'Quote'].map((name, at) => ({ id: String(at), name, type: 3, description: '' }));
  const registered = [ours, foreign].filter((command) => command !== undefined);
  expect(diffCommands([menu], registered, undefined)).toMatchObject({ unchanged: [menu.name], kept: [foreign] });
  expect(diffCommands([], registered, undefined, [menu])).toMatchObject({ removed: [ours], kept: [foreign] });
});
