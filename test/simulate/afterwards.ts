import type { SimulatedService } from './card-service.ts';
import type { SimulatedDiscord, Typed } from './discord.ts';
import { pause, simulatedMs } from './fake-time.ts';
import type { Outage, Port } from './faults.ts';
import { BETWEEN, beyondLineOf, memberId, takesMessages, typedBy } from './members.ts';
import { isTold, watchesSet } from './oracle.ts';

/** After all faults, everything works again by then: a window that seems spent by a wrong clock is probed hourly at least. */
const WELL_MS = 65 * 60_000;
const AGAIN_MS = 30_000;
/** A try by message is over by then, whatever was wrong with a clock. */
const FOR_COMMANDS_MS = 8 * 60_000;
/** A card that nobody watches, and that is known once the first process has shown it. */
const KNOWN = 'set-90';
/** Of a window, for what is asked here. */
const LEAST_LEFT = 30;
/** The first command is answered then, and what it shows is being noted. */
const SOON_MS = 500;
/** More than members type before. */
const MOST_TYPED = 1_000;

export interface Afterwards {
  discord: SimulatedDiscord;
  service: SimulatedService;
  port: Pick<Port, 'hitCalls'>;
  outages: readonly Outage[];
  /** By their numbers. */
  processes: readonly number[];
  random: () => number;
  movesPrices: boolean;
  type(typed: Typed): void;
}

/**
 * What should work when no fault strikes any more: each process shows a card that it did not know, and who watches a card
 * hears of its price, once it has come back across the line.
 *
 * @returns what does not work, and whether no price should be left to be told: each member was written to, or has asked for
 *   something
 */
export async function checkAfterwards(given: Afterwards) {
  const { discord, service, port, outages, processes, random, movesPrices, type } = given;
  const failures: string[] = [];
  const { endsAtMs } = service.limits.window;
  if (service.left < LEAST_LEFT && service.endsAtMs === endsAtMs) await pause(endsAtMs - simulatedMs() + 1_000);
  if (service.left < LEAST_LEFT) return { failures, isAllTold: false };

  /** @param member somebody who has spent nothing yet, unless given */
  function ask(card: string, member?: string, to = processes[Math.floor(random() * processes.length)] ?? 0): void {
    const number = discord.typed.length + MOST_TYPED;
    type(typedBy(member ?? memberId(number), number, to, 'card', [card]));
  }

  /** Until it is so, or too long. */
  async function until(isSo: () => boolean, otherwise: string, again: () => void): Promise<void> {
    for (const untilMs = simulatedMs() + WELL_MS; !isSo(); await pause(AGAIN_MS)) {
      if (simulatedMs() > untilMs) return void failures.push(otherwise);
      again();
    }
  }

  async function shows(to: number, slot: number): Promise<void> {
    const card = slot === 0 ? KNOWN : `set-9${slot}`;
    const isShown = ({ cards, shown }: Typed) => cards[0] === card && (shown.at(-1)?.embeds ?? 0) > 0;
    const otherwise = `process ${to} shows no card after all faults`;
    await until(
      () => discord.typed.some(isShown),
      otherwise,
      () => ask(card, undefined, to),
    );
  }

  async function renewed(card: string, sinceMs: number): Promise<void> {
    const isKnown = () =>
      service.departures.some((each) => each.card === card && each.leftAtMs > sinceMs && each.heard?.status === 200);
    await until(isKnown, `${card} is not renewed`, () => ask(card));
  }

  async function told(watch: Typed, sinceMs: number): Promise<void> {
    const {
      member,
      cards: [card = ''],
    } = watch;
    const otherwise = `${member} was not told of ${card} after ${sinceMs}`;
    await until(
      () => isTold(watch, discord.told, sinceMs),
      otherwise,
      () => takesMessages(member) || askTwice(card, member),
    );
  }

  /** At once or soon after, also in two processes: either may show what no message told. */
  function askTwice(card: string, member: string): void {
    ask(card, member);
    const soon = () => ask(card, member);
    if (random() < 0.5) soon();
    else void pause(random() * SOON_MS).then(soon);
  }

  const watching = () => discord.typed.filter(({ command }) => command === 'watch');

  async function movePrices(): Promise<void> {
    const watched = new Set(watching().map(({ cards: [card = ''] }) => card));
    let sinceMs = 0;
    for (const priceOf of [() => BETWEEN, beyondLineOf]) {
      service.priceOf = priceOf;
      sinceMs = simulatedMs();
      await Promise.all([...watched].map((card) => renewed(card, sinceMs)));
      await pause(5_000);
    }
    await Promise.all(watchesSet(discord, outages).map((watch) => told(watch, sinceMs)));
  }

  await Promise.all(processes.map(shows));
  if (movesPrices) await movePrices();
  else service.priceOf = () => BETWEEN;
  // What was tried in vain before is told by a command: with any clock, after so long.
  await pause(FOR_COMMANDS_MS);
  port.hitCalls = 'none';
  for (const member of new Set(watching().map((typed) => typed.member))) askTwice(KNOWN, member);
  await pause(AGAIN_MS);
  return { failures, isAllTold: true };
}
