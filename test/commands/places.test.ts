import { expect, it } from 'vitest';
import { declarations } from '../../commands/index.ts';

const SERVER_ONLY = { integration_types: [0], contexts: [0] };

it.each([
  ['everywhere', true, { integration_types: [0, 1], contexts: [0, 1, 2] }],
  ['where a server has installed the bot, without user install', false, { integration_types: [0], contexts: [0, 1] }],
])('commands are offered %s; /usage and /settings in servers alone', (_, hasUserInstall, everywhere) => {
  const offered = declarations(hasUserInstall).map(({ name, integration_types, contexts }) => [
    name,
    { integration_types, contexts },
  ]);
  expect(Object.fromEntries(offered)).toEqual({
    ...{ card: everywhere, cards: everywhere, 'Look up cards': everywhere, privacy: everywhere },
    ...{ watch: everywhere, watches: everywhere, usage: SERVER_ONLY, settings: SERVER_ONLY },
  });
});
