import { expect, it } from 'vitest';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { labels } from '../support/buttons.ts';
import { isFinal } from '../support/final-answers.ts';
import { said, startWorld } from '../support/world.ts';

const BULK = { CARD_SERVICE_BULK_PATH: '/cards?ids={ids}' };
const IDS = SAMPLE_CARDS.slice(0, 10).map(({ id }) => id);
const CARD = 'Emberwing Drake';
const why = (why: string) => formatMessage('en-US', 'shownInPrivate', { why });

/** Of each card of a message whether it has its picture. */
const pictures = ({ embeds }: Pick<ChatMessage, 'embeds'>) =>
  embeds.map(({ image, thumbnail }) => image !== undefined || thumbnail !== undefined);
const titles = ({ embeds }: Pick<ChatMessage, 'embeds'>) => embeds.map(({ title }) => title);

it('a card whose picture Discord refuses is shown without it, from memory, too', async () => {
  const world = await startWorld();
  world.discord.moderate({ refuses: (text, path) => path.endsWith('.url') && text.endsWith('/base1/4.png') });
  for (const source of ['service', 'cache']) {
    const message = await world.card('base1-4').until(isFinal);
    expect([source, titles(message), pictures(message), message.ephemeral]).toEqual([source, [CARD], [false], false]);
  }
  expect(await world.commandLines(2)).toMatchObject(
    ['service', 'cache'].map((source) => ({ outcome: 'answered', source })),
  );
  expect(said(world, 'discord refuses a part of a reply: it is shown without')).toBe(2);
});

it('of a list only the cards whose pictures Discord refuses are shown without them', async () => {
  const world = await startWorld({ env: BULK });
  world.discord.moderate({ refuses: (text, path) => path.endsWith('.url') && /\/base1\/[24]\.png$/.test(text) });
  for (const source of ['service', 'cache']) {
    const list = world.discord.type({ command: 'cards', options: { ids: IDS.join(' ') } });
    const message = await list.until(({ embeds }) => embeds.length === IDS.length);
    const refused = IDS.map((id) => !['base1-2', 'base1-4'].includes(id));
    expect([source, pictures(message)]).toEqual([source, refused]);
  }
});

it('a card one of whose buttons Discord refuses is shown with the others', async () => {
  const world = await startWorld();
  world.discord.moderate({ refuses: (text, path) => path.endsWith('.custom_id') && text.startsWith('card:delete') });
  const message = await world.card('base1-4').until(isFinal);
  expect([titles(message), labels(message)]).toEqual([[CARD], ['Watch', 'Other printings']]);
});

it('what AutoMod blocks is shown to its member alone, who reads why: at once where the card is known', async () => {
  const world = await startWorld();
  await world.card('base1-4', { private: true }).until(isFinal);
  world.discord.moderate({ blocks: (text) => text.includes(CARD) });
  const { ephemeral, content, embeds, followUps } = await world.card('base1-4').until(isFinal);
  expect({ ephemeral, content, followUps }).toEqual({ ephemeral: true, content: why('blocked'), followUps: undefined });
  expect(embeds[0]?.title).toBe(CARD);
  expect(await world.commandLines(2)).toMatchObject([{}, { outcome: 'answered', source: 'cache' }]);
});

it('a saved copy that AutoMod blocks keeps the word why when it is renewed', async () => {
  const world = await startWorld({ env: { PRICES_FRESH_SECONDS: '0' } });
  await world.card('base1-4', { private: true }).until(isFinal);
  world.discord.moderate({ blocks: (text) => text.includes(CARD) });
  const message = await world.card('base1-4').until(({ edited }) => edited);
  expect([message.ephemeral, message.content, titles(message)]).toEqual([true, why('blocked'), [CARD]]);
});

it('a deferred reply that AutoMod blocks says so, and its card is one private message below', async () => {
  const world = await startWorld();
  world.discord.moderate({ blocks: (text) => text.includes(CARD) });
  const typed = world.card('base1-4');
  const {
    ephemeral,
    content,
    embeds,
    followUps = [],
  } = await typed.until(({ followUps = [] }) => followUps.length > 0);
  expect({ ephemeral, content, embeds }).toEqual({ ephemeral: false, content: why('blocked'), embeds: [] });
  expect(followUps.map((message) => [message.ephemeral, titles(message)])).toEqual([[true, [CARD]]]);
  expect(await world.commandLines(1)).toMatchObject([{ outcome: 'answered', source: 'service' }]);
});

it('a list that AutoMod blocks is one private message below, with all of its cards', async () => {
  const world = await startWorld({ env: BULK });
  world.discord.moderate({ blocks: (text) => text.includes(CARD) });
  await world.card('base1-4', { private: true }).until(isFinal);
  const list = world.discord.type({ command: 'cards', options: { ids: IDS.join(' ') } });
  const { content, followUps = [] } = await list.until(({ followUps = [] }) => followUps.length > 0);
  expect(content).toBe(why('blocked'));
  expect(followUps.map(({ embeds }) => embeds.length)).toEqual([IDS.length]);
});

it('a message that Discord refuses altogether is tried in private before there is a sentence', async () => {
  const world = await startWorld();
  await world.card('base1-1', { private: true }).until(isFinal);
  world.discord.faults.script({ route: 'callback', answer: { status: 403, body: { code: 50013, message: 'no' } } });
  const known = await world.card('base1-1').until(isFinal);
  expect([known.ephemeral, known.content, known.embeds.length]).toEqual([true, why('refused'), 1]);

  world.discord.faults.script({ route: 'edit', answer: { status: 403, body: { code: 50013, message: 'no' } } });
  const deferred = await world.card('base1-4').until(({ followUps = [] }) => followUps.length > 0);
  expect(deferred.content).toBe(why('refused'));
});
