import { DiscordAPIError, RateLimitError, type REST } from 'discord.js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { beforeNextMs, failedAnswer, failedEdit } from '../../../src/discord/rest/delivery.ts';
import { RestReplySender } from '../../../src/discord/rest/reply-sender.ts';
import { formatMessage } from '../../../src/render/messages.ts';
import { askedFor, deferredReply } from '../../replies/replies-over.ts';
import { logLines } from '../../support/log-lines.ts';

function apiError(status: number, code = 0): DiscordAPIError {
  return new DiscordAPIError({ code, message: '' }, code, status, 'POST', '', { body: undefined, files: undefined });
}

const LIMITED = new RateLimitError({
  ...{ global: false, hash: '', limit: 5, majorParameter: '', method: 'POST', scope: 'user', url: '' },
  ...{ route: '/interactions/:id/:token/callback', retryAfter: 1_250, sublimitTimeout: 0, timeToReset: 0 },
});
const HANGS = AbortSignal.abort(new DOMException('', 'TimeoutError')).reason;
const BROKEN = new Error('other side closed');
const ANSWERED = apiError(400, 40060);

describe('after an error of Discord', () => {
  it.each<[string, unknown, number, number | undefined]>([
    ['a broken connection is tried again soon', BROKEN, 1, 25],
    ['and later each time', BROKEN, 4, 200],
    ['a 429 is tried again when it says', LIMITED, 1, 1_250],
    ['a 429 is tried again when it says, however often', LIMITED, 4, 1_250],
    ['a refusal is not tried again', apiError(400, 50035), 1, undefined],
    ['a request without an answer is tried again, if there is time', HANGS, 1, 25],
  ])('%s', (_, error, tries, expected) => {
    expect(beforeNextMs(error, tries)).toBe(expected);
  });

  it.each<[string, unknown, object]>([
    ['10062 is too late', apiError(404, 10062), { shown: false, outcome: 'too late' }],
    ['40060 means that another process has answered', ANSWERED, { shown: true, isEarlier: true, isOfAnother: true }],
    ['50035 wants another answer', apiError(400, 50035), { shown: false, refusal: 'refused' }],
    ['403 wants another answer', apiError(403), { shown: false, refusal: 'refused' }],
    ['AutoMod wants a private one', apiError(400, 200000), { shown: false, refusal: 'blocked' }],
    ['a 429 that outlasts the 3 s ends it', LIMITED, { shown: false, outcome: 'not answered' }],
    ['a lost connection leaves it open', BROKEN, { shown: true, err: expect.anything() }],
    ['a hang leaves it open', HANGS, { shown: true, err: expect.anything() }],
  ])('to a first answer, %s', (_, error, expected) => {
    expect(failedAnswer(error)).toMatchObject(expected);
  });

  it.each<[string, unknown, string, number?]>([
    [
      '10015 is worth another try, since a first answer may still be on its way',
      apiError(404, 10015),
      'failed',
      14_999,
    ],
    ['10015 later loses it', apiError(404, 10015), 'lost', 15_000],
    ['50027 loses it', apiError(401, 50027), 'lost'],
    ['10008 says that somebody has deleted it', apiError(404, 10008), 'deleted'],
    ['10062 loses it', apiError(404, 10062), 'lost'],
    ['a 429 that outlasts the reply loses it', LIMITED, 'lost'],
    ['403 refuses it', apiError(403, 50001), 'refused'],
    ['413 refuses it', apiError(413, 40005), 'refused'],
    ['50035 refuses it', apiError(400, 50035), 'refused'],
    ['AutoMod blocks it', apiError(400, 200000), 'blocked'],
    ['a lost connection is worth another try', BROKEN, 'failed'],
    ['a hang is worth another try', HANGS, 'failed'],
  ])('to an edit, %s', (_, error, expected, ageMs = 0) => {
    expect(failedEdit(error, ageMs)).toBe(expected);
  });
});

it.each<[string, unknown[], object]>([
  ['one try may have arrived is not over with a 429 to the next', [BROKEN, LIMITED], { shown: true, err: LIMITED }],
  ['one try may have arrived is there when Discord has one', [BROKEN, ANSWERED], { shown: true, isEarlier: true }],
  ["no try has arrived is another's", [ANSWERED], { shown: true, isEarlier: true, isOfAnother: true }],
])('a first answer of which %s', async (_, tries, expected) => {
  const errors = [...tries];
  const rest = { post: async () => Promise.reject(errors.shift()) };
  const replies = new RestReplySender(rest as unknown as REST, logLines().log);
  const to = deferredReply({ receivedAtMs: Date.now() - 2_000 });
  expect(await replies.reply(to, { content: 'a card' }, false)).toEqual(expected);
});

it('a first answer is sent without the token of the bot, and not without a pause while the connection breaks', async () => {
  const isWithToken: unknown[] = [];
  const post = async (_: string, { auth }: { auth: boolean }) => {
    isWithToken.push(auth);
    throw BROKEN;
  };
  const replies = new RestReplySender({ post } as unknown as REST, logLines().log);
  const to = deferredReply({ receivedAtMs: Date.now() - 2_700 });
  const beganAtMs = performance.now();
  expect(await replies.reply(to, { content: 'a card' }, false)).toEqual({ shown: true, err: BROKEN });
  expect(new Set(isWithToken)).toEqual(new Set([false]));
  expect(performance.now() - beganAtMs).toBeGreaterThan(20);
});

it('an edit that becomes a first answer, without word from Discord, is worth another try', async () => {
  const rest = { patch: async () => Promise.reject(apiError(404, 10015)), post: async () => Promise.reject(HANGS) };
  const replies = new RestReplySender(rest as unknown as REST, logLines().log);
  const to = deferredReply({ receivedAtMs: Date.now() - 2_500 });
  expect(await replies.edit(to, { content: 'a card' }, false)).toBe('failed');
});

describe('when the clock is set', () => {
  it('back, an edit that was given up after ten seconds is not sent again', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    let sent = 0;
    const patch = async () => {
      sent++;
      vi.advanceTimersByTime(10_000);
      vi.setSystemTime(Date.now() - 600_000);
      throw HANGS;
    };
    const replies = new RestReplySender({ patch } as unknown as REST, logLines().log);
    expect(await replies.edit(deferredReply(), { content: 'a card' }, false)).toBe('failed');
    expect(sent).toBe(1);
  });

  it('back, a first answer is tried for no longer than Discord takes it', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    let sent = 0;
    const post = async () => {
      sent++;
      vi.advanceTimersByTime(1_500);
      throw BROKEN;
    };
    const replies = new RestReplySender({ post } as unknown as REST, logLines().log);
    await replies.reply(deferredReply({ receivedAtMs: Date.now() + 300_000 }), { content: 'a card' }, false);
    expect(sent).toBe(2);
  });

  it('forward, a press whose acknowledgement is still on its way has not deleted its message', async () => {
    const rest = { post: async () => Promise.reject(HANGS), delete: async () => Promise.reject(apiError(404, 10015)) };
    const replies = new RestReplySender(rest as unknown as REST, logLines().log);
    const press = deferredReply({ receivedAtMs: Date.now() - 60_000 });
    expect(await replies.deleteSource(press)).toMatchObject({ outcome: 'not answered' });
  });
});

it('a sentence in place of an answer that Discord refuses speaks the language of the reply', async () => {
  const sent: { content: string }[] = [];
  const send = async (_: string, { body }: { body: { content: string } }) => {
    sent.push(body);
    if (body.content === 'too long') throw apiError(400, 50035);
  };
  const rest = { patch: send, post: send };
  const replies = new RestReplySender(rest as unknown as REST, logLines().log);
  const asked = { ...askedFor('base1-4'), language: 'de' };
  expect(await replies.complete(deferredReply({ asked }), { content: 'too long' }, false)).toBe('refused');
  const why = formatMessage('de', 'shownInPrivate', { why: 'refused' });
  expect(sent.map(({ content }) => content)).toEqual(['too long', why, 'too long', formatMessage('de', 'broken')]);
});

const SAYS_WHY = formatMessage('en-US', 'shownInPrivate', { why: 'blocked' });

it.each([
  ['is sent in private once where no other process may have done it', false, SAYS_WHY, 1],
  ['is sent in private by who takes it over while the reply does not say so', true, '', 1],
  ['is not sent again by who takes it over when the reply says so', true, SAYS_WHY, 0],
])('a card that AutoMod blocks in a deferred reply %s', async (_, isAnother, content, sent) => {
  const followUps: object[] = [];
  const rest = {
    patch: async (_: string, { body }: { body: { embeds: [] } }) => {
      if (body.embeds.length > 0) throw apiError(400, 200000);
    },
    get: async () => ({ content, embeds: [] }),
    post: async (_: string, { body }: { body: object }) => void followUps.push(body),
  };
  const replies = new RestReplySender(rest as unknown as REST, logLines().log);
  expect(await replies.complete(deferredReply(), { embeds: [{ title: 'a card' }] }, isAnother)).toBe('shownInPrivate');
  expect(followUps).toHaveLength(sent);
});

it('whether the card was sent in private is asked again when Discord does not say', async () => {
  const patch = async (_: string, { body }: { body: { embeds: [] } }) => {
    if (body.embeds.length > 0) throw apiError(400, 200000);
  };
  const rest = { patch, get: async () => Promise.reject(HANGS) };
  const replies = new RestReplySender(rest as unknown as REST, logLines().log);
  expect(await replies.complete(deferredReply(), { embeds: [{ title: 'a card' }] }, true)).toBe('failed');
});

it.each([
  ['that Discord deletes', undefined, true],
  ['that is gone', apiError(404, 10008), true],
  ['whose token has expired', apiError(401, 50027), true],
  ['that Discord refuses to delete', apiError(403, 50013), true],
  ['while Discord cannot be reached', HANGS, false],
])('a reply %s: whether there is nothing left to try', async (_, error, isOver) => {
  const rest = { delete: () => (error ? Promise.reject(error) : Promise.resolve()) };
  const replies = new RestReplySender(rest as unknown as REST, logLines().log);
  expect(await replies.delete(deferredReply({ receivedAtMs: Date.now() - 60_000 }))).toBe(isOver);
});

it('a file of a message is named by the number of its part, as text: Discord has no numeric ids', async () => {
  const sent: { body: { data: object }; files: object[] }[] = [];
  const rest = { post: async (_: string, content: (typeof sent)[number]) => void sent.push(content) };
  const replies = new RestReplySender(rest as unknown as REST, logLines().log);
  const file = { name: 'day.png', contentType: 'image/png', data: new Uint8Array([1]), description: 'the day' };
  await replies.reply(deferredReply(), { content: 'a day', files: [file] }, false);
  expect(sent[0]?.body.data).toMatchObject({
    content: 'a day',
    attachments: [{ id: '0', filename: 'day.png', description: 'the day' }],
  });
  expect(sent[0]?.files).toMatchObject([{ name: 'day.png', contentType: 'image/png' }]);
});
