import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { SAMPLE_CARDS } from '../../src/sandbox/sample-cards.ts';
import { finalAnswer } from './final-answers.ts';
import type { BotProcess } from './spawn-bot.ts';
import type { Surroundings } from './surroundings.ts';

/** A bot process and what it lives between. */
export interface Life extends Surroundings {
  bot: BotProcess;
}

/** Something that befalls the gateway, and that Discord gets over. */
export interface GatewayFault {
  name: string;
  /** Resolves when Discord is well again; of some faults nothing has to be got over. */
  strike(life: Life): unknown;
  /** Whether a session has to be begun or taken up after it. */
  connectsAnew?: false;
}

/** Long enough for a question to be in hand when something happens. */
const SLOW_MS = 1_000;
/** An identify that came to nothing, and then the turn of the next, on a busy machine. */
const RETURN_MS = 60_000;

/** The bot idles through the fault, or has a question in hand meanwhile. Then it is there again and answers. */
export async function livesThrough(life: Life, fault: GatewayFault, asked: 'idle' | 'waiting'): Promise<void> {
  const { discord, cardService } = life;
  const { gateway } = discord;
  const before = gateway.identifies + gateway.resumes;
  cardService.set({ latencyMs: asked === 'waiting' ? SLOW_MS : 0 });
  const query = asked === 'waiting' ? ask(life) : undefined;
  await query?.typed.until(({ state }) => state === 'thinking');
  cardService.set({ latencyMs: 0 });

  await fault.strike(life);

  if (query) expect(await finalAnswer(query.typed, RETURN_MS), `${fault.name}, waiting`).toBe(query.title);
  if (fault.connectsAnew ?? true) await unlessItEnds(life, gateway.whenUp(before + 1), fault.name);
  const { typed, title } = ask(life);
  expect(await finalAnswer(typed, RETURN_MS), `after ${fault.name}, ${asked}`).toBe(title);
}

/** About a card that was not asked for in this life. */
export function ask({ discord, cardService }: Life) {
  const seen = cardService.requests.length;
  const { id, name: title } = SAMPLE_CARDS[seen] ?? expect.fail('more questions than cards');
  return { typed: discord.type({ command: 'card', options: { id } }), title };
}

async function unlessItEnds({ bot }: Life, event: Promise<void>, fault: string): Promise<void> {
  const end = await Promise.race([event, bot.ended, sleep(RETURN_MS, 'waited in vain', { ref: false })]);
  if (end !== undefined) expect.fail(`${fault}: ${end}\n${bot.output()}`);
}
