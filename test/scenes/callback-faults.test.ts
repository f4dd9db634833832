import { describe, expect } from 'vitest';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import { DISCORD_LIFETIMES } from '../../sandbox/discord/conversation.ts';
import type { ScriptedFault } from '../../sandbox/discord/faults.ts';
import { SAMPLE_CARDS } from '../../sandbox/sample-cards.ts';
import { FRESH_COLOUR, STALE_COLOUR } from '../../src/render/card-embed.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { rateLimited, refusedWithHtml, serverError } from '../support/fault-forms.ts';
import { cardRequests, edits, finalAnswer, finalAnswers, inWorld, isFinal } from '../support/world.ts';

/** Discord's own 3 s; the other tests wait longer, because a busy machine may need it. */
const AS_DISCORD = { discord: { lifetimes: DISCORD_LIFETIMES } };

const CARD = 'Emberwing Drake';

const FAULTS: ScriptedFault[] = [
  serverError('callback', { times: 3 }),
  { route: 'callback', answer: 'close' },
  { route: 'callback', answer: 'reset' },
  { route: 'callback', answer: 'lose answer' },
  { route: 'callback', answer: 'hang' },
  { route: 'callback', delayMs: 400 },
  rateLimited({ route: 'callback', retryAfterSeconds: 1 }),
  rateLimited({ route: 'callback', retryAfterSeconds: 1, scope: 'shared', isInBody: true }),
];

describe('a first answer', () => {
  inWorld('reaches a member, with a known card or not, whatever the callback meets', AS_DISCORD, async (world) => {
    for (const [index, fault] of FAULTS.entries()) {
      const { id = '', name } = SAMPLE_CARDS[index] ?? {};
      for (const [known, source] of ['service', 'cache'].entries()) {
        world.discord.faults.script(fault);
        const typed = world.card(id);

        expect(await finalAnswer(typed)).toBe(name);
        const lines = await world.commandLines(2 * index + known + 1);
        expect(lines.at(-1)).toMatchObject({ outcome: 'answered', source });
        expect(finalAnswers(typed)).toBe(1);
        expect(world.discord.faults.pending).toBe(0);
      }
    }
    expect(cardRequests(world)).toHaveLength(FAULTS.length);
  });

  inWorld(
    'is not retried before the time that Discord states, and is given up when that is later than its deadline',
    AS_DISCORD,
    async (world) => {
      await finalAnswer(world.card('base1-4'));
      world.discord.faults.script(rateLimited({ route: 'callback', retryAfterSeconds: 10.5, times: 2 }));

      world.card('base1-4');
      await world.commandLines(2);
      world.card('base1-5');

      expect(await world.commandLines(3)).toMatchObject([{}, { outcome: 'not answered' }, { outcome: 'not answered' }]);
      const callbacks = world.discord.requests.filter(({ path }) => path.includes('/callback'));
      expect(callbacks.map(({ status }) => status)).toEqual([204, 429, 429]);
      expect(cardRequests(world)).toHaveLength(1); // the other card could not be shown
      expect(world.lines).toContainEqual(expect.objectContaining({ msg: 'discord asks to wait', waitMs: 10_550 }));
      expect(await finalAnswer(world.card('base1-5'))).not.toBe('');
    },
  );

  inWorld('that Discord refuses is replaced by a private plain sentence and logged', AS_DISCORD, async (world) => {
    await finalAnswer(world.card('base1-4'));
    for (const id of ['base1-4', 'base1-5']) {
      world.discord.faults.script(refusedWithHtml('callback', 403));
      const { content, ephemeral } = await world.card(id).until(isFinal);
      expect([id, content, ephemeral]).toEqual([id, formatMessage('en-US', 'broken'), true]);
    }

    const broken = { outcome: 'broken', err: expect.anything() };
    expect(await world.commandLines(3)).toMatchObject([{}, broken, broken]);
    expect(cardRequests(world)).toHaveLength(1);
    expect(edits(world)).toBe(1);
  });

  inWorld(
    'that Discord does not confirm in time is edited all the same once its card is renewed',
    { ...AS_DISCORD, env: { FACTS_FRESH_SECONDS: '0' } },
    async (world) => {
      await finalAnswer(world.card('base1-4'));
      world.discord.faults.script({ route: 'callback', answer: 'lose answer', times: 99 });

      const typed = world.card('base1-4');

      const isRenewed = ({ embeds: [embed] }: ChatMessage) => embed?.color === FRESH_COLOUR;
      expect((await typed.until(isRenewed)).embeds[0]?.title).toBe(CARD);
      expect(typed.history.some(({ embeds: [embed] }) => embed?.color === STALE_COLOUR)).toBe(true);
    },
  );

  inWorld(
    'that Discord processes after it was given up, and after an edit, is completed all the same',
    async (world) => {
      world.discord.faults.script({ route: 'callback', delayMs: 4_000, times: 9 });
      const typed = world.card('base1-4');
      expect(await finalAnswer(typed)).toBe(CARD);
      expect(await world.commandLines(1)).toMatchObject([{ outcome: 'answered' }]);
      expect(finalAnswers(typed)).toBe(1);
    },
  );

  inWorld('that hangs is given up and does not delay a stop', AS_DISCORD, async (world) => {
    world.discord.faults.script({ route: 'callback', answer: 'hang', times: 9 });
    const typed = world.card('base1-4');
    await expect.poll(() => world.discord.faults.met).toBe(1);

    await world.stopBot();

    expect(typed.message.embeds).toEqual([]);
    await expect.poll(() => world.discord.gateway.sessions).toBe(0);
  });
});
