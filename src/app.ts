import type { Services } from '../commands/command.ts';
import { commands, declarations } from '../commands/index.ts';
import { showList } from '../commands/pasted-list.ts';
import { watchNotices } from '../commands/watch.ts';
import type { Config } from './config/config.ts';
import { createClient, login, refused } from './discord/gateway.ts';
import { Interactions } from './discord/interactions.ts';
import { DirectMessages } from './discord/rest/direct-messages.ts';
import { RestReplySender } from './discord/rest/reply-sender.ts';
import { Cards } from './known/cards.ts';
import type { Logger } from './log.ts';
import { LookupQueue } from './lookup/lookup-queue.ts';
import { UsageReports } from './lookup/usage-reports.ts';
import { WatchDelivery } from './members/delivery.ts';
import { KeptLists } from './members/kept-lists.ts';
import { MemberData } from './members/member-data.ts';
import { WatchRenewals } from './members/renewals.ts';
import { SettingsOfServers } from './members/server-settings.ts';
import { Watches } from './members/watches.ts';
import { OperatorError } from './model/errors.ts';
import { Events } from './model/events.ts';
import { plannedWindows } from './model/quota.ts';
import { openOperations } from './operations/operations.ts';
import { Budget } from './quota/budget.ts';
import { priceAsShown } from './render/formats.ts';
import { commandLogger } from './replies/end.ts';
import { replyRenderer } from './replies/rendering.ts';
import { Replies } from './replies/replies.ts';
import { CardService } from './service/card-service.ts';
import { cardIdReader } from './service/service-description.ts';
import { openState, type State } from './storage/open-state.ts';
import { putOldFilesAside } from './storage/sqlite/file.ts';
import { sqliteMemberHistory } from './storage/sqlite/member-history.ts';
import { withTimeout } from './time.ts';

export interface App {
  /** Rejects with DiscordRefused when the token is not accepted. */
  ready: Promise<void>;
  /** Resolves when Discord closes the gateway for good, or a server can never be used, with the reason. */
  refused: Promise<Error>;
  /** Resolves when the commands at Discord have been looked after, or cannot be. */
  registered: Promise<void>;
  /** Resolves when no reply waits for its completion or correction. */
  repliesCompleted(): Promise<void>;
  /**
   * Refuses commands, completes what is under way, leaves the remaining replies to the journal, and closes. Under 8 s;
   * runs once, however often it is called.
   */
  stop(): Promise<void>;
}

// Together under the 8 s that a stop may take.
const FIRST_ANSWERS_MS = 1_600;
const GRACE_MS = 3_400;
const LAST_EDITS_MS = 1_200;
const DISCONNECT_MS = 700;
const CLOSE_MS = 800;

/**
 * Makes every part and connects them; read from top to bottom, this is the whole program. The bot, the sandbox and the
 * end-to-end tests differ only in `config`.
 *
 * @throws DatabaseUnusable, also when another process owns `DATA_DIR`, StateUnusable, HttpPortUnusable, an error of the
 * file system
 */
export async function startApp(config: Config, log: Logger, signal = new AbortController().signal): Promise<App> {
  const events = new Events();
  events.subscribe('command', commandLogger(log));
  const operations = await openOperations(config, { commandNames: commands.map(({ data }) => data.name), events, log });
  let opened: OpenServices | undefined;
  try {
    opened = await openServices(config, log, { signal, events });
    await operations.start(opened.services.limiter, opened.services.lookupQueue);
  } catch (error) {
    await operations.close();
    await opened?.state.close();
    throw error;
  }
  const { services, state } = opened;
  const { cards, catalog, lookupQueue, ledger, usage, memberData, settings, watches, currency } = services;
  events.subscribe('shown', catalog.shown);
  events.subscribe('priced', (event) => {
    if (watches.cards.has(event.cardId)) void watches.priced(event);
    else watches.unchecked.set(event.cardId, event);
  });
  events.subscribe('command', ({ guildId }) => {
    if (guildId && settings.known?.has(guildId)) settings.used(guildId);
  });

  const client = createClient({ ...config.discord, claims: state.claims, events, log });
  const sender = new RestReplySender(client.rest, log);
  const directMessages = new DirectMessages(client.rest, config.discord.token, log);
  const delivery = new WatchDelivery({
    watches,
    async renew() {
      await Promise.all([watches.renew(), settings.renew()]);
    },
    claims: state.claims,
    waitMs: (memberId) => directMessages.waitMs(memberId),
    send(crossing, nonce) {
      const message = watchNotices([crossing], { currency, isLate: false });
      return directMessages.send(crossing.watch.memberId, message, nonce);
    },
    show: (to, held) => sender.followUp(to, watchNotices(held, { currency, isLate: true })),
    log,
  });
  watches.onCrossing = delivery.tell;
  const replies = new Replies({
    lookups: { cards, lookupQueue, ledger, longestWaitMs: config.longestWaitMs },
    journal: state.journal,
    sender,
    render: replyRenderer({
      ...services,
      commands,
      showList: (reply, list, outcomes, view) => showList(reply, list, outcomes, view, services),
    }),
    answered(to) {
      if (watches.toTell.has(to.requester.memberId)) delivery.answered(to);
    },
    events,
    log,
  });
  const interactions = new Interactions({ commands, services, replies, sender, events, log });
  client.on('interactionCreate', interactions.receive);

  const hasWindow =
    config.cardService.description.quota.length > 0 || Object.values(plannedWindows(config.plan)).some((most) => most);
  const renewals = new WatchRenewals({ ...services, claims: state.claims, hasWindow, log });
  if (config.renewsWatched) renewals.start();
  await replies.takeOver(); // needs no gateway: replies are edited by their tokens

  const stopping = new AbortController();
  const loginSignal = AbortSignal.any([signal, stopping.signal]);
  const ready = login(client, { token: config.discord.token, log, signal: loginSignal });
  const whyRefused = Promise.race([refused(client), state.refused]);
  // Before the bot ends, operators hear why; either may be left unawaited.
  for (const end of [whyRefused, ready.catch((error: unknown) => error)])
    void end.then((error) => error instanceof OperatorError && log.error(error.message));
  delivery.tell(); // needs no gateway either
  // Not in the way of READY, nor before Discord has let the bot in; or when the bot stops, and then nothing is sent.
  const connectedOrStopping = new Promise<void>((resolve) => {
    events.subscribe('gateway', ({ state: shard }) => shard !== 'connecting' && resolve());
    loginSignal.addEventListener('abort', () => resolve());
  });
  const register = async () => {
    const { registerItself } = await import('./discord/self-registration.ts');
    const wanted = declarations(config.discord.hasUserInstall);
    await registerItself({ ...config.discord, ...state, wanted, log, signal: loginSignal });
  };
  const registered = config.registersItself
    ? Promise.race([connectedOrStopping, ready]).then(register, () => {})
    : Promise.resolve();

  const stop = async () => {
    stopping.abort(new Error('stopping'));
    const cutOff: string[] = [];
    const bounded = async (what: string, limitMs: number, work: Promise<unknown>) => {
      const ended = work.then(() => true);
      if (!(await withTimeout(limitMs, ended))) cutOff.push(what);
    };
    await bounded('first answers', FIRST_ANSWERS_MS, interactions.close());
    usage.close();
    memberData.close();
    renewals.close();
    await lookupQueue.close(GRACE_MS);
    await bounded('last edits', LAST_EDITS_MS, Promise.all([replies.close(), delivery.close()]));
    // destroy() never resolves while a shard waits for READY.
    const disconnected = client.destroy().catch((err: unknown) => log.warn({ err }, 'disconnecting failed'));
    await bounded('disconnecting', DISCONNECT_MS, Promise.all([disconnected, registered, operations.close()]));
    await bounded('closing', CLOSE_MS, state.close());
    if (cutOff.length > 0) log.warn({ cutOff }, 'stopped before everything was done');
  };
  let stopped: Promise<void> | undefined;
  return {
    ready,
    refused: whyRefused,
    registered,
    repliesCompleted: () => replies.settled(),
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** Everything that answers lookups, for the bot and for benchmarks without Discord. */
export interface OpenServices {
  services: Services;
  /** To be closed last, after `lookupQueue.close()` and `usage.close()` have ended what is pending. */
  state: State;
}

export interface ServicesOptions {
  /** Ends the wait for the previous owner of `DATA_DIR`. */
  signal?: AbortSignal;
  /** Reaches the card service; global `fetch` unless given. */
  fetch?: typeof globalThis.fetch;
  events?: Events;
}

/**
 * Everything without Discord: cards, quota and the lookup queue, over the state of this process or, with `REDIS_URL`,
 * of several.
 *
 * @throws DatabaseUnusable, also when another process owns `DATA_DIR`
 */
export async function openServices(
  config: Config,
  log: Logger,
  { signal, fetch, events = new Events() }: ServicesOptions = {},
): Promise<OpenServices> {
  const { cardService, longestWaitMs, currency, display } = config;
  const { apiKey, description } = cardService;
  putOldFilesAside(config.dataDir, log);
  const state = await openState({ ...config, log, events, signal });
  const { cardStore, catalog, limiter, ledger } = state;
  const readCardId = cardIdReader(description.card);

  const service = new CardService({ ...cardService, ...(fetch && { fetch }), limiter, log });
  const cards = new Cards({ store: cardStore, lifetimes: config.freshness, catalog, events, log });
  const budget = new Budget({ ledger, limiter, setting: config.budgets, plannedDay: plannedWindows(config.plan).day });
  const lookupQueue = new LookupQueue({
    ...state,
    cards,
    budget,
    service,
    longestWaitMs,
    requestTimeoutMs: cardService.timeoutMs,
    events,
    log,
  });
  const offer = !description.usage ? 'none' : description.key && !apiKey ? 'needsKey' : 'available';
  const usage = new UsageReports({ ...state, service, events, log, offer });
  const asShown = (price: number, named = currency) => priceAsShown(price, named);
  const watches = new Watches(state.rows, asShown, cardService.scope);
  const lists = new KeptLists(state.rows);
  const memberData = new MemberData({
    ...state,
    history: sqliteMemberHistory(config.dataDir, log, () => catalog.write()),
    watches,
    lists,
    keepsHistory: config.memberHistory,
    log,
  });
  const settings = new SettingsOfServers(state.rows);
  return {
    services: {
      ...{ cards, catalog, readCardId, lookupQueue, usage, budget, limiter, ledger },
      ...{ memberData, settings, watches, lists, currency, display },
    },
    state,
  };
}
