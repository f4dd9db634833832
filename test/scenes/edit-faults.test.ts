import { describe, expect, it } from 'vitest';
import type { ScriptedFault } from '../../sandbox/discord/faults.ts';
import { FRESH_COLOUR } from '../../src/render/card-embed.ts';
import { formatMessage } from '../../src/render/messages.ts';
import { bannedByCloudflare, rateLimited, refused, refusedWithHtml, serverError } from '../support/fault-forms.ts';
import { ERROR } from '../support/log-lines.ts';
import {
  cardRequests,
  edits,
  finalAnswer,
  finalAnswers,
  hasCard,
  inWorld,
  said,
  startWorld,
} from '../support/world.ts';

const CARD = 'Emberwing Drake';

async function arrives(fault: ScriptedFault): Promise<void> {
  const world = await startWorld();
  world.discord.faults.script(fault);

  const typed = world.card('base1-4');

  expect(await finalAnswer(typed)).toBe(CARD);
  expect(await world.commandLines(1)).toMatchObject([{ outcome: 'answered' }]);
  expect(finalAnswers(typed)).toBe(1);
  expect(world.discord.faults.pending).toBe(0);
  expect(cardRequests(world)).toHaveLength(1);
}

describe('the answer to a deferred reply', () => {
  it.each<ScriptedFault>([
    rateLimited({ route: 'edit', retryAfterSeconds: 1 }),
    rateLimited({ route: 'edit', retryAfterSeconds: 1, scope: 'global' }),
    bannedByCloudflare('edit', 1),
    { route: 'edit', answer: { status: 302, headers: { 'Content-Type': 'text/html' }, body: 'moved' } },
    { route: 'edit', answer: 'hang' },
    { route: 'edit', answer: 'close', times: 3 },
    { route: 'edit', answer: 'lose answer' },
    { route: 'edit', answer: 'stall' },
    serverError('edit', { status: 500, times: 9 }), // for longer than discord.js retries
    refused('edit', 'unknownWebhook'), // Discord knows of no "thinking…": it arrives as a first answer
  ])('arrives, whatever the edit meets: $answer', arrives);

  inWorld('is shown again when Discord processes after it a wait that the bot had given up', async (world) => {
    world.cardService.set({ latencyMs: 5_500 }); // longer than an answer is awaited without a word
    world.discord.faults.script({ route: 'edit', delayMs: 12_000 });

    const typed = world.card('base1-4');
    const shown = () => typed.history.map(({ embeds: [embed], content }) => embed?.title ?? content).slice(-3);

    await expect.poll(shown).toEqual([CARD, expect.stringMatching(/^Still asking/), CARD]);
    expect(finalAnswers(typed)).toBe(1);
    expect(cardRequests(world)).toHaveLength(1);
  });

  inWorld('is retried word for word although the quota has changed meanwhile', async (world) => {
    world.discord.faults.script({ route: 'edit', answer: 'lose answer', times: 6 });

    const typed = world.card('base1-4');
    await typed.until(hasCard);
    await world.usage().settled(); // costs a request, which a new footer would show

    await expect.poll(() => said(world, 'command')).toBe(2);
    expect(world.discord.faults.pending).toBe(0);
    expect(finalAnswers(typed)).toBe(1);
    const logged = world.lines.flatMap(({ msg }) => (String(msg).startsWith('discord accepts') ? [msg] : []));
    expect(logged).toEqual([
      'discord accepts no edits: they are repeated until it does',
      'discord accepts edits again',
    ]);
  });

  inWorld('that Discord refuses is replaced by a plain sentence and logged', async (world) => {
    const misread = [refusedWithHtml('edit', 400), { route: 'edit', answer: { status: 403, body: 'null' } } as const];
    for (const [index, refusal] of misread.entries()) {
      world.discord.faults.script(refusal);
      const broken = formatMessage('en-US', 'broken');
      await world.card(`base1-${index + 1}`).until(({ content }) => content === broken);
    }

    expect(await world.commandLines(2)).toMatchObject(Array(2).fill({ outcome: 'broken' }));
    expect(world.lines).toContainEqual(expect.objectContaining({ level: ERROR, msg: 'reply cannot be edited' }));
  });

  inWorld('does not delay a stop when its edit hangs or has to wait', async (world) => {
    world.discord.faults.script(
      { route: 'edit', answer: 'hang', times: 9 },
      rateLimited({ route: 'edit', retryAfterSeconds: 600, times: 9 }),
    );
    world.card('base1-4');
    world.card('base1-5');
    await expect.poll(() => world.discord.faults.met).toBe(2);

    await world.stopBot();

    await expect.poll(() => world.discord.gateway.sessions).toBe(0); // the bot sees the close before Discord does
    expect(world.lines).toContainEqual(expect.objectContaining({ msg: 'stopped before everything was done' }));
  });
});

inWorld(
  'a renewed copy that Discord refuses leaves the stale one in place',
  { env: { FACTS_FRESH_SECONDS: '0' } },
  async (world) => {
    await finalAnswer(world.card('base1-4'));
    world.discord.faults.script(refused('edit', 'invalidForm', 2));

    const typed = world.card('base1-4');
    await expect.poll(() => world.discord.faults.met).toBe(2); // the second has no picture
    await world.stopBot(); // waits for the edits of stale copies

    expect(typed.message.embeds[0]?.title).toBe(CARD);
    expect(typed.message.edited).toBe(false);
    expect(edits(world)).toBe(3);
  },
);

inWorld(
  'a renewed copy replaces the stale one when Discord accepts no edits for longer than discord.js retries',
  { env: { FACTS_FRESH_SECONDS: '0' } },
  async (world) => {
    await finalAnswer(world.card('base1-4'));
    world.discord.faults.script(serverError('edit', { times: 16 }));
    const typed = world.card('base1-4');
    await typed.until(({ embeds: [embed] }) => embed?.color === FRESH_COLOUR);
    expect(world.discord.faults.pending).toBe(0);
  },
);
