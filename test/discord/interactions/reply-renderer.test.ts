import { expect, it } from 'vitest';
import type { Command } from '../../../commands/command.ts';
import { withDelete } from '../../../commands/delete-reply.ts';
import { replyRenderer } from '../../../src/discord/interactions/dispatch.ts';
import { KeyRefused } from '../../../src/model/errors.ts';
import { formatMessage } from '../../../src/render/messages.ts';
import type { CardsReply } from '../../../src/replies/reply-ports.ts';
import { askedFor, deferredReply } from '../../replies/replies-over.ts';

type RendererOptions = Parameters<typeof replyRenderer>[1];

const QUOTA = { limit: 1_000, remaining: 7, resetsAtMs: undefined, receivedAtMs: 0 };

/** The server's language is set to German. */
function rendered(show: Command['show'], more: Partial<CardsReply> = {}, isPrivate?: boolean) {
  const data = { name: 'card', description: 'Show a card' };
  const limiter = { quota: () => QUOTA } as RendererOptions['limiter'];
  const render = replyRenderer([{ data, ...(show && { show }) }], {
    limiter,
    currency: 'EUR',
  });
  const outcomes = { cards: [{ error: new KeyRefused({ status: 401 }) }], fromMemory: 0, requested: 0, requests: 0 };
  return render(deferredReply({ asked: { ...askedFor('base1-4'), language: 'de' }, ...more }), outcomes, isPrivate);
}

it.each([
  ['a private reply', 'the member', true, 'en-US'],
  ['a public reply', 'its server', false, 'de'],
])(
  '%s shows what its command makes of the outcomes, in the language of %s and with the quota of the moment',
  async (...[, , isPrivate, language]) => {
    const show: Command['show'] = ({ queries }, { cards }, { locale, quota, currency }) => ({
      content: [queries[0]?.cardId, cards[0]?.error?.name, locale, quota?.remaining, currency].join(' '),
    });
    const content = `base1-4 KeyRefused ${language} 7 EUR`;
    expect(await rendered(show, {}, isPrivate)).toEqual({ message: { content } });
  },
);

it('a reply that a process has taken over knows whether others can see it', async () => {
  const show: Command['show'] = (_asked, _outcomes, { canReplyPublicly }) => ({ content: String(canReplyPublicly) });
  expect(await rendered(show, { canReplyPublicly: false })).toEqual({ message: { content: 'false' } });
});

/** What is said in public can be taken back. */
const inPublic = (key: 'unknownCommand' | 'broken') => withDelete({ content: formatMessage('de', key) }, 'de');

it('a reply whose command does not exist any more, or shows no cards any more, says that it is out of date', async () => {
  const outdated = { message: inPublic('unknownCommand') };
  expect(await rendered(() => ({ content: 'a card' }), { command: 'older' })).toEqual(outdated);
  expect(await rendered(undefined)).toEqual(outdated);
  expect(await rendered(undefined, {}, true)).toEqual({ message: { content: formatMessage('en', 'unknownCommand') } });
});

it('a reply whose command throws says that something broke, with the error for the log', async () => {
  const err = new TypeError('a bug');
  const show = () => {
    throw err;
  };
  expect(await rendered(show)).toEqual({ message: inPublic('broken'), err });
  const alone = { message: { content: formatMessage('en', 'broken') }, err };
  expect(await rendered(show, {}, true)).toEqual(alone);
});
