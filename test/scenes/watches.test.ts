import { expect, it } from 'vitest';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import { SAMPLE_CARDS, SAMPLE_CATALOG } from '../../sandbox/sample-cards.ts';
import {
  cardRequests,
  choose,
  hasCard,
  inWorld,
  labels,
  press,
  QUICK,
  startWorld,
  storedRows,
} from '../support/world.ts';

inWorld(
  'a price that another lookup brings crosses the line of a watch, which is listed and stopped',
  { catalog: SAMPLE_CATALOG, known: [{ id: 'base1-4', ageMs: 86_400_000 }] },
  async (world) => {
    const watch = (options: Record<string, string | number>) => world.type('watch', options);
    const set = await watch({ card: 'base1-4', below: 30 }).settled();
    expect(set).toMatchObject({
      ephemeral: true,
      content: expect.stringContaining('**Emberwing Drake** is at 30.00 or below.'),
    });
    const golem = await watch({ card: 'dusk2-33', percent: 10 }).settled();
    expect(cardRequests(world)).toEqual([]);

    const drake = SAMPLE_CARDS.find(({ id }) => id === 'base1-4');
    world.cardService.script({ path: 'base1-4', body: { ...drake, prices: { market: 12.34 } } });
    await world
      .card('base1-4', {}, { memberId: world.bob })
      .until(({ embeds }) => /12[.,]34/.test(JSON.stringify(embeds)));

    const list = await world.type('watches').settled();
    expect(list.ephemeral).toBe(true);
    expect(JSON.stringify(list.embeds)).toMatch(/Emberwing Drake.*30\.00 or below · Last price 12\.34.*Wax Golem.*10%/);
    expect((await press(world, golem, 'Stop watching').settled()).content).toContain('Done');
    const kept = await world.type('watches').settled();
    expect(JSON.stringify(kept.embeds)).not.toContain('Wax Golem');

    await world.stopBot();
    const [watched] = storedWatches(world.config.dataDir);
    expect(watched).toMatchObject({ cardId: 'base1-4', crossings: 1 });
    await world.restartBot();
    await choose(world, kept, String(watched?.id)).settled();
    const none = { content: expect.stringContaining("You aren't watching any prices."), embeds: [], components: [] };
    await expect.poll(() => world.discord.message(kept.interactionId)).toMatchObject(none);
  },
);

inWorld(
  'the button below a card opens an empty form, which sets the watch, and again with what was typed wrong',
  {
    catalog: SAMPLE_CATALOG,
    known: [{ id: 'base1-4', ageMs: 60_000, hasHistory: true }],
  },
  async (world) => {
    const shown = await world.card('base1-4').settled();
    expect(labels(shown)).toEqual(['Price history', 'Watch', 'Other printings', 'Delete']);
    const opened = async (message: ChatMessage, label: string) =>
      press(world, message, label).until(({ modal }) => modal !== undefined);
    const submit = (form: ChatMessage, above: string, below: string) =>
      world.discord.submit({ interactionId: form.interactionId, values: { above, below } }).settled();

    const form = await opened(shown, 'Watch');
    expect(inputs(form)).toMatchObject([{ custom_id: 'above' }, { custom_id: 'below' }]);
    expect(inputs(form).flatMap(({ value }) => value ?? [])).toEqual([]);
    await opened(shown, 'Watch'); // the first one was closed
    const refused = await submit(form, '$45', '2o');
    expect(refused).toMatchObject({ ephemeral: true, content: expect.stringContaining("**2o** isn't a price") });
    const corrected = await opened(refused, 'Correct the prices');
    expect(inputs(corrected).map(({ value }) => value)).toEqual(['$45', '2o']);
    const set = await submit(corrected, '$45', '20');
    expect(set).toMatchObject({
      ephemeral: true,
      content: expect.stringContaining('**Emberwing Drake** is at 45.00 or above, or at 20.00 or below.'),
    });
    expect(cardRequests(world)).toEqual([]);
    await world.stopBot();
    expect(storedWatches(world.config.dataDir)).toMatchObject([{ cardId: 'base1-4', above: 45, below: 20 }]);
  },
);

inWorld(
  'a card without a market price, or without prices, has no button to watch it',
  { known: [{ id: 'base1-4', ageMs: 60_000 }] },
  async (world) => {
    expect(labels(await world.card('base1-4').settled())).toContain('Watch');
    expect(labels(await world.card('base1-4', { prices: false }).settled())).not.toContain('Watch');
    const drake = SAMPLE_CARDS.find(({ id }) => id === 'base1-1');
    world.cardService.script({ path: 'base1-1', body: { ...drake, prices: { low: 3 } } });
    const shown = await world.card('base1-1').until(hasCard);
    expect(labels(shown)).not.toContain('Watch');
  },
);

function inputs({ modal }: ChatMessage): { custom_id: string; value?: string }[] {
  const { components = [] } = (modal ?? {}) as { components?: { component: { custom_id: string; value?: string } }[] };
  return components.map(({ component }) => component);
}

function storedWatches(dataDir: string): { id?: string }[] {
  return Object.values(storedRows(dataDir, 'watches')).map((watch) => JSON.parse(watch));
}

const HOUR_MS = 3_600_000;

it.each(['on', 'off'])(
  'an hour before the reset a watched card whose price is old is renewed by the next start: %s',
  async (isOn) => {
    const world = await startWorld({
      service: { ...QUICK, nextResetMs: (nowMs) => nowMs + HOUR_MS },
      env: { PRICES_FRESH_SECONDS: '0', WATCH_RENEWALS: isOn },
    });
    await world.card('base1-4').settled();
    await world.type('watch', { card: 'base1-4', above: 900 }).settled();
    expect(cardRequests(world)).toHaveLength(1);
    await world.restartBot(); // what remains is known from before
    if (isOn === 'on') await expect.poll(() => cardRequests(world)).toHaveLength(2);
    await world.card('base1-4', { prices: false }).settled(); // from memory
    const usage = JSON.stringify((await world.usage().settled()).embeds);
    expect(usage).toContain('33% of lookups'); // of members: a card, the report, and this one
    expect(usage.includes('spent on watched cards')).toBe(isOn === 'on');
    expect(cardRequests(world)).toHaveLength(isOn === 'on' ? 2 : 1);
  },
);
