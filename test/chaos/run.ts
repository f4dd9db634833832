import { setTimeout as sleep } from 'node:timers/promises';
import { DISCORD_LIFETIMES, type TypedInteraction } from '../../sandbox/discord/conversation.ts';
import { startBackends } from '../support/backends.ts';
import { type BotProcess, startBotProcess } from '../support/bot-process.ts';
import { finalAnswers, isFinal } from '../support/world.ts';
import { alarmsIn } from './alarms.ts';
import { chaosSchedule, strike } from './schedule.ts';
import { SAMPLE_MS, type Soak } from './soak.ts';

/**
 * How a command ended for the member. Two endings must not occur. `lost`: acknowledged but never answered, or not
 * acknowledged by a connected bot. `twice`: two final answers that differ. Two are excused, because no design prevents
 * them:
 *
 * - `not received`: no bot was connected within the 3 s after which Discord gives up.
 * - `excused`: it was completed again because the bot ended before that was recorded. Which of these are right is for the
 *   simulator to say, which knows of every call whether it had an effect; here it is judged by times.
 */
export type Ending = 'card' | 'sentence' | 'not received' | 'excused' | 'lost' | 'twice';

/** A day of four seconds, so that a spent day begins and ends within a run. */
const DAY_MS = 4_000;
/** Lookups wait for a permit only after a fault. */
const LIMITS = { requestsPerMinute: 3_000, burst: 40, requestsPerDay: 400 };
/** A bot holds 70 MB of its own; what leaks under faults would soon be more than this. */
const HEAP_MB = 128;
const PATIENCE_MS = 45_000;
/** What no bot received comes to none later. */
const NOT_RECEIVED_MS = 1_000;
const LONGEST_FIRST_ANSWER_MS = 3_000;
/** For an edit whose answer is lost: the next try is rate limited for up to 2 s, and a stop waits 1.2 s for it. */
const RECORDED_MS = 2_000;

/**
 * Types commands and injects faults by the schedule of the seed, waits until every command is answered, and counts. To be
 * run within `scoped`.
 *
 * @returns the number of commands and of faults; what the members saw of the commands that ended so; log lines that no fault
 *   explains
 */
export async function runChaos(seed: string, seconds: number, soak?: Soak) {
  const { discord, cardService, env } = await startBackends(
    { ...LIMITS, nextResetMs: (nowMs) => (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS },
    {
      // Both, as in docs/configuration.md: with a large young generation beside so small an old one, V8 marks without end.
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MB} --max-semi-space-size=4`,
      CARD_SERVICE_TIMEOUT_MS: '400',
      PRICES_FRESH_SECONDS: '2',
      HTTP_PORT: '0',
    },
    { lifetimes: DISCORD_LIFETIMES },
  );
  const { DATA_DIR: dataDir } = env;
  const bot = new Bot(env);
  await bot.ready();
  const sampling = soak && setInterval(() => soak.sample(bot.output(), dataDir), SAMPLE_MS);
  /** When an interaction had its first final answer, by its id. */
  const completedAtMs = new Map<string, number>();
  discord.onMessage((message) => {
    const { interactionId: id } = message;
    if (isFinal(message) && !completedAtMs.has(id)) completedAtMs.set(id, Date.now());
  });
  const events = chaosSchedule(seed, seconds, soak !== undefined);
  const commands: TypedInteraction[] = [];
  const startMs = Date.now();
  for (const event of events) {
    await sleep(Math.max(0, startMs + event.atMs - Date.now()));
    if ('fault' in event) {
      strike(event.fault, event.strength, { discord, cardService, bot, dataDir });
      continue;
    }
    try {
      commands.push(discord.type(event.typed));
    } catch {
      // No bot is connected: Discord would not have sent it.
    }
  }
  clearInterval(sampling);

  cardService.set({ down: false, latencyMs: 0 });
  discord.faults.clear(); // a stop would wait for what still hangs
  await bot.quiet();
  const endOf = (typed: TypedInteraction) => endingOf(typed, completedAtMs.get(typed.id), bot.gaps);
  const quietAtMs = Date.now();
  const isOver = (typed: TypedInteraction) => {
    if (typed.message.state === 'failed' || isFinal(typed.message)) return true;
    return endOf(typed) === 'not received' && Date.now() > quietAtMs + NOT_RECEIVED_MS;
  };
  while (Date.now() < quietAtMs + PATIENCE_MS && !commands.every(isOver)) await sleep(50);
  const ended = [...Map.groupBy(commands, endOf)];
  await bot.end('SIGTERM');
  return {
    commands: commands.length,
    faults: events.filter((event) => 'fault' in event).length,
    endings: new Map(ended.map(([ending, typed]) => [ending, typed.map(describeCommand)])),
    alarms: alarmsIn(bot.output()),
  };
}

/** A time in which there was no bot that could receive commands. */
interface Gap {
  fromMs: number;
  toMs: number;
}

/** A bot that is ended and started again. */
export class Bot {
  readonly gaps: Gap[] = [];
  readonly #env: Record<string, string>;
  /** What all processes so far have written, and how they have ended of their own accord. */
  readonly #outputs: (() => string)[] = [];
  #running: BotProcess;
  #restarting: Promise<void> | undefined;

  constructor(env: Record<string, string>) {
    this.#env = env;
    this.#running = this.#start();
  }

  /** Resolves when it is connected. */
  ready(): Promise<void> {
    return this.#running.wrote('gateway ready');
  }

  /** A call during a restart joins it. Resolves when the bot is connected. */
  restart(signal: NodeJS.Signals): Promise<void> {
    this.#restarting ??= this.#restart(signal).finally(() => {
      this.#restarting = undefined;
    });
    return this.#restarting;
  }

  /** Resolves when no restart is under way. */
  async quiet(): Promise<void> {
    await this.#restarting;
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.#running.child.kill(signal);
    await this.#running.ended;
  }

  output(): string {
    return this.#outputs.map((read) => read()).join('\n');
  }

  async #restart(signal: NodeJS.Signals): Promise<void> {
    const gap = { fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY };
    this.gaps.push(gap);
    await this.end(signal);
    this.#running = this.#start();
    await this.ready().catch(() => {}); // it ended unexpectedly, which is recorded
    gap.toMs = Date.now();
  }

  #start(): BotProcess {
    const bot = startBotProcess(this.#env);
    this.#outputs.push(bot.output);
    void bot.ended.then((end) => {
      if (!bot.child.killed) this.#outputs.push(() => `the bot ended unexpectedly with ${end}`);
    });
    return bot;
  }
}

function endingOf(typed: TypedInteraction, completedAtMs = Number.NaN, gaps: readonly Gap[] = []): Ending {
  const { message } = typed;
  const isGap = (fromMs: number, toMs: number) => gaps.some((gap) => gap.fromMs < toMs && gap.toMs > fromMs);
  if (isFinal(message)) {
    if (!isTwice(typed)) return message.embeds.length > 0 ? 'card' : 'sentence';
    return isGap(completedAtMs, completedAtMs + RECORDED_MS) ? 'excused' : 'twice';
  }
  const isUnheard = isGap(message.typedAtMs, message.typedAtMs + LONGEST_FIRST_ANSWER_MS);
  return message.messageId === undefined && isUnheard ? 'not received' : 'lost';
}

/** A deferred reply has one answer; an immediate reply with a stale copy may be edited several times. */
function isTwice(typed: TypedInteraction): boolean {
  const { followUps = [] } = typed.message;
  const deferred = typed.history.some(({ state }) => state === 'thinking');
  return followUps.length > 0 || (deferred && finalAnswers(typed) > 1);
}

/** What the member saw. */
function describeCommand({ id, message, history }: TypedInteraction): string {
  const seen = history.map(({ state, content, embeds, failure }) =>
    [state, embeds[0]?.title ?? content, failure].filter(Boolean).join(' '),
  );
  const time = new Date(message.typedAtMs).toISOString().slice(11, 23);
  return `${time} ${message.commandLine} (${id}): ${seen.join(' → ')}`;
}
