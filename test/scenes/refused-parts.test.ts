import { expect, it } from 'vitest';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { IDS, inWorld, isFinal, labels, said, startWorld } from '../support/world.ts';

const BULK = { CARD_SERVICE_BULK_PATH: '/cards?ids={ids}' };
const TEN = IDS.slice(0, 10);
const CARD = 'Emberwing Drake';

/** Of each card of a message whether it has its picture. */
const pictures = ({ embeds }: Pick<ChatMessage, 'embeds'>) =>
  embeds.map(({ image, thumbnail }) => image !== undefined || thumbnail !== undefined);
const titles = ({ embeds }: Pick<ChatMessage, 'embeds'>) => embeds.map(({ title }) => title);

inWorld('a card whose picture Discord refuses is shown without it, from memory, too', async (world) => {
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

inWorld(
  'of a list only the cards whose pictures Discord refuses are shown without them',
  { env: BULK },
  async (world) => {
    world.discord.moderate({ refuses: (text, path) => path.endsWith('.url') && /\/base1\/[24]\.png$/.test(text) });
    for (const source of ['service', 'cache']) {
      const list = world.cards(TEN.join(' '));
      const message = await list.until(({ embeds }) => embeds.length === TEN.length);
      const refused = TEN.map((id) => !['base1-2', 'base1-4'].includes(id));
      expect([source, pictures(message)]).toEqual([source, refused]);
    }
  },
);

inWorld('a card one of whose buttons Discord refuses is shown with the others', async (world) => {
  world.discord.moderate({ refuses: (text, path) => path.endsWith('.custom_id') && text.startsWith('card:delete') });
  const message = await world.card('base1-4').until(isFinal);
  expect([titles(message), labels(message)]).toEqual([[CARD], ['Watch', 'Other printings']]);
});

const BLOCKS_CARD = { blocks: (text: string) => text.includes(CARD) };
const BLOCKED = formatMessage('en-US', 'blockedByAutoMod');

inWorld(
  'where AutoMod blocks a card that is known, its member alone reads so, and sees it in private',
  async (world) => {
    await world.card('base1-4', { private: true }).until(isFinal);
    world.discord.moderate(BLOCKS_CARD);
    const { ephemeral, content, embeds, followUps } = await world.card('base1-4').until(isFinal);
    expect({ ephemeral, content, embeds, followUps }).toEqual({ ephemeral: true, content: BLOCKED, embeds: [] });
    expect(titles(await world.card('base1-4', { private: true }).until(isFinal))).toEqual([CARD]);
    expect(await world.commandLines(3)).toMatchObject([{}, { outcome: 'blocked' }, { outcome: 'answered' }]);
    expect(world.lines.filter(({ err }) => err)).toEqual([]);
  },
);

it.each(['card', 'cards'])('a deferred /%s that AutoMod blocks says so', async (command) => {
  const world = await startWorld({ env: BULK });
  world.discord.moderate(BLOCKS_CARD);
  const options = command === 'card' ? { id: 'base1-4' } : { ids: TEN.join(' ') };
  const { ephemeral, content, embeds, followUps } = await world.type(command, options).until(isFinal);
  expect({ ephemeral, content, embeds, followUps }).toEqual({ ephemeral: false, content: BLOCKED, embeds: [] });
  expect(await world.commandLines(1)).toMatchObject([{ outcome: 'blocked', source: 'service' }]);
});
