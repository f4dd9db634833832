import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Departure, SimulatedService } from './card-service.ts';
import { isFinal, type SimulatedDiscord, type Told, type Typed } from './discord.ts';
import type { Hit, Outage } from './faults.ts';
import { beyondLineOf } from './members.ts';

/** What is kept at the end. */
export interface Kept {
  booked: number;
  /** Replies that are still to be completed. */
  waiting: readonly string[];
  watches: readonly KeptWatch[];
}

interface KeptWatch {
  id: string;
  memberId: string;
  cardId: string;
  crossings: number;
  untold?: object | undefined;
}

export interface Span {
  fromMs: number;
  untilMs: number;
}

/** All that was seen of a run. */
export interface Seen {
  discord: SimulatedDiscord;
  service: SimulatedService;
  hits: readonly Hit[];
  outages: readonly Outage[];
  kills: readonly { atMs: number; process: number }[];
  kept: Kept;
  isShared: boolean;
  /** In the end, everyone who has set a watch was written to, or has asked for something. */
  isAllTold: boolean;
}

/** A command to Redis that is not answered by then is given up. */
const ANSWERED_MS = 1_000;
const FLUSHED_MS = 1_200;
/** A connection that is lost is there again by then, as are all that were booked meanwhile. */
const CONNECTED_MS = 4_000;
/** The longest wait that a member is let into, and what a takeover takes. */
const LONGEST_MS = 420_000;
/** Who presses again by then has seen nothing yet. */
const PRESSED_TWICE_MS = 2_500;
/** What was sent before may be late, and then late again when it is sent anew. */
const EDITED_MS = 30_000;
/** After so long a process has heard what another has done. */
const LEARNED_MS = 5_000;
/** Between hearing that nothing is to be sent and a request that was permitted before. */
const LEAVING_MS = 100;
/** What a call takes to the other side at most. */
const THERE_MS = 81;
const MINUTE_MS = 60_000;
/** Whatever was wrong when a price was told, it was so long before or after. */
const NOTED_MS = 15_000;
/** A first answer that was given up may be processed for so long. */
const UNSURE_MS = 15_000;

const spanAt = (atMs: number, beforeMs = 0): Span => ({ fromMs: atMs - beforeMs, untilMs: atMs });

/** When a command to Redis was hit. */
export function unanswered(hits: readonly Hit[]): Span[] {
  return hits.filter(({ call }) => call === 'redis').map(({ atMs }) => spanAt(atMs, ANSWERED_MS));
}

/** What contradicts a promise, counted by what Discord, the service and the stores have seen alone. */
export function contradictions(seen: Seen): string[] {
  const isJumpy = seen.hits.some(({ fault }) => fault === 'clock');
  const byClock = isJumpy ? [] : [ofLimiter, ofWaits, ofTwice, ofProbes, ofReserve, ofAnswers];
  const promises = [...byClock, ofAway, ofBookings, ofDeleted, ofLists, ofCrossings, ofUntold];
  return [
    ...seen.discord.typed.flatMap((typed) => ofCommand(typed, seen.hits)),
    ...promises.flatMap((broken) => broken(seen)),
    ...seen.kept.waiting.map((id) => `${id} is still to be completed`),
  ];
}

function ofCommand(typed: Typed, hits: readonly Hit[]): string[] {
  const { id, first, followUps, isForgotten, typedAtMs } = typed;
  if (isForgotten) return [];
  const isHit = hits.some(({ call, atMs }) => {
    return call === 'callback' && atMs >= typedAtMs - 100 && atMs <= typedAtMs + 3_000;
  });
  // One fault leaves time for a second try; of more, each may hit the next.
  if (!first) return isHit ? [] : [`${id} has no first answer`];
  if (typed.command === 'list' && first !== 'form') return [`${id} is answered without a form`];
  // Whether a reply may still come to be is judged by the clock.
  const isUntimed =
    isHit && hits.some(({ fault, atMs }) => fault === 'clock' && Math.abs(atMs - typedAtMs) < UNSURE_MS);
  return [
    ...(isFinal(typed) || isUntimed
      ? []
      : [`${id} was deferred and not completed: ${JSON.stringify(typed.shown.at(-1))}`]),
    ...(followUps > 0 ? [`${id} was answered twice`] : []),
  ];
}

/** No answer takes longer than a member is told, and none gives way to a lesser one, not even for a moment. */
function ofAnswers(seen: Seen): string[] {
  const { discord, isShared, kills } = seen;
  // Whoever takes a reply over may be killed, too.
  const killedAtMs = isShared ? (kills.at(-1)?.atMs ?? 0) : 0;
  return discord.typed.flatMap((each) => {
    const { id, typedAtMs, goneAtMs } = each;
    const isLate = (finalAtMs(each) ?? 0) > Math.max(typedAtMs, killedAtMs) + LONGEST_MS;
    const lessAtMs = goneAtMs === undefined ? lesserAtMs(each, seen) : undefined;
    return [
      ...(isLate ? [`${id} is answered late`] : []),
      ...(lessAtMs === undefined ? [] : [`${id} shows less again at ${lessAtMs}`]),
    ];
  });
}

/** When a reply showed less than before, though no edit was delayed. */
function lesserAtMs({ shown, typedAtMs }: Typed, { hits, outages }: Seen): number | undefined {
  const isDelayed = (atMs: number) =>
    hits.some((hit) => hit.call === 'edit' && hit.atMs <= atMs && hit.atMs > atMs - EDITED_MS);
  // A Redis that forgets takes cards from those who take over.
  const isForgotten = (atMs: number) =>
    outages.some((outage) => isForgetful(outage) && outage.fromMs < atMs && outage.untilMs > typedAtMs);
  const most = (before: Typed['shown']) => Math.max(0, ...before.map(({ embeds }) => embeds));
  const lesser = shown.find(
    ({ embeds, atMs }, at) => embeds < most(shown.slice(0, at)) && !isDelayed(atMs) && !isForgotten(atMs),
  );
  return lesser?.atMs;
}

/** When a member first read an answer. */
function finalAtMs({ goneAtMs, ...typed }: Typed): number | undefined {
  return typed.shown.find((_, at) => isFinal({ ...typed, shown: typed.shown.slice(0, at + 1) }))?.atMs;
}

/** Once Discord has said that a message is gone, no process edits it, or requests what only that has waited for. */
function ofDeleted(seen: Seen): string[] {
  const { discord, service, isShared } = seen;
  return discord.typed.flatMap((typed) => {
    const { id, first, cards, heardGoneAtMs: atMs, editedAtMs = 0, isForgotten } = typed;
    if (atMs === undefined || isForgotten || isUnshared(atMs, seen)) return [];
    // An answer whose prices are being renewed is in no journal: another process cannot say that it is gone.
    if (isShared && first === 'answered') return [];
    const isItsAlone = (card: string) => !discord.typed.some((each) => each !== typed && each.cards.includes(card));
    const sinceMs = atMs + (isShared ? LEARNED_MS : LEAVING_MS);
    const late = service.departures.filter(
      ({ card = '', leftAtMs }) => leftAtMs > sinceMs && cards.includes(card) && isItsAlone(card),
    );
    return [
      ...(editedAtMs > atMs + EDITED_MS ? [`${id} was known to be gone at ${atMs}, and edited at ${editedAtMs}`] : []),
      ...late.map(({ card, leftAtMs }) => `${card} was requested at ${leftAtMs} for ${id}, gone at ${atMs}`),
    ];
  });
}

/** A list costs nothing before its member presses, and then never more than was said until then. */
function ofLists(seen: Seen): string[] {
  const { discord, service, kills } = seen;
  // Who takes a reply over does not know what a card has cost that is not there: it was not kept before the kill, or in Redis.
  const isInVain = ({ process, heard }: Departure) => {
    const killed = kills.find((each) => each.process === process);
    const isUnkept = killed && (heard?.status !== 200 || heard.atMs > killed.atMs - ANSWERED_MS);
    return isUnkept || (heard && isUnshared(heard.atMs, seen));
  };
  const byList = Map.groupBy(discord.typed, ({ lines }) => lines);
  return [...byList].flatMap(([lines, uses]) => {
    const presses = uses.filter(({ command }) => command === 'fetch');
    const counted = presses.filter((press) => !isPressedTwice(press, presses));
    const agreed = (atMs: number) =>
      counted.reduce((sum, press) => sum + (press.typedAtMs <= atMs ? saidBy(press) : 0), 0);
    const spent = service.departures.filter(
      (each) => lines?.includes(each.card ?? '') && each.heard?.status !== 429 && !isInVain(each),
    );
    const beyond = spent.find(({ leftAtMs }, before) => before >= agreed(leftAtMs));
    return beyond ? [`${beyond.card} of a list was requested at ${beyond.leftAtMs}, which nobody has agreed to`] : [];
  });
}

/** What happens then may be in the memory of one process alone. */
function isUnshared(atMs: number, { outages, hits }: Seen): boolean {
  return [...outages, ...unanswered(hits)].some(
    ({ fromMs, untilMs }) => atMs > fromMs - ANSWERED_MS && atMs < untilMs + CONNECTED_MS,
  );
}

/** A process knows which buttons were pressed in it. */
function isPressedTwice({ used, process, typedAtMs }: Typed, presses: readonly Typed[]): boolean {
  return presses.some((each) => {
    const isSame = each.used?.of === used?.of && each.process === process;
    return isSame && each.typedAtMs < typedAtMs && typedAtMs < each.typedAtMs + PRESSED_TWICE_MS;
  });
}

/** How many requests the button says that a press may cost. */
function saidBy({ used }: Typed): number {
  return Number(used?.customId.split(':')[2]);
}

/** The last of a window is for cards that a member waits for. */
function ofReserve({ service: { departures, limits }, discord: { typed }, kills }: Seen): string[] {
  const { requests } = limits.window;
  const reserved = requests < 200 ? Math.ceil(requests / 10) : Math.max(20, requests / 20);
  const isWanted = (card: string, atMs: number) =>
    typed.some((each) => {
      const shownAtMs = finalAtMs(each) ?? Number.POSITIVE_INFINITY;
      // Of what a killed process has shown nobody else may know.
      const isNoted = !kills.some((kill) => kill.atMs >= shownAtMs && kill.atMs <= shownAtMs + EDITED_MS);
      const untilMs = isNoted ? shownAtMs : Number.POSITIVE_INFINITY;
      return each.isForgotten || (each.cards.includes(card) && each.typedAtMs <= atMs && atMs <= untilMs);
    });
  return departures.flatMap(({ card, process, leftAtMs }) => {
    const before = departures.findLast(
      (each) => each.process === process && (each.heard?.atMs ?? leftAtMs) < leftAtMs - LEAVING_MS,
    );
    const { left = Number.POSITIVE_INFINITY, windowEndsMs = 0 } = before?.heard ?? {};
    if (!card || left >= reserved || leftAtMs > windowEndsMs - 60_000 || isWanted(card, leftAtMs)) return [];
    return [`${card} was renewed at ${leftAtMs} with the last ${left} requests`];
  });
}

/** What was learned from a 429 without a cause allows no more in a minute than the plan does. */
function isOfOtherLimiter(atMs: number, { departures, misledMs, limits }: SimulatedService): boolean {
  const inMinute = departures.filter(({ leftAtMs }) => leftAtMs > atMs - MINUTE_MS && leftAtMs <= atMs);
  return atMs > misledMs && inMinute.length <= limits.requestsPerMinute + limits.burst;
}

function ofLimiter(seen: Seen): string[] {
  const beyond = seen.service.beyond.filter((atMs) => !isOfOtherLimiter(atMs, seen.service));
  return beyond.map((atMs) => `a request beyond the limiter at ${atMs}`);
}

/** While nobody reaches Redis nobody knows what the plan still allows: all wait. A process that is parted from it is not told here. */
function ofAway({ outages, service: { departures } }: Seen): string[] {
  return outages.flatMap(({ kind, fromMs, untilMs }) => {
    const left = departures.find(({ leftAtMs }) => leftAtMs > fromMs + ANSWERED_MS && leftAtMs < untilMs);
    return left && kind !== 'part' ? [`a request left at ${left.leftAtMs}, while Redis was away since ${fromMs}`] : [];
  });
}

/**
 * No card is asked for before the time that a 429 states, as far as the same process has heard of it; `/usage` may look.
 * A spent day is over at its reset, however late the answer was that said so.
 */
function ofWaits({ service: { departures } }: Seen): string[] {
  const refused = departures.filter(({ heard }) => heard?.status === 429);
  return refused.flatMap(({ process, heard }) => {
    const { atMs = 0, waitMs = 0, left, windowEndsMs } = heard ?? {};
    const untilMs = (left === 0 && windowEndsMs) || atMs + waitMs;
    const isEarly = (leftAtMs: number) => leftAtMs > atMs + LEAVING_MS && leftAtMs < untilMs - LEAVING_MS;
    const early = departures.find((each) => each.card && each.process === process && isEarly(each.leftAtMs));
    return early ? [`${process} was told at ${atMs} to wait for ${waitMs} ms, and asked at ${early.leftAtMs}`] : [];
  });
}

/** After a pause that a 429 states, one request is sent, and its answer is waited for. */
function ofProbes(seen: Seen): string[] {
  const { departures } = seen.service;
  // Who is killed before it has told Redis tells nobody, and who cannot reach it, nobody yet.
  const isUntold = ({ process, heard }: Departure) => {
    const { atMs = 0 } = heard ?? {};
    return (
      isUnshared(atMs, seen) || seen.kills.some((kill) => kill.process === process && kill.atMs < atMs + ANSWERED_MS)
    );
  };
  // A spent day is over at its reset, which needs no probe.
  const isOfPause = ({ heard }: Departure) => heard?.status === 429 && heard.left !== 0;
  const refused = departures.filter((each) => isOfPause(each) && !isUntold(each));
  return refused.flatMap(({ heard }) => {
    const { atMs = 0, waitMs = 0 } = heard ?? {};
    const after = departures.filter(({ card, leftAtMs }) => card && leftAtMs > atMs + LEAVING_MS);
    const [probe, next] = after;
    const untilMs = probe?.heard?.atMs ?? 0;
    if (!probe || !next || next.leftAtMs >= untilMs || isForgotten(atMs, probe.leftAtMs, seen)) return [];
    // What `/usage` has asked for meanwhile shows as well that the wait is over.
    const isOver = ({ card, heard }: Departure) =>
      !card && heard?.status === 200 && heard.atMs > atMs && heard.atMs <= probe.leftAtMs;
    if (departures.some(isOver)) return [];
    return [
      `after ${waitMs} ms from ${atMs} the probe left at ${probe.leftAtMs}, and another request at ${next.leftAtMs}`,
    ];
  });
}

/** Redis has lost what one process had told it, and a process that may still have known it was killed before it was back. */
function isForgotten(sinceMs: number, untilMs: number, { outages, kills }: Seen): boolean {
  return outages.some((outage) => {
    const isBetween = outage.untilMs > sinceMs && outage.fromMs < untilMs;
    const isKilled = kills.some(({ atMs }) => atMs > outage.fromMs && atMs < outage.untilMs + CONNECTED_MS);
    return isForgetful(outage) && isBetween && isKilled;
  });
}

/** A Redis that forgets loses what was booked before; a replica that takes over, what it had not heard of. */
function lossy(outages: readonly Outage[]): Span[] {
  return outages.map(({ kind, fromMs, untilMs }) => ({ fromMs: kind === 'forget' ? 0 : fromMs, untilMs }));
}

/** What is booked while Redis does not answer is in the memory of a process until that has connected again. */
function sinceBooked(killedAtMs: number, troubles: readonly Span[]): Span {
  const before = troubles.filter(({ fromMs, untilMs }) => fromMs < killedAtMs && untilMs > killedAtMs - CONNECTED_MS);
  return { fromMs: Math.min(killedAtMs, ...before.map(({ fromMs }) => fromMs)), untilMs: killedAtMs };
}

/** Every request is booked once. What is heard about when a process is killed, or when Redis does not answer, may be lost. */
function ofBookings({ kept: { booked }, service: { departures }, kills, hits, outages }: Seen): string[] {
  const troubles = [...unanswered(hits), ...lossy(outages)];
  const losses = [...kills.map(({ atMs }) => sinceBooked(atMs, troubles)), ...troubles];
  const counted = departures.filter(({ heard }) => heard?.status !== 429);
  const lost = counted.filter(({ leftAtMs, heard }) =>
    losses.some(
      ({ fromMs, untilMs }) => leftAtMs <= untilMs && (heard?.atMs ?? Number.POSITIVE_INFINITY) > fromMs - FLUSHED_MS,
    ),
  );
  // A refused request is booked and taken back: either may be lost.
  const halves = losses.length > 0 ? departures.length - counted.length : 0;
  const isRight = booked >= counted.length - lost.length - halves && booked <= counted.length + halves;
  return isRight ? [] : [`${booked} requests are booked of ${counted.length}, of which ${lost.length} may be lost`];
}

const isForgetful = ({ kind }: Outage) => kind === 'forget' || kind === 'fail over';

/** A price is told once; or again with a word that it may be known, if something was wrong when it was told. */
function ofTwice({ discord: { told }, hits, outages }: Seen): string[] {
  // What Redis lost may have been told.
  const sinceMs = Math.max(0, ...outages.filter(isForgetful).map(({ untilMs }) => untilMs + LEARNED_MS));
  // A message below a reply has no nonce: on a way that doubles it, it comes twice.
  const isDoubled = (toldAtMs: number) =>
    hits.some(({ fault, call, atMs }) => {
      return fault === 'doubled' && call === 'notice' && atMs <= toldAtMs && atMs >= toldAtMs - THERE_MS;
    });
  const isUnsure = (toldAtMs: number) =>
    outages.some(({ fromMs, untilMs }) => fromMs < toldAtMs + NOTED_MS && untilMs > toldAtMs - NOTED_MS) ||
    hits.some(({ fault, call, atMs }) => {
      return (fault === 'kill' || call !== 'service') && Math.abs(atMs - toldAtMs) < NOTED_MS;
    });
  const byPrice = Map.groupBy(
    told.filter(({ atMs }) => atMs > sinceMs),
    priceTold,
  );
  return [...byPrice.values()].flatMap((times) =>
    times.slice(1).flatMap(({ isAgain }, at) => {
      const before = times[at] as Told;
      const isSaid = isAgain ? isUnsure(before.atMs) : isDoubled(before.atMs);
      return isSaid ? [] : [`was told twice: ${JSON.stringify(before)}`];
    }),
  );
}

/** The watch, and since when the price is there: a message has that in its nonce, what a command tells in its text. */
function priceTold({ watch, text, nonce }: Told): string {
  const [, sinceMs = ''] = nonce?.split('-') ?? [];
  const since = nonce ? Math.floor(Number.parseInt(sinceMs, 36) / 1_000) : /<t:(\d+)/.exec(text)?.[1];
  return `${watch} ${since}`;
}

/** What was stored of a watch whose member takes messages is told, or is to be told. */
function ofCrossings({ discord: { told }, kept: { watches }, outages }: Seen): string[] {
  if (outages.some(isForgetful)) return [];
  return watches.flatMap(({ id, crossings, untold }) => {
    const own = told.filter(({ watch }) => watch === id);
    if (own.some(({ nonce }) => nonce === undefined)) return []; // of those that a command tells, each watch shows its last
    const known = new Set(own.map(({ nonce }) => nonce)).size + Number(untold !== undefined);
    return known >= crossings ? [] : [`${known} of ${crossings} prices of watch ${id} were told`];
  });
}

/** What is not told in the end never will be. */
function ofUntold({ kept: { watches }, isAllTold }: Seen): string[] {
  const left = isAllTold ? watches.filter(({ untold }) => untold) : [];
  return left.map(({ id, untold }) => `of watch ${id} is still untold in the end: ${JSON.stringify(untold)}`);
}

/** Watches that were set when nothing was wrong with what keeps them, by their members and cards. */
export function watchesSet({ typed }: SimulatedDiscord, outages: readonly Outage[]): Typed[] {
  const isLost = (atMs: number) =>
    outages.some(({ kind, fromMs, untilMs }) => {
      return (
        (kind === 'forget' && atMs < untilMs) || (kind === 'fail over' && atMs > fromMs - FLUSHED_MS && atMs < untilMs)
      );
    });
  const set = typed.filter(({ command, shown }) => {
    const [first] = shown;
    return command === 'watch' && first && /^I'll send you a DM/.test(first.content) && !isLost(first.atMs);
  });
  return [...new Map(set.map((each) => [`${each.member} ${each.cards}`, each])).values()];
}

/** Whether a member was told, since then, that a card is beyond its line. */
export function isTold({ member, cards: [card = ''] }: Typed, told: readonly Told[], sinceMs: number): boolean {
  const name = card.replace('-', '\\-');
  const isIt = (each: Told) => each.text.includes(`**Card ${name}**`) && each.text.includes(` ${beyondLineOf(card)}`);
  return told.some((each) => each.member === member && each.atMs >= sinceMs && isIt(each));
}

/** Rows of the parts whose whole name fits. */
type RowsOf = (part: RegExp) => (readonly [key: string, value: string])[];

export function keptIn(rowsOf: RowsOf): Kept {
  const counts = rowsOf(/^ledger:\d{4}-\d{2}-\d{2}$/);
  return {
    booked: counts.reduce((sum, [key, count]) => sum + (key.endsWith(' requests') ? Number(count) : 0), 0),
    waiting: rowsOf(/^replies$/).map(([id]) => id),
    watches: rowsOf(/^watches$/).map(([, watch]) => JSON.parse(watch)),
  };
}

export function rowsInFile(dataDir: string): RowsOf {
  using state = new DatabaseSync(join(dataDir, 'state.sqlite'));
  const rows = state.prepare('SELECT part, key, value FROM rows').all();
  return (part) => rows.flatMap((row) => (part.test(String(row.part)) ? [[String(row.key), String(row.value)]] : []));
}

/** @param prefix of all keys */
export function rowsInRedis(
  redis: { keys(): string[]; hash(key: string): Record<string, string> },
  prefix: string,
): RowsOf {
  const isOf = (key: string, part: RegExp) => key.startsWith(`${prefix}:`) && part.test(key.slice(prefix.length + 1));
  return (part) => redis.keys().flatMap((key) => (isOf(key, part) ? Object.entries(redis.hash(key)) : []));
}
