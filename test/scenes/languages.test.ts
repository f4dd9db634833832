import { beforeAll, expect, it } from 'vitest';
import { DEFAULT_WORLD } from '../../sandbox/discord/emulated-discord.ts';
import { SAMPLE_CATALOG } from '../../sandbox/sample-cards.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { labels, startWorld, type World } from '../support/world.ts';

const [AMERICAN, GERMAN] = [
  { id: '1180000000000655361', name: 'Collectors' },
  { id: '1180000000004849665', name: 'Sammler', locale: 'de' },
];
const CHLOE = DEFAULT_WORLD.members.find(({ locale }) => locale === 'fr')?.id ?? '';
const IN_GERMAN = { memberId: CHLOE, guildId: GERMAN.id };

let world: World;
beforeAll(async () => {
  const discord = { guilds: [AMERICAN, GERMAN] };
  world = await startWorld({ catalog: SAMPLE_CATALOG, discord, env: { PRICE_CURRENCY: 'EUR' } });
});

/** The reply to what the French member types. */
function reply(guildId: string | null, id = 'base1-4', options: Record<string, boolean> = {}) {
  return world.card(id, options, { memberId: CHLOE, guildId }).settled();
}

it("a public reply speaks its server's language, with its numbers; the member's where the server chose none", async () => {
  const inGerman = await reply(GERMAN.id);
  expect(labels(inGerman)).toContain(formatMessage('de', 'deleteReply'));
  expect(inGerman.embeds[0]?.description).toContain('36,33\u00a0€');
  for (const place of [AMERICAN.id, null]) {
    expect(labels(await reply(place))).toContain(formatMessage('fr', 'deleteReply'));
  }
});

it("a private reply speaks its member's language: a card, a refusal, and /privacy", async () => {
  expect(labels(await reply(GERMAN.id, 'base1-4', { private: true }))).toContain(formatMessage('fr', 'showToEveryone'));
  const refusal = { reason: 'dotsOnly', maxLength: 100 };
  expect((await reply(GERMAN.id, '..')).content).toBe(formatMessage('fr', 'InvalidCardId', refusal));
  expect(await reply(GERMAN.id, 'base1-999')).toMatchObject({
    ephemeral: false, // it was "thinking…" in public
    content: formatMessage('de', 'noSuchCard', { id: 'base1\\-999' }),
  });
  expect(await reply(GERMAN.id, 'base1-999')).toMatchObject({
    ephemeral: true,
    content: formatMessage('fr', 'noSuchCard', { id: 'base1\\-999' }),
  });
  const { content } = await world.type('privacy', {}, IN_GERMAN).settled();
  expect(content).toContain(formatMessage('fr', 'privacyIntro'));
});

it("a public list speaks its server's language, also of a card that does not exist", async () => {
  const typed = world.cards('base1-4, base1-1, base1-998', {}, IN_GERMAN);
  const missing = formatMessage('de', 'cardsNotFound', { names: '**base1\\-998**' });
  const list = await typed.until(({ embeds, content }) => embeds.length === 2 && content.includes(missing));
  expect(list.ephemeral).toBe(false);
});

it('what /settings says comes first, and automatic is as before', async () => {
  const admin = { ...IN_GERMAN, manageGuild: true };
  const settings = await world.type('settings', {}, admin).settled();
  for (const [value, language] of [
    ['en', 'en'],
    ['automatic', 'de'],
  ] as const) {
    const { messageId = '', components } = settings;
    expect(JSON.stringify(components)).toContain(`"${value}"`);
    const menu = { messageId, customId: 'settings:language', values: [value], ...admin };
    await world.discord.choose(menu).settled();
    expect(labels(await reply(GERMAN.id))).toContain(formatMessage(language, 'deleteReply'));
  }
});

it("what Discord refuses is said in the reply's language", async () => {
  const refusal = { status: 403, body: { code: 50013, message: 'no' } };
  world.discord.faults.script({ route: 'edit', answer: refusal });
  const typed = world.card('base1-7', {}, IN_GERMAN);
  await typed.until(({ content }) => content === formatMessage('de', 'broken'));
});
