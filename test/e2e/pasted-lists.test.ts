import { expect, it } from 'vitest';
import type { ChatMessage } from '../../src/sandbox/discord/chat.ts';
import { SAMPLE_CATALOG } from '../../src/sandbox/sample-cards.ts';
import { labels, press } from '../support/buttons.ts';
import { offered } from '../support/confirmed-cards.ts';
import { cardRequests, startWorld, type World } from '../support/world.ts';

/** Three lines that are clear, of which one names no printing that is known, and one that is not. */
const LIST = 'Deck\n4x Wick, Who Waits\n1 Moth Cartographer (base1) 2\n2 base1-3\n\nSideboard\n1 Nobody Knows This';

async function worldWithNames(env: Record<string, string> = {}): Promise<World> {
  const world = await startWorld({ catalog: SAMPLE_CATALOG, env });
  await offered(world, 'base1-4');
  return world;
}

async function opened({ discord }: World): Promise<ChatMessage> {
  return discord.type({ command: 'cards' }).until(({ modal }) => modal !== undefined);
}

/** Pastes a list into the form of `/cards`. */
async function pasted(world: World, text: string): Promise<ChatMessage> {
  const { interactionId } = await opened(world);
  const submitted = world.discord.submit({ interactionId, values: { text } });
  return submitted.until(({ state, embeds, content }) => state === 'answered' && (embeds.length > 0 || content !== ''));
}

const textOf = ({ embeds: [embed] }: ChatMessage) => embed?.description ?? '';

async function fileOf(message: ChatMessage): Promise<string> {
  const response = await fetch(message.attachments[0]?.url ?? '');
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer());
}

it('a pasted list says what it costs before it costs anything, and then exactly that', async () => {
  const world = await worldWithNames();
  await world.card('base1-1').settled();
  const before = cardRequests(world).length;

  const estimate = await pasted(world, LIST);
  expect(estimate.ephemeral).toBe(true);
  expect(textOf(estimate)).toContain('3 of 4 lines are clear.');
  expect(textOf(estimate)).toContain('The other 2 cards cost at most 2 new lookups');
  expect(textOf(estimate)).toContain('Not clear: **1 Nobody Knows This**');
  expect(cardRequests(world)).toHaveLength(before);

  const answer = await press(world, estimate, 'Fetch the prices').until(({ embeds }) => embeds.length > 0);
  expect(cardRequests(world)).toHaveLength(before + 2);
  expect(labels(answer)).toEqual(['Correct the list', 'Show to everyone']);
  expect(await fileOf(answer)).toMatch(
    /^\uFEFFCount,Name,.*\r\n4,"Wick, Who Waits",First Light,1\/102,,base1-1,39\.35,31\.9,/,
  );
});
