import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatMessage, CommandOption, Whereabouts } from '../../sandbox/discord/chat.ts';
import type { TypedInteraction } from '../../sandbox/discord/conversation.ts';
import { optionValues, readCommandLine } from '../../sandbox/page/command-line.ts';
import { SAMPLE_CATALOG } from '../../sandbox/sample-cards.ts';
import { SAMPLE_MEMBERS } from '../../sandbox/sample-members.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/sandbox.ts';
import { createLog } from '../../src/log.ts';
import { PATIENT } from '../support/backends.ts';
import { hosts } from '../support/hosts.ts';
import { confirm, labels, press } from '../support/world.ts';
import { bookEarlierToday, USED_EARLIER } from './earlier-today.ts';
import { wordsOf } from './words.ts';

/** A reply whose words are written down, and of which a picture may be taken. */
export interface Shot {
  name: string;
  /** Default: jumps, then stands. `stands`: it is the same as at the reply before. `passes`: while the bot tries again. */
  time?: 'stands' | 'passes';
  /** What is done before. */
  before?(sandbox: Sandbox): unknown;
  /** Makes it appear. @returns its words */
  show(sandbox: Sandbox): string | Promise<string>;
}

/** Replies in one sandbox, in this order. */
export interface Scene {
  options?: Omit<SandboxOptions, 'log'>;
  /** Others have sent requests today, and the service has confirmed the whole catalog. */
  isLively?: true;
  shots: readonly Shot[];
}

/** An evening, far enough from midnight and from the next hour. */
export const BEGIN_MS = Date.parse('2026-11-21T18:20:00Z');
const STEP_MS = 20_000;
const TICK_MS = 50;
/** Of this process, bot and servers included. It stands still, or time is simulated and passes by itself. */
interface Clock {
  setSystemTime(ms: number): void | Promise<void>;
  passes?: true;
}

/** Who looks at a scene. */
interface Spectator {
  /** The bot is connected. @returns what ends the looking */
  begin?(sandbox: Sandbox): Promise<() => Promise<void>>;
  take(shot: Shot, words: string): Promise<void> | void;
}

/**
 * Plays a scene with a bot in this process. Time stands still for the bot and its servers, and jumps before the next reply,
 * so that the same is said at any speed.
 */
export async function play({ options, isLively, shots }: Scene, clock: Clock, spectator: Spectator): Promise<void> {
  await clock.setSystemTime(BEGIN_MS);
  const log = createLog({ level: 'silent', secrets: [] });
  const sandbox = await startSandbox({
    log,
    catalog: SAMPLE_CATALOG,
    ...options,
    discord: { lifetimes: PATIENT, members: SAMPLE_MEMBERS, ...options?.discord },
    service: { usedToday: isLively ? USED_EARLIER : 0, ...options?.service },
    env: { PRICE_CURRENCY: 'USD', ...options?.env },
    ...(clock.passes && { hosts }),
  });
  if (isLively) {
    bookEarlierToday(sandbox);
    confirm(sandbox, SAMPLE_CATALOG); // then names are told from ids
  }
  let end: (() => Promise<void>) | undefined;
  try {
    await sandbox.startBot();
    end = await spectator.begin?.(sandbox);
    for (const [at, shot] of shots.entries()) {
      if (shot.time !== 'stands') await clock.setSystemTime(Math.max(Date.now(), BEGIN_MS + at * STEP_MS));
      const pass = () => clock.setSystemTime(Date.now() + TICK_MS);
      const passing = shot.time === 'passes' && !clock.passes ? setInterval(pass, TICK_MS) : undefined;
      await shot.before?.(sandbox);
      const words = await shot.show(sandbox);
      clearInterval(passing);
      await spectator.take(shot, words);
    }
  } finally {
    await end?.();
    await sandbox.stop();
  }
}

/** Types a line as the page does, as the first member, in the first server unless it is said. */
export function typeLine({ discord }: Sandbox, line: string, at: Whereabouts = {}): TypedInteraction {
  const commands = discord.commandsFor({ manageGuild: true }).map(({ name, description, options = [] }) => {
    return { name, description, options: options as CommandOption[] };
  });
  const { command, texts } = readCommandLine(line, commands);
  if (!command) throw new Error(`no command for ${line}`);
  return discord.type({ command: command.name, options: optionValues(command, texts), manageGuild: true, ...at });
}

/** What a reply says once it has this text. */
export async function wordsWith(typed: TypedInteraction, text: string): Promise<string> {
  return wordsOf(await typed.until((message) => wordsOf(message).includes(text)));
}

/** What the last message says that fits. */
export function lastWords(fits: (message: ChatMessage) => boolean): Shot['show'] {
  return async (sandbox) => wordsOf(await lastMessage(sandbox, fits));
}

/** The reply to a button below the last reply that has it. @param text of the reply */
export function afterButton(button: string, text: string): Shot['show'] {
  return async (sandbox) => {
    const source = await lastMessage(sandbox, (message) => labels(message).includes(button));
    return await wordsWith(press(sandbox, source, button), text);
  };
}

/** The last message that fits, once there is one. */
async function lastMessage({ discord }: Sandbox, fits: (message: ChatMessage) => boolean): Promise<ChatMessage> {
  for (;;) {
    const found = discord.messages().findLast(fits);
    if (found) return found;
    await sleep(10);
  }
}
