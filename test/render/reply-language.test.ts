import { expect, it } from 'vitest';
import { replyLanguage } from '../../src/render/reply-language.ts';

interface Reply {
  member: string;
  server?: string;
  set?: string;
  isPrivate?: boolean;
  speaks: string;
}

it.each<[string, Reply]>([
  ['a private reply speaks as the member', { isPrivate: true, member: 'de', server: 'fr', set: 'ja', speaks: 'de' }],
  ['a public one as the server has set', { member: 'de', server: 'fr', set: 'ja', speaks: 'ja' }],
  ['that can be English', { member: 'de', server: 'fr', set: 'en', speaks: 'en' }],
  ['a language that there is no more is not set', { member: 'de', server: 'fr', set: 'xx', speaks: 'fr' }],
  ['otherwise as Discord knows the server', { member: 'de', server: 'pt-BR', speaks: 'pt-BR' }],
  ['that can be English, if it was chosen', { member: 'de', server: 'en-GB', speaks: 'en' }],
  ['or a language without texts', { member: 'de', server: 'xx', speaks: 'en' }],
  ['a server that chose none has en-US: as the member', { member: 'es-419', server: 'en-US', speaks: 'es' }],
  ['in direct messages as the member, too', { member: 'ja', speaks: 'ja' }],
])('%s', (_, { member: locale, server: guildLocale, isPrivate = false, set, speaks }) => {
  expect(replyLanguage({ locale, guildLocale }, isPrivate, set)).toBe(speaks);
});
