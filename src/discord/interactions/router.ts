import type { Interaction } from 'discord.js';
import { LRUCache } from 'lru-cache';
import type { Services } from '../../../commands/services.ts';
import type { Logger } from '../../log.ts';
import { CardServiceError, Stopping } from '../../model/errors.ts';
import type { CommandEvent, Events } from '../../model/events.ts';
import { errorMessage, formatMessage, type PlainMessageKey } from '../../render/messages.ts';
import type { DeferredReplies } from '../../replies/deferred-replies.ts';
import { untilAccepted } from '../../replies/until-accepted.ts';
import type { EditedReply, Replies } from '../rest/replies.ts';
import type { Command, Deletion, Invocation, ListDeferral, Message, Response } from './command.ts';
import { type Dispatched, dispatch, forLog } from './dispatch.ts';

export interface InteractionRouterOptions {
  commands: readonly Command[];
  services: Services;
  /** @throws TooManyCommands when the member sends commands faster than anyone types */
  commandRate: { count(memberId: string, nowMs: number): void };
  deferredReplies: Pick<DeferredReplies, 'defer' | 'deferList'>;
  replies: Pick<Replies, 'reply' | 'suggest' | 'edit' | 'acknowledge' | 'deleteSource'>;
  events: Events;
  log: Logger;
}

/** After 3 s Discord says that a press has failed, so that whoever presses again means it. */
const PRESSED_TWICE_MS = 3_000;
const MAX_PRESSES = 1_000;

type CommandEnd = Pick<CommandEvent, 'card' | 'source' | 'outcome' | 'shown' | 'asked' | 'err'>;
type Autocomplete = Extract<Dispatched, { kind: 'autocomplete' }>;
type Handled = Exclude<Dispatched, Autocomplete>;

/** Passes each interaction to its handler, and the response to Discord. Each one ends in an answer or an error in the log. */
export class InteractionRouter {
  readonly #options: InteractionRouterOptions;
  readonly #underWay = new Set<Promise<void>>();
  readonly #corrections = new Set<Promise<void>>();
  readonly #stopped = new AbortController();
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

  /** Sends no correction again that Discord did not accept; resolves when none is outstanding. */
  async corrected(): Promise<void> {
    this.#stopped.abort();
    await Promise.all(this.#corrections);
  }

  async #handle(interaction: Interaction): Promise<void> {
    const dispatched = dispatch(this.#options.commands, interaction);
    if (dispatched.kind === 'autocomplete') return this.#suggest(dispatched);
    const end = await this.#respond(dispatched).catch(
      (err: unknown): CommandEnd => ({ source: 'bot', outcome: 'not answered', err }),
    );
    if (end === undefined) return;
    const { command, invocation, card } = dispatched;
    const { memberId, guildId, receivedAtMs } = invocation;
    const tookMs = Date.now() - receivedAtMs;
    this.#options.events.publish('command', {
      command,
      memberId,
      guildId,
      waitMs: 0,
      tookMs,
      ...end,
      card: end.card ?? forLog(card),
    });
  }

  /** A failure is an empty list. There is one with every key, so only a bug is more than a line for debugging. */
  async #suggest({ command, invocation, run }: Autocomplete): Promise<void> {
    const { replies, services, log } = this.#options;
    const choices = await run?.(services).catch((err: unknown) => {
      log.error({ command, err }, 'suggestions failed');
    });
    const { kind } = await replies.suggest(invocation, choices ?? []);
    log.debug({ command, answer: kind, tookMs: Date.now() - invocation.receivedAtMs }, 'suggestions');
  }

  /** @returns how the command ended; `undefined` when its reply is deferred and ends later */
  async #respond(dispatched: Handled): Promise<CommandEnd | undefined> {
    const { replies, deferredReplies } = this.#options;
    const { invocation, command, press } = dispatched;
    if (press !== undefined && this.#presses.has(press))
      return { source: 'bot', outcome: 'pressed twice', ...(await replies.acknowledge(invocation)) };
    if (press !== undefined) this.#presses.set(press, true);
    const { response, outcome, err } = await this.#run(dispatched);
    if (response.kind === 'defer' || response.kind === 'deferList') {
      const { manageGuild: _, ...facts } = invocation;
      const reply = { ...facts, command, private: response.private };
      if (response.kind === 'defer')
        await deferredReplies.defer({ ...reply, query: response.query }, response.reservation);
      else await deferredReplies.deferList({ ...reply, list: response.list }, response);
      return undefined;
    }
    if (response.kind === 'delete') return { source: 'bot', outcome, ...(await replies.deleteSource(invocation)) };
    response.correction?.catch(() => {}); // awaited once the reply is there
    const first = await replies.reply(invocation, response.message, response.private);
    // One that Discord has not confirmed may be there, so it is edited, too.
    if (first.kind !== 'over' && response.correction !== undefined)
      this.#correct({ ...invocation, command, private: response.private }, response.correction);
    if (press !== undefined && first.kind === 'over') this.#presses.delete(press); // nothing came of it
    if ('outcome' in first) return { source: 'bot', outcome: first.outcome, err: first.err ?? err };
    return { card: response.card, source: response.source, outcome, err, ...response.end };
  }

  async #run({
    kind,
    invocation,
    run,
  }: Handled): Promise<{ response: Response | ListDeferral | Deletion; outcome: string; err?: unknown }> {
    const { commandRate, services } = this.#options;
    const { locale, memberId, receivedAtMs } = invocation;
    const plain = (key: PlainMessageKey) => sentence(formatMessage(locale, key));
    try {
      if (this.#closing) throw new Stopping();
      commandRate.count(memberId, receivedAtMs);
      if (run) return { response: await run(services), outcome: 'answered' };
      if (kind === 'command') return { response: plain('unknownCommand'), outcome: 'unknown command' };
      return { response: plain('outOfDate'), outcome: 'unknown interaction' };
    } catch (err) {
      if (err instanceof CardServiceError) return { response: sentence(errorMessage(locale, err)), outcome: err.name };
      if (isOptionError(err)) return { response: plain('unknownCommand'), outcome: 'outdated command' };
      return { response: plain('broken'), outcome: 'broken', err };
    }
  }

  #correct(edited: EditedReply & Pick<Invocation, 'deadlineMs'>, correction: Promise<Message | undefined>): void {
    const { replies, log } = this.#options;
    const done = correction
      .then(async (message) => {
        if (!message) return;
        await untilAccepted(() => replies.edit(edited, message), edited.deadlineMs, this.#stopped.signal);
      })
      .catch((err: unknown) =>
        log.error(
          { command: edited.command, member: edited.memberId, err },
          'reply with a saved copy cannot be updated',
        ),
      )
      .finally(() => this.#corrections.delete(done));
    this.#corrections.add(done);
  }
}

function sentence(content: string): Response {
  return { kind: 'reply', private: true, source: 'bot', message: { content } };
}

/** discord.js throws when an option that is read is missing or of another type: the registration is outdated. */
function isOptionError(err: unknown): boolean {
  return err instanceof TypeError && 'code' in err && String(err.code).startsWith('CommandInteractionOption');
}
