import type { CardRecord } from '../src/model/card.ts';
import type { WatchNotice } from '../src/render/watch-message.ts';
import { type WatchView, watchList } from '../src/render/watch-message.ts';
import type { WatchCrossing } from '../src/watches/watch.ts';
import { type Command, privately, type Reply, type Services, say, type Use } from './command.ts';
import { customId, readAction } from './custom-ids.ts';

export default {
  data: { name: 'watches' },

  ask: listed,

  /** The menu shows the others in place; the button of a message about one says that it has ended. */
  async component({ argument, values, ...use }, services) {
    const { kind, id = values[0] ?? '' } = readAction(argument) ?? {};
    if (kind !== 'stop') return say(use.locale, 'outOfDate');
    const isStopped = await services.watches.stop(use.requester.memberId, id);
    if (!isStopped) return say(use.locale, 'watchNotKept');
    if (values.length === 0) return say(use.locale, 'watchStopped');
    return { ...(await listed(use, services)), isInPlace: true };
  },
} satisfies Command;

/** What a card cost when somebody last asked for it, if the next price can be compared with that. */
export function lastPrice(kept: CardRecord | undefined): WatchView['price'] {
  const [atMs, market = 0] = kept?.history?.at(-1) ?? [];
  return kept && atMs === kept.fetchedAtMs ? { ...kept.card?.prices, market, atMs } : undefined;
}

/** What a member is told of a crossing, with the ids of its buttons. */
export function noticeOf({ watch, crossing }: WatchCrossing): WatchNotice {
  const showId = customId('card', { kind: 'show', isPrivate: true, id: watch.cardId });
  return { ...watch, ...crossing, showId, stopId: customId('watches', { kind: 'stop', id: watch.id }) };
}

async function listed({ requester, locale }: Use, { watches, cards, currency }: Services): Promise<Reply> {
  const own = await watches.find({ member: requester.memberId });
  if (!own) return say(locale, 'watchNotKept');
  if (own.length === 0) return say(locale, 'noWatches');
  const views = own.map(async (watch) => ({ ...watch, price: lastPrice((await cards.kept(watch.cardId)).answer) }));
  return privately(watchList(await Promise.all(views), { locale, currency }, customId('watches', { kind: 'stop' })));
}
