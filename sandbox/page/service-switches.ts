import type { PLAN_LIMITS } from '../../src/model/plan.ts';
import { BULK_COSTS, BULK_REFUSALS, BULK_SHAPES } from '../bulk-listing.ts';
import { ODD_FIGURES } from '../odd-figures.ts';
import { NO_DAY, SERVICE_LIMITERS } from '../service-limiters.ts';
import { press, startStorm } from './api.ts';
import { Controls, row } from './controls.ts';
import { element, section } from './element.ts';
import { type Panel, whenChanged } from './panel.ts';
import { timeElement } from './ticking-times.ts';

type Plan = keyof typeof PLAN_LIMITS;

// Listed here because the module of PLAN_LIMITS loads zod, whose probe for `eval` violates the page's trusted types
const PLANS = Object.keys({ free: true, pro: true, business: true } satisfies Record<Plan, true>) as Plan[];
const LIMITERS = {
  'token bucket': 'a burst, then a steady pace',
  'fixed window': 'a fixed number in each minute',
  delaying: 'lets requests wait',
  'refusals counted': 'counts what it refuses, too',
  'fading window': 'forgets a minute by and by',
};
// The real service behaves like this, too: the bot keeps its figures until an answer brings others
const REFILLED =
  'A bot that has seen an empty day waits for its reset; /usage makes it check again, at most once a minute.';
const SPEEDS = [
  ['answers at once', { latencyMs: 0 }],
  ['0.3 s', { latencyMs: 300 }],
  ['2 s', { latencyMs: 2_000 }],
  ['5 s', { latencyMs: 5_000 }],
  ['15 s: too late', { latencyMs: 15_000 }],
] as const;
/** By `Retry-After`. More than a minute opens the circuit breaker for that long. */
const OUTAGES = [
  ['none', { down: false, downRetryAfterSeconds: 0 }],
  ['503', { down: true, downRetryAfterSeconds: 0 }],
  ['503, wait 30 s', { down: true, downRetryAfterSeconds: 30 }],
  ['503, wait 2 min', { down: true, downRetryAfterSeconds: 120 }],
] as const;
/** The last is longer than the longest wait. */
const STORMS = [
  [10_000, '10 s'],
  [30_000, '30 s'],
  [1_200_000, '20 min'],
] as const;
const PRICES = [
  ['as at the start', { pricePercent: 0 }],
  ['+10 %', { pricePercent: 10 }],
  ['−10 %', { pricePercent: -10 }],
] as const;
const MOVED =
  'The bot hears of it when it asks again: for a card that is new to it, or whose prices are older than 6 hours.';
const KEY_REFUSED =
  'A bot that was refused shows only cards that it knows, and asks again a minute later, also when its key is accepted before';
const COSTS = { one: 'as one request', each: 'every card' };

/** The switches of the card service: what it gives, what goes wrong with it, and how it lists several cards at once. */
export function serviceSwitches(): Panel {
  const refilled = element('p', { className: 'quiet', role: 'status', hidden: true }, REFILLED);
  const plan = new Controls(() => {
    refilled.hidden = true;
  });
  const faults = new Controls();
  const moved = element('p', { className: 'quiet', role: 'status' }, MOVED);
  const keyRefused = element('p', { className: 'quiet', role: 'status' });
  const bulk = new Controls();
  const storm = element('div', { className: 'switch quiet', role: 'status' });
  const useUp = plan.button('Use up', 'Use up the day', () => press('/api/day/exhaust'));
  const refill = plan.button('Refill', 'Refill the day', async () => {
    await press('/api/day/refill');
    refilled.hidden = false;
  });
  const day = row('The day', useUp, refill);
  const storms = STORMS.map(([durationMs, words]) =>
    faults.button(words, `429 storm for ${words}`, () => startStorm({ durationMs })),
  );
  const endStorm = faults.button('End', 'End the 429 storm', () => startStorm({ durationMs: 0 }));
  plan.insert(
    section('plan'),
    element('h2', { id: 'plan-heading' }, 'What it gives'),
    plan.menu('Plan', choices('plan', PLANS)),
    plan.menu('Limiter', choices('limiter', SERVICE_LIMITERS, LIMITERS)),
    day,
    refilled,
    plan.menu('Prices', PRICES),
    moved,
  );
  faults.insert(
    section('faults'),
    element('h2', { id: 'faults-heading' }, 'What goes wrong with it'),
    faults.menu('Speed', SPEEDS),
    faults.menu('Outage', OUTAGES),
    faults.menu('Odd figures', choices('oddFigures', ODD_FIGURES)),
    row('429 storm', ...storms),
    storm,
    faults.tick('A limiter in front: 10 a minute', { windowLimit: 10 }, { windowLimit: 0 }),
    faults.tick('Every 4th connection is reset', { resetEvery: 4 }, { resetEvery: 0 }),
    faults.tick('A firewall blocks ids with “<” (403)', { firewall: true }, { firewall: false }),
    faults.tick('The API key is revoked (401)', { keyRevoked: true }, { keyRevoked: false }),
    keyRefused,
  );
  bulk.insert(
    section('bulk'),
    element('h2', { id: 'bulk-heading' }, 'Several cards in one request'),
    bulk.menu('Lists', choices('bulkShape', BULK_SHAPES)),
    bulk.menu('Counts', choices('bulkCost', BULK_COSTS, COSTS)),
    bulk.menu('Refuses', choices('bulkRefusal', BULK_REFUSALS)),
  );
  const drawStorm = whenChanged((untilMs: number, locale: string) => {
    storm.hidden = untilMs === 0;
    const end = timeElement(Math.ceil(untilMs / 1000), 'R', locale);
    storm.replaceChildren(element('span', {}, 'Every request gets a 429; ends ', end), endStorm);
  });
  const drawKey = whenChanged((isRefused: boolean, triedAtMs: number | undefined, locale: string) => {
    keyRefused.hidden = !isRefused;
    const when = triedAtMs ? [': ', timeElement(Math.ceil(triedAtMs / 1000), 'R', locale)] : [];
    keyRefused.replaceChildren(KEY_REFUSED, ...when, '.');
  });
  return ({ service: { switches, dayLimit }, bot }, locale) => {
    day.hidden = dayLimit >= NO_DAY;
    for (const group of [plan, faults, bulk]) group.show(switches);
    drawStorm(switches.stormUntilMs, locale);
    moved.hidden = switches.pricePercent === 0;
    drawKey(switches.keyRevoked || bot?.keyTriedAtMs !== undefined, bot?.keyTriedAtMs, locale);
  };
}

/** The values of a switch. @param words for those whose names do not say what they are */
function choices<Name extends string, Value extends string>(
  name: Name,
  values: readonly Value[],
  words: Partial<Record<Value, string>> = {},
) {
  return values.map((value) => [words[value] ?? value, { [name]: value } as Record<Name, Value>] as const);
}
