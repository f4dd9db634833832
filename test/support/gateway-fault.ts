import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { SAMPLE_CARDS } from '../../src/sandbox/sample-cards.ts';
import type { AppBot } from './app-bot.ts';
import type { Backends } from './backends.ts';
import { finalAnswer } from './final-answers.ts';

/** A bot and the servers that it talks to. */
export interface RunningBot extends Backends {
  bot: AppBot;
}

/** A fault of the gateway from which Discord recovers. */
export interface GatewayFault {
  name: string;
  /** Resolves when Discord works again. */
  inject(running: RunningBot): unknown;
  /** `false`: the session survives, so the bot neither identifies nor resumes. */
  reconnects?: false;
}

/** Long enough for a lookup to be in progress when the fault begins. */
const SLOW_MS = 1_000;
/** A failed identify and the wait for the next one, on a busy machine. */
const RETURN_MS = 60_000;

/** The bot is idle during the fault or has a lookup in progress. Afterwards it is connected and answers. */
export async function survives(running: RunningBot, fault: GatewayFault, activity: 'idle' | 'waiting'): Promise<void> {
  const { discord, cardService } = running;
  const { gateway } = discord;
  const before = gateway.identifies + gateway.resumes;
  cardService.set({ latencyMs: activity === 'waiting' ? SLOW_MS : 0 });
  const pending = activity === 'waiting' ? lookUp(running) : undefined;
  await pending?.typed.until(({ state }) => state === 'thinking');
  cardService.set({ latencyMs: 0 });

  await fault.inject(running);

  if (pending) expect(await finalAnswer(pending.typed, RETURN_MS), `${fault.name}, waiting`).toBe(pending.title);
  if (fault.reconnects ?? true) await unlessItEnds(running, gateway.whenUp(before + 1), fault.name);
  const { typed, title } = lookUp(running);
  expect(await finalAnswer(typed, RETURN_MS), `after ${fault.name}, ${activity}`).toBe(title);
}

/** Types `/card` for a card that this bot has not requested yet. */
export function lookUp({ discord, cardService }: RunningBot) {
  const seen = cardService.requests.length;
  const { id, name: title } = SAMPLE_CARDS[seen] ?? expect.fail('more lookups than cards');
  return { typed: discord.type({ command: 'card', options: { id } }), title };
}

async function unlessItEnds({ bot }: RunningBot, event: Promise<void>, fault: string): Promise<void> {
  const end = await Promise.race([event, bot.refused, sleep(RETURN_MS, 'not reconnected in time', { ref: false })]);
  if (end !== undefined) expect.fail(`${fault}: ${end}\n${bot.output()}`);
}
