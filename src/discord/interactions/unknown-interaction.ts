import type { CommandInteraction, Interaction, REST } from 'discord.js';
import type { Logger } from '../../log.ts';
import { formatMessage } from '../../render/messages.ts';
import { reply, suggestNothing } from '../rest/callback.ts';
import { acknowledge } from './acknowledge.ts';
import { logCommand } from './command-log.ts';

/**
 * Answers what no command of ours asks for, such as the buttons of an older version: an empty list to who is typing, else
 * a sentence in private. Never rejects, and leaves one log line.
 */
export async function answerUnknown(
  rest: REST,
  interaction: Exclude<Interaction, CommandInteraction>,
  log: Logger,
): Promise<void> {
  const receivedAtMs = Date.now();
  const { guildId, locale, token, user } = interaction;
  const to = { interactionId: interaction.id, token };
  const content = formatMessage(locale, 'outOfDate');
  const first = await acknowledge(receivedAtMs, () =>
    interaction.isAutocomplete() ? suggestNothing(rest, to) : reply(rest, to, { content }, true),
  );
  const command = interaction.isAutocomplete() ? interaction.commandName : interaction.customId;
  const invocation = { command, guildId: guildId ?? undefined, memberId: user.id, receivedAtMs };
  const failed = 'outcome' in first ? first : { outcome: 'unknown interaction', err: undefined };
  logCommand(log, invocation, { source: 'bot', waitMs: 0, outcome: failed.outcome, err: failed.err });
}
