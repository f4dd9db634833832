import type { Interaction } from 'discord.js';
import { LRUCache } from 'lru-cache';
import {
  type Command,
  type Deletion,
  type Form,
  type Reply,
  type Services,
  sentence,
} from '../../../commands/command.ts';
import type { Logger } from '../../log.ts';
import { CardServiceError, Stopping } from '../../model/errors.ts';
import type { Events } from '../../model/events.ts';
import { type Asked, type Invocation, NOTHING_SET, type ServerSettings } from '../../model/invocation.ts';
import { errorMessage, formatMessage, type PlainMessageKey } from '../../render/messages.ts';
import { type CommandEnd, publishEnd } from '../../replies/command-end.ts';
import type { CommandReplies } from '../../replies/command-replies.ts';
import type { RestReplySender } from '../rest/reply-sender.ts';
import { type Dispatched, dispatch } from './dispatch.ts';

export interface InteractionRouterOptions {
  commands: readonly Command[];
  services: Services;
  /** @throws TooManyCommands when the member sends commands faster than anyone types */
  commandRate: { count(memberId: string): void };
  commandReplies: Pick<CommandReplies, 'answer' | 'reply' | 'delete'>;
  sender: Pick<RestReplySender, 'suggest' | 'acknowledge' | 'open'>;
  events: Events;
  log: Logger;
}

/** After 3 s Discord says that a press has failed, so that whoever presses again means it. */
const PRESSED_TWICE_MS = 3_000;
const MAX_PRESSES = 1_000;

/**
 * Passes each interaction to its handler, and what the handler returns to the replies. Each ends in an answer or a
 * logged error.
 */
export class InteractionRouter {
  readonly #options: InteractionRouterOptions;
  readonly #underWay = new Set<Promise<void>>();
  /** Presses of the last seconds: a second one would post a second reply. */
  readonly #presses = new LRUCache<string, true>({
    max: MAX_PRESSES,
    ttl: PRESSED_TWICE_MS,
    perf: { now: () => performance.now() }, // looked up each time: lru-cache keeps the one that it was loaded with
  });
  #closing = false;

  constructor(options: InteractionRouterOptions) {
    this.#options = options;
  }

  /** Never rejects. */
  readonly receive = (interaction: Interaction): Promise<void> => {
    const { log } = this.#options;
    const done = this.#handle(interaction)
      .catch((err: unknown) => log.error({ err }, 'interaction cannot be read'))
      .finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
    return done;
  };

  /** Refuses commands from now on; resolves when those under way are answered or deferred. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all(this.#underWay);
  }

  async #handle(interaction: Interaction): Promise<void> {
    const dispatched = dispatch(this.#options.commands, interaction);
    if (dispatched.kind === 'autocomplete') return this.#suggest(dispatched);
    const { invocation, card } = dispatched;
    const end = await this.#respond(dispatched).catch((err: unknown) => ({ outcome: 'not answered', err }));
    if (end) publishEnd(this.#options.events, invocation, { card, ...end });
  }

  /** A failure is an empty list. There is one with every key, so only a bug is more than a line for debugging. */
  async #suggest({ invocation, suggest }: Dispatched): Promise<void> {
    const { sender, services, log } = this.#options;
    const { command } = invocation;
    const choices = await suggest?.(services).catch((err: unknown) => {
      log.error({ command, err }, 'suggestions failed');
    });
    const { shown, err } = await sender.suggest(invocation, choices ?? []);
    log.debug({ command, shown, err, tookMs: Date.now() - invocation.receivedAtMs }, 'suggestions');
  }

  /** @returns how the command ended; `undefined` when that is published with its reply */
  async #respond(dispatched: Dispatched): Promise<CommandEnd | undefined> {
    const { sender, commandReplies } = this.#options;
    const { invocation, card, press } = dispatched;
    if (press !== undefined && this.#presses.has(press))
      return { outcome: 'pressed twice', ...(await sender.acknowledge(invocation)) };
    if (press !== undefined) this.#presses.set(press, true);
    const { response, ...end } = await this.#run(dispatched);
    if ('kind' in response && response.kind === 'form') {
      if (press !== undefined) this.#presses.delete(press); // whoever closes the form may want it again
      return { ...end, ...(await sender.open(invocation, response)) };
    }
    if ('kind' in response) return { ...end, ...(await commandReplies.delete(invocation, response.interactionId)) };
    const isShown =
      'message' in response
        ? await commandReplies.reply(invocation, response, { card, ...end })
        : await commandReplies.answer(invocation, response);
    const mayComeAgain = !isShown || ('message' in response && response.isInPlace);
    if (press !== undefined && mayComeAgain) this.#presses.delete(press); // nothing came of it, or no second message
    return undefined;
  }

  async #run({
    kind,
    invocation,
    run,
  }: Dispatched): Promise<{ response: Asked | Reply | Deletion | Form; outcome: string; err?: unknown }> {
    const { commandRate, services } = this.#options;
    const { locale, requester } = invocation;
    const plain = (key: PlainMessageKey) => sentence(formatMessage(locale, key));
    try {
      if (this.#closing) throw new Stopping();
      commandRate.count(requester.memberId);
      if (run) {
        const { settings } = services;
        const isUnset = settings.known?.has(requester.guildId ?? '') === false;
        const server = isUnset ? NOTHING_SET : await settings.of(requester);
        return { response: decided(await run(services, server), invocation, server), outcome: 'answered' };
      }
      if (kind === 'command') return { response: plain('unknownCommand'), outcome: 'unknown command' };
      return { response: plain('outOfDate'), outcome: 'unknown interaction' };
    } catch (err) {
      if (err instanceof CardServiceError) return { response: sentence(errorMessage(locale, err)), outcome: err.name };
      if (isOptionError(err)) return { response: plain('unknownCommand'), outcome: 'outdated command' };
      return { response: plain('broken'), outcome: 'broken', err };
    }
  }
}

/**
 * Who sees the reply, and in which language. What Discord shows to the member alone is private from the start: it
 * offers nothing to others.
 */
function decided(
  response: Asked | Reply | Deletion | Form,
  { canReplyPublicly }: Invocation,
  { language }: ServerSettings,
): Asked | Reply | Deletion | Form {
  if ('kind' in response) return response;
  const isPrivate = response.isPrivate || !canReplyPublicly;
  return 'message' in response ? { ...response, isPrivate } : { ...response, isPrivate, language };
}

/** discord.js throws when an option that is read is missing or of another type: the registration is outdated. */
function isOptionError(err: unknown): boolean {
  return err instanceof TypeError && 'code' in err && String(err.code).startsWith('CommandInteractionOption');
}
