import { SlashCommandBuilder } from '@discordjs/builders';
import type { CardRecord } from '../src/model/card.ts';
import en from '../src/render/languages/en.json' with { type: 'json' };
import { formatMessage } from '../src/render/messages.ts';
import { type WatchView, watchList } from '../src/render/watch-message.ts';
import type { WatchNotice } from '../src/render/watch-notice.ts';
import type { WatchCrossing } from '../src/watches/untold.ts';
import type { Watch } from '../src/watches/watch.ts';
import { customId } from './card-actions.ts';
import { type Command, privately, type Reply, type Services, sentence, type Use } from './command.ts';
import { ANY_INSTALL, EVERYWHERE } from './places.ts';

const STOP = 'stop';

export default {
  data: new SlashCommandBuilder()
    .setName('watches')
    .setDescription(en.command_watches)
    .setContexts(...EVERYWHERE)
    .setIntegrationTypes(...ANY_INSTALL)
    .toJSON(),

  ask: listed,

  /** The menu shows the others in place; the button of a message about one says that it has ended. */
  async component({ argument, values, ...use }, services) {
    const [action, id = values[0] ?? ''] = argument.split(':');
    if (action !== STOP) return sentence(formatMessage(use.locale, 'outOfDate'));
    const isStopped = await services.watches.stop(use.requester.memberId, id);
    if (!isStopped) return sentence(formatMessage(use.locale, 'watchNotKept'));
    if (values.length === 0) return sentence(formatMessage(use.locale, 'watchStopped'));
    return { ...(await listed(use, services)), isInPlace: true };
  },
} satisfies Command;

/** The custom id of a button that ends a watch. */
export function stopId({ id }: Pick<Watch, 'id'>): string {
  return `watches:${STOP}:${id}`;
}

/** What a card cost when somebody last asked for it, if the next price can be compared with that. */
export function lastPrice(kept: CardRecord | undefined): WatchView['price'] {
  const [atMs, market = 0] = kept?.history?.at(-1) ?? [];
  return kept && atMs === kept.fetchedAtMs ? { ...kept.card?.prices, market, atMs } : undefined;
}

/** What a member is told of a crossing, with the ids of its buttons. */
export function noticeOf({ watch, crossing }: WatchCrossing): WatchNotice {
  const showId = customId({ kind: 'show', showPrices: true, isPrivate: true, cardId: watch.cardId });
  return { ...watch, ...crossing, showId, stopId: stopId(watch) };
}

async function listed({ requester, locale }: Use, { watches, cards, currency }: Services): Promise<Reply> {
  const own = await watches.find({ member: requester.memberId });
  if (!own) return sentence(formatMessage(locale, 'watchNotKept'));
  if (own.length === 0) return sentence(formatMessage(locale, 'noWatches'));
  const views = own.map(async (watch) => ({ ...watch, price: lastPrice(await cards.kept(watch.cardId)) }));
  return privately(watchList(await Promise.all(views), { locale, currency }, `watches:${STOP}`));
}
