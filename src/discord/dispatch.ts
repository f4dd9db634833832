import type { CommandInteraction, Interaction, REST } from 'discord.js';
import { CardServiceError, Stopping } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { Place } from '../lookup/place.ts';
import { words } from '../render/words.ts';
import type { Debt } from '../replies/debt.ts';
import type { ReplyQueue } from '../replies/reply-queue.ts';
import { acknowledgeSomehow } from './acknowledge.ts';
import { isOptionError, toAsked, toDebt } from './asked.ts';
import { defer, reply } from './callback.ts';
import type { Asked, Command, Parts, Response } from './command.ts';
import { type CommandEnd, logCommand } from './command-log.ts';
import { CommandPace } from './command-pace.ts';
import type { Replies } from './replies.ts';
import { answerUnknown } from './unknown-interaction.ts';

export interface DispatchOptions {
  commands: readonly Command[];
  parts: Parts;
  queue: ReplyQueue;
  rest: REST;
  replies: Replies;
  log: Logger;
}

/** Takes an interaction to its command, and the command's response to Discord. Every one ends in an answer or a log line. */
export class Dispatch {
  readonly #options: DispatchOptions;
  readonly #commands: ReadonlyMap<string, Command>;
  readonly #underWay = new Set<Promise<void>>();
  readonly #corrections = new Set<Promise<void>>();
  readonly #pace = new CommandPace();
  #closing = false;
  #twinNoticed = false;

  constructor(options: DispatchOptions) {
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
    const asked = toAsked(interaction);
    const command = interaction.isChatInputCommand() ? this.#commands.get(interaction.commandName) : undefined;
    const end = await this.#respond(interaction, asked, command).catch((err: unknown) => {
      return { source: 'bot', waitMs: 0, outcome: 'not answered', err } as const;
    });
    if (end) logCommand(this.#options.log, { ...asked, command: interaction.commandName }, end);
  }

  /** @returns how it ended, or `undefined` when it is owed and will end later */
  async #respond(
    interaction: CommandInteraction,
    asked: Asked,
    command: Command | undefined,
  ): Promise<CommandEnd | undefined> {
    const { response, outcome, err } = await this.#run(asked, command);
    const correction = response.kind === 'reply' ? response.correction : undefined;
    correction?.catch(() => {}); // looked at once the reply is there
    if (response.kind === 'owe') {
      const debt = toDebt(interaction.commandName, asked, response.question, response.private);
      // Without effect once the place is taken, as it is when the debt is owed.
      return this.#owe(debt, response.place).finally(() => response.place.giveBack());
    }
    const { rest } = this.#options;
    const first = await acknowledgeSomehow(rest, asked, () => reply(rest, asked, response.message, response.private));
    if ('outcome' in first) return { source: 'bot', waitMs: 0, outcome: first.outcome, err: first.err ?? err };
    if (response.correction !== undefined) this.#correctLater(interaction.commandName, asked, response);
    return { source: response.source, waitMs: 0, outcome, err };
  }

  async #owe(debt: Debt, place: Place): Promise<CommandEnd | undefined> {
    const { rest, queue, log } = this.#options;
    if (!(await queue.keep(debt))) {
      if (!this.#twinNoticed) log.warn('another process has the same shard: give each its own in DISCORD_SHARDS');
      this.#twinNoticed = true;
      return { source: 'bot', waitMs: 0, outcome: 'answered by another process' };
    }
    const first = await acknowledgeSomehow(rest, debt, () => defer(rest, debt, debt.private));
    if (first.kind === 'over') {
      await queue.forget(debt);
      return { source: 'bot', waitMs: 0, outcome: first.outcome, err: first.err };
    }
    // If Discord did not take it after all, the payment will find out.
    if (first.kind === 'unknown') log.warn({ err: first.err, command: debt.command }, 'first answer failed');
    queue.owe(debt, place);
    return undefined;
  }

  async #run(
    asked: Asked,
    command: Command | undefined,
  ): Promise<{ response: Response; outcome: string; err?: unknown }> {
    try {
      if (this.#closing) throw new Stopping();
      this.#pace.count(asked.memberId, asked.receivedAtMs);
      if (!command) return { response: sentence(words.unknownCommand), outcome: 'unknown command' };
      return { response: await command.run(asked, this.#options.parts), outcome: 'answered' };
    } catch (err) {
      if (err instanceof CardServiceError) return { response: sentence(err.userMessage), outcome: err.name };
      if (isOptionError(err)) return { response: sentence(words.unknownCommand), outcome: 'outdated command' };
      return { response: sentence(words.broken), outcome: 'broken', err };
    }
  }

  #correctLater(
    command: string,
    asked: Asked,
    { correction, private: isPrivate }: Extract<Response, { kind: 'reply' }>,
  ): void {
    if (correction === undefined) return;
    const { replies, log } = this.#options;
    const done = correction
      .then(async (message) => {
        if (message) await replies.edit({ ...asked, command, private: isPrivate }, message);
      })
      .catch((err: unknown) => log.error({ command, err }, 'correction failed'))
      .finally(() => this.#corrections.delete(done));
    this.#corrections.add(done);
  }
}

function sentence(content: string): Response {
  return { kind: 'reply', private: true, source: 'bot', message: { content } };
}
