import type { CommandInteraction, Interaction, REST } from 'discord.js';
import type { Services } from '../../../commands/services.ts';
import type { Logger } from '../../log.ts';
import type { Reservation } from '../../lookup/admission.ts';
import { CardServiceError, Stopping } from '../../model/errors.ts';
import { CommandRate } from '../../quota/command-rate.ts';
import { errorMessage } from '../../render/error-message.ts';
import { formatMessage } from '../../render/messages.ts';
import type { DeferredReplies } from '../../replies/deferred-replies.ts';
import type { DeferredReply } from '../../replies/deferred-reply.ts';
import { defer, reply } from '../rest/callback.ts';
import type { ReplyEdits } from '../rest/reply-edits.ts';
import { acknowledgeSomehow } from './acknowledge.ts';
import type { Command, Invocation, Response } from './command.ts';
import { type CommandEnd, logCommand } from './command-log.ts';
import { isOptionError, toAsked, toDeferredReply } from './invocation.ts';
import { answerUnknown } from './unknown-interaction.ts';

export interface InteractionRouterOptions {
  commands: readonly Command[];
  services: Services;
  queue: DeferredReplies;
  rest: REST;
  replyEdits: ReplyEdits;
  log: Logger;
}

/** Takes an interaction to its command, and the command's response to Discord. Every one ends in an answer or a log line. */
export class InteractionRouter {
  readonly #options: InteractionRouterOptions;
  readonly #commands: ReadonlyMap<string, Command>;
  readonly #underWay = new Set<Promise<void>>();
  readonly #corrections = new Set<Promise<void>>();
  readonly #pace = new CommandRate();
  #closing = false;
  #twinNoticed = false;

  constructor(options: InteractionRouterOptions) {
    this.#options = options;
    this.#commands = new Map(options.commands.map((command) => [command.data.name, command]));
  }

  /** Never rejects. */
  async receive(interaction: Interaction): Promise<void> {
    const { rest, log } = this.#options;
    const answered = interaction.isCommand() ? this.#handle(interaction) : answerUnknown(rest, interaction, log);
    const done = answered
      .catch((err: unknown) => log.error({ err }, 'interaction cannot be read'))
      .finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
    await done;
  }

  /** From here on every command is told to come back; resolves when those under way are answered or owed. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all(this.#underWay);
  }

  /** Resolves when no correction is to come any more. */
  async corrected(): Promise<void> {
    await Promise.all(this.#corrections);
  }

  async #handle(interaction: CommandInteraction): Promise<void> {
    const invocation = toAsked(interaction);
    const command = interaction.isChatInputCommand() ? this.#commands.get(interaction.commandName) : undefined;
    const end = await this.#respond(interaction, invocation, command).catch((err: unknown) => {
      return { source: 'bot', waitMs: 0, outcome: 'not answered', err } as const;
    });
    if (end) logCommand(this.#options.log, { ...invocation, command: interaction.commandName }, end);
  }

  /** @returns how it ended, or `undefined` when it is owed and will end later */
  async #respond(
    interaction: CommandInteraction,
    invocation: Invocation,
    command: Command | undefined,
  ): Promise<CommandEnd | undefined> {
    const { response, outcome, err } = await this.#run(invocation, command);
    const correction = response.kind === 'reply' ? response.correction : undefined;
    correction?.catch(() => {}); // looked at once the reply is there
    if (response.kind === 'defer') {
      const deferred = toDeferredReply(interaction.commandName, invocation, response.query, response.private);
      // Without effect once the place is taken, as it is when the debt is owed.
      return this.#owe(deferred, response.reservation).finally(() => response.reservation.cancel());
    }
    const { rest } = this.#options;
    const first = await acknowledgeSomehow(rest, invocation, () =>
      reply(rest, invocation, response.message, response.private),
    );
    if ('outcome' in first) return { source: 'bot', waitMs: 0, outcome: first.outcome, err: first.err ?? err };
    if (response.correction !== undefined) this.#correctLater(interaction.commandName, invocation, response);
    return { source: response.source, waitMs: 0, outcome, err };
  }

  async #owe(deferred: DeferredReply, reservation: Reservation): Promise<CommandEnd | undefined> {
    const { rest, queue, log } = this.#options;
    if (!(await queue.keep(deferred))) {
      if (!this.#twinNoticed) log.warn('another process has the same shard: give each its own in DISCORD_SHARDS');
      this.#twinNoticed = true;
      return { source: 'bot', waitMs: 0, outcome: 'answered by another process' };
    }
    const first = await acknowledgeSomehow(rest, deferred, () => defer(rest, deferred, deferred.private));
    if (first.kind === 'over') {
      await queue.forget(deferred);
      return { source: 'bot', waitMs: 0, outcome: first.outcome, err: first.err };
    }
    // If Discord did not take it after all, the payment will find out.
    if (first.kind === 'unknown') log.warn({ err: first.err, command: deferred.command }, 'first answer failed');
    queue.owe(deferred, reservation);
    return undefined;
  }

  async #run(
    invocation: Invocation,
    command: Command | undefined,
  ): Promise<{ response: Response; outcome: string; err?: unknown }> {
    const { locale } = invocation;
    try {
      if (this.#closing) throw new Stopping();
      this.#pace.count(invocation.memberId, invocation.receivedAtMs);
      if (!command) return { response: sentence(formatMessage(locale, 'unknownCommand')), outcome: 'unknown command' };
      return { response: await command.run(invocation, this.#options.services), outcome: 'answered' };
    } catch (err) {
      if (err instanceof CardServiceError) return { response: sentence(errorMessage(locale, err)), outcome: err.name };
      if (isOptionError(err))
        return { response: sentence(formatMessage(locale, 'unknownCommand')), outcome: 'outdated command' };
      return { response: sentence(formatMessage(locale, 'broken')), outcome: 'broken', err };
    }
  }

  #correctLater(
    command: string,
    invocation: Invocation,
    { correction, private: isPrivate }: Extract<Response, { kind: 'reply' }>,
  ): void {
    if (correction === undefined) return;
    const { replyEdits, log } = this.#options;
    const done = correction
      .then(async (message) => {
        if (message) await replyEdits.edit({ ...invocation, command, private: isPrivate }, message);
      })
      .catch((err: unknown) => log.error({ command, err }, 'correction failed'))
      .finally(() => this.#corrections.delete(done));
    this.#corrections.add(done);
  }
}

function sentence(content: string): Response {
  return { kind: 'reply', private: true, source: 'bot', message: { content } };
}
