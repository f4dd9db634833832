import { describe, expect, it, onTestFinished, vi } from 'vitest';
import privacy from '../../commands/privacy.ts';
import type { KeptAboutMember } from '../../src/privacy/member-data.ts';
import { LANGUAGES } from '../../src/render/languages.ts';
import { DAY_MS } from '../../src/time/utc-day.ts';
import { startServices, typed } from './commands.ts';

async function shown(response: ReturnType<typeof privacy.ask>) {
  const answered = await response;
  expect(answered.isPrivate).toBe(true);
  return answered.message;
}

describe('/privacy', () => {
  it('shows no button where nothing is kept', async () => {
    const { services } = await startServices();
    services.ledger.spent(typed({}, { memberId: 'bob' }).requester);
    const { content, components } = await shown(privacy.ask(typed({}), services));
    expect(content).toContain('Nothing so far.');
    expect(components).toBeUndefined();
  });

  it('says what cannot be known while Redis is away, and says nothing of what is not deleted', async () => {
    const { services } = await startServices({ REDIS_URL: 'redis://127.0.0.1:9' });
    const { content, components } = await shown(privacy.ask(typed({}), services));
    expect(content).toMatch(/everyone's new lookups\. I can't look that up right now\.\n/);
    expect(content).toMatch(/a year at most\. I can't look that up right now\.\n/);
    expect(content).toContain('when you type. None at the moment.'); // they are in a file
    expect(components).toMatchObject([{ components: [{ custom_id: 'privacy:forget' }] }]);
    const pressed = { ...typed({}), argument: 'really-forget', values: [], content: '', manageMessages: false };
    const forgotten = await shown(privacy.component(pressed, services));
    expect(forgotten.content).toContain("I couldn't delete everything just now.");
  });

  it('says so of each part that cannot be read', async () => {
    const counts = { days: 0, requests: 0, saved: 0 };
    const lastCards = await textFor({ counts, lastCards: undefined });
    expect(lastCards).toMatch(/when you type\. I can't look that up right now\.\n/);
    expect(lastCards.match(/right now/g)).toHaveLength(1);
  });

  it('asks once more before it deletes, and says when the counts of today go', async () => {
    vi.useFakeTimers({ now: Date.now() - 2 * DAY_MS, toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { services } = await startServices();
    services.ledger.spent(typed({}).requester);
    vi.setSystemTime(Date.now() + 2 * DAY_MS);
    services.ledger.spent(typed({}).requester);
    const pressed = { ...typed({}), argument: 'forget', values: [], content: '', manageMessages: false };
    const { components } = await shown(privacy.component(pressed, services));
    expect(components).toMatchObject([{ components: [{ custom_id: 'privacy:really-forget' }] }]);
    const { content } = await shown(privacy.component({ ...pressed, argument: 'really-forget' }, services));
    expect(content).toMatch(/^Done, that's deleted\. Today's count stays until the UTC day ends at <t:\d+:t>/);
    expect(await services.ledger.keptOf('alice')).toEqual({ days: 1, requests: 1, saved: 0 });
  });

  it('does not obey a custom id that it never made', async () => {
    const { services } = await startServices();
    const pressed = { ...typed({}), argument: 'forget:bob', values: [], content: '', manageMessages: false };
    expect((await shown(privacy.component(pressed, services))).content).toContain('too old');
  });
});

/** The text for a member about whom this is kept. */
async function textFor(kept: Omit<KeptAboutMember, 'watches' | 'lists'>, locale = 'en-US'): Promise<string> {
  const { services } = await startServices();
  const memberData = {
    kept: async () => ({ ...kept, watches: 25, lists: 3 }),
  } as unknown as typeof services.memberData;
  return (await shown(privacy.ask(typed({}, { locale }), { ...services, memberData }))).content ?? '';
}

it('where the last cards are not kept, nothing is said of them', async () => {
  const counts = { days: 1, requests: 1, saved: 0 };
  expect(await textFor({ counts, lastCards: [] })).toContain('last ten cards');
  expect(await textFor({ counts, lastCards: 'off' })).not.toContain('last ten cards');
});

const counts = { days: 35, requests: 1e15, saved: 1e15 };

it.each(LANGUAGES)('names of cards never exceed what Discord takes in %s', async (language) => {
  const text = await textFor({ counts, lastCards: Array.from({ length: 10 }, () => '*'.repeat(500)) }, language);
  expect(text.length).toBeLessThanOrEqual(2_000);
});

it('names of cards are shown as they are', async () => {
  const named = await textFor({ counts, lastCards: ['**Drake** @everyone'] });
  expect(named).toContain('\\*\\*Drake\\*\\* \\@everyone');
});
