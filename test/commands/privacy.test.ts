import { expect, it } from 'vitest';
import privacy from '../../commands/privacy.ts';
import type { MemberData } from '../../src/members/member-data.ts';
import { LANGUAGES } from '../../src/render/languages.ts';
import { idsOf, pressed, startServices, typed } from './commands.ts';

async function shown(response: ReturnType<typeof privacy.ask>) {
  const { message, isPrivate } = await response;
  expect(isPrivate).toBe(true);
  return { content: message.content ?? '', ids: idsOf(message) };
}

it('no button is shown where nothing is kept', async () => {
  const { services } = await startServices();
  services.ledger.spent(typed({}, { memberId: 'bob' }).requester);
  const { content, ids } = await shown(privacy.ask(typed({}), services));
  expect(content).toContain('Nothing so far.');
  expect(ids).toEqual([]);
});

it('while Redis is away it is said what cannot be known, and nothing of what is not deleted', async () => {
  const { services } = await startServices({ REDIS_URL: 'redis://127.0.0.1:9' });
  const { content, ids } = await shown(privacy.ask(typed({}), services));
  expect(content).toMatch(/everyone's new lookups\. I can't look that up right now\.\n/);
  expect(content).toMatch(/a year at most\. I can't look that up right now\.\n/);
  expect(content).toContain('when you type. None at the moment.'); // they are in a file
  expect(ids).toEqual([['privacy:forget']]);
  const forgotten = await shown(privacy.component(pressed('really-forget'), services));
  expect(forgotten.content).toContain("I couldn't delete everything just now.");
});

it('a custom id that was never made is not obeyed', async () => {
  const { services } = await startServices();
  expect((await shown(privacy.component(pressed('forget:bob'), services))).content).toContain('too old');
});

/** The text for a member about whose last cards this is known. */
async function textFor(
  lastCards: Awaited<ReturnType<MemberData['kept']>>['lastCards'],
  locale = 'en-US',
): Promise<string> {
  const { services } = await startServices();
  const counts = { days: 35, requests: 1e15, saved: 1e15 };
  services.memberData.kept = async () => ({ counts, lastCards, watches: 25, lists: 3 });
  return (await shown(privacy.ask(typed({}, { locale }), services))).content;
}

it('last cards are said to be unknown alone, as they are called, or not at all where they are not kept', async () => {
  const unknown = await textFor(undefined);
  expect(unknown).toMatch(/when you type\. I can't look that up right now\.\n/);
  expect(unknown.match(/right now/g)).toHaveLength(1);
  expect(await textFor(['**Drake** @everyone'])).toContain('\\*\\*Drake\\*\\* \\@everyone');
  expect(await textFor([])).toContain('last ten cards');
  expect(await textFor('off')).not.toContain('last ten cards');
});

it.each(LANGUAGES)('names of cards never exceed what Discord takes in %s', async (language) => {
  const text = await textFor(
    Array.from({ length: 10 }, () => '*'.repeat(500)),
    language,
  );
  expect(text.length).toBeLessThanOrEqual(2_000);
});
