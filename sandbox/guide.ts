import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bot, LogLine } from './bot.ts';
import type { EmulatedDiscord } from './discord/emulated-discord.ts';
import { foundCards, STEPS, STORM_MS, type Step } from './guide-steps.ts';
import type { KnownCard } from './known-cards.ts';
import { Listeners } from './listeners.ts';
import type { ServiceCard } from './sample-cards.ts';
import type { EmbeddedCardService } from './service/service.ts';
import { aborted } from './transport.ts';

/** The guided minute, as the page shows it. */
export interface ShownGuide {
  steps: readonly Omit<Step, 'run'>[];
  /** The step that runs, or ran last; absent after a reset. */
  current?: string | undefined;
  /** When it began. */
  beganAtMs?: number;
  /** What happened in it; absent while it runs. */
  happened?: string;
  isResetting: boolean;
}

interface GuideOptions {
  discord: EmulatedDiscord;
  cardService: EmbeddedCardService;
  bot: Bot;
  /** What the service has. */
  cards: readonly ServiceCard[];
  /** What the bot has in memory at the start. */
  known: readonly KnownCard[];
  /** Nobody reads what to watch, and a service that refuses everything does so for a moment. */
  isQuick?: boolean;
}

/** A step acts only when what to watch can have been read. */
const READING_MS = 2_000;
const QUICK_STORM_MS = 2_000;
const MOST_MS = 120_000;
const SEARCHES_WITHIN_MS = 10_000;
const MOST_OF_A_SET = 12;
const SEEDED_POST = 'Anyone trading a Wax Golem for base1-4?';

/** Runs one step at a time: pressing a button ends the step that runs. Each begins with everything as at the start. */
export class Guide {
  readonly #options: GuideOptions;
  readonly #commands = new EventEmitter();
  readonly #changes = new Listeners();
  readonly onChange = this.#changes.add;
  #shown: Omit<ShownGuide, 'steps'> = { isResetting: false };
  #running = Promise.resolve();
  #end = new AbortController();
  /** Whose command for which card has ended since the step began. */
  readonly #ended = new Set<string>();

  constructor(options: GuideOptions) {
    this.#options = options;
  }

  get shown(): ShownGuide {
    return { steps: STEPS.map(({ run: _, ...shown }) => shown), ...this.#shown };
  }

  /** Learns from a line of the bot's log which command has ended. */
  read({ msg, member, card }: LogLine): void {
    if (msg !== 'command') return;
    this.#ended.add(`${member} ${card}`);
    this.#commands.emit('ended');
  }

  /** Begins a step as soon as the one that runs has ended. @throws Error with a sentence when there is none of this id */
  press(id: string): void {
    const step = STEPS.find((each) => each.id === id);
    if (!step) throw new Error(`There is no step ${id}.`);
    this.#begin(async (signal) => {
      const { isQuick = false } = this.#options;
      const readAtMs = Date.now() + (isQuick ? 0 : READING_MS);
      this.#show({ current: id, isResetting: false });
      await this.#resetAll(signal);
      await sleep(Math.max(0, readAtMs - Date.now()), undefined, { signal });
      const beganAtMs = Date.now();
      this.#show({ current: id, beganAtMs, isResetting: false });
      await Promise.race([aborted(signal), this.#options.discord.gateway.whenReady()]); // somebody may have killed the bot
      this.#ended.clear();
      const unknown = unknownCards(this.#options).values();
      const happened = await step.run({
        ...this.#options,
        stormMs: isQuick ? QUICK_STORM_MS : STORM_MS,
        unknownCard: () => unknown.next().value ?? '',
        ended: async (...typed) => {
          const waited = typed.map(
            ({ message: { member, commandLine: line } }) => `${member.id} ${line.split(':')[1]}`,
          );
          while (!waited.every((each) => this.#ended.has(each))) await once(this.#commands, 'ended', { signal });
        },
        signal,
      });
      this.#show({ ...this.#shown, happened });
    });
  }

  /** Everything is as at the start when it resolves: chat, service, switches, the bot and its data. */
  async reset(): Promise<void> {
    this.#begin(async (signal) => {
      this.#show({ isResetting: true });
      await this.#resetAll(signal);
      this.#show({ isResetting: false });
    });
    await this.#running;
  }

  /** Ends the step or the reset that runs. */
  async close(): Promise<void> {
    this.#end.abort();
    await this.#running;
  }

  #begin(work: (signal: AbortSignal) => Promise<void>): void {
    this.#end.abort();
    const ending = new AbortController();
    this.#end = ending;
    this.#running = this.#running.then(async () => {
      if (ending.signal.aborted) return; // pressed and ended meanwhile
      const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(MOST_MS)]);
      await work(signal).catch((error: Error) => {
        const happened = `It did not come to its end: ${error.message}`;
        this.#show({ ...this.#shown, happened, isResetting: false });
      });
    });
  }

  async #resetAll(signal: AbortSignal): Promise<void> {
    const { discord, cardService, bot } = this.#options;
    await bot.end('SIGKILL'); // what it sends last is not of the new story
    discord.clearChat();
    discord.post({ memberId: discord.members[1]?.id ?? '', content: SEEDED_POST });
    cardService.reset();
    await bot.reset();
    await foundCards(discord, AbortSignal.any([signal, AbortSignal.timeout(SEARCHES_WITHIN_MS)])).catch(() => {});
  }

  #show(shown: Omit<ShownGuide, 'steps'>): void {
    this.#shown = shown;
    this.#changes.tell();
  }
}

/** Cards of one set after the other, which the bot does not know. */
function unknownCards({ cards, known }: GuideOptions): string[] {
  const bySet = Map.groupBy(cards, ({ set }) => set.id)
    .values()
    .toArray();
  const inTurn = Array.from({ length: MOST_OF_A_SET }, (_, index) => bySet.flatMap((ofSet) => ofSet[index] ?? []));
  const unknown = inTurn.flat().filter(({ id, imageUrl }) => imageUrl && known.every((each) => each.id !== id));
  return unknown.map(({ id }) => id);
}
