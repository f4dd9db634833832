import { expect, it } from 'vitest';
import { replyLocale } from '../../src/render/reply-locale.ts';

interface Reply {
  member: string;
  server?: string;
  set?: string;
  isPrivate?: boolean;
  speaks: string;
}

it.each<[string, Reply]>([
  ['a private reply speaks as the member', { isPrivate: true, member: 'de', server: 'fr', set: 'ja', speaks: 'de' }],
  ['with the figures of their region', { isPrivate: true, member: 'es-419', server: 'es-ES', speaks: 'es-419' }],
  ['a public one as the server has set', { member: 'de', server: 'fr', set: 'ja', speaks: 'ja' }],
  ['that can be English', { member: 'de', server: 'fr', set: 'en', speaks: 'en' }],
  [
    'with the figures of the server, if they go with it',
    { member: 'de', server: 'es-419', set: 'es', speaks: 'es-419' },
  ],
  ['or else those of the member', { member: 'es-419', server: 'en-US', set: 'es', speaks: 'es-419' }],
  ['a language that there is no more is not set', { member: 'de', server: 'fr', set: 'xx', speaks: 'fr' }],
  ['otherwise as Discord knows the server', { member: 'de', server: 'pt-BR', speaks: 'pt-BR' }],
  ['that can be English, if it was chosen', { member: 'de', server: 'en-GB', speaks: 'en-GB' }],
  ['or a language without texts', { member: 'de', server: 'xx', speaks: 'xx' }],
  ['a server that chose none has en-US: as the member', { member: 'es-419', server: 'en-US', speaks: 'es-419' }],
  ['in direct messages as the member, too', { member: 'ja', speaks: 'ja' }],
])('%s', (_, { member: locale, server: guildLocale, isPrivate = false, set, speaks }) => {
  expect(replyLocale({ locale, guildLocale }, isPrivate, set)).toBe(speaks);
});
