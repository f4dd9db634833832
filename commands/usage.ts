import { SlashCommandBuilder } from '@discordjs/builders';
import { ApplicationIntegrationType, InteractionContextType, PermissionFlagsBits } from 'discord-api-types/v10';
import type { Asked, Command, Message, Parts } from '../src/discord/command.ts';
import type { UsageKnown } from '../src/lookup/usage-desk.ts';
import { closedError } from '../src/lookup/waiting-line.ts';
import { usageEmbed } from '../src/render/usage-embed.ts';
import { words } from '../src/render/words.ts';

/** Discord gives a command 3 s for its first reply; what takes longer than this is shown by a correction. */
const PATIENCE_MS = 1_500;

export default {
  data: new SlashCommandBuilder()
    .setName('usage')
    .setDescription("Show what is left of the day's requests to the card service")
    .setContexts(InteractionContextType.Guild)
    .setIntegrationTypes(ApplicationIntegrationType.GuildInstall)
    .setDefaultMemberPermissions(PermissionFlagsBits.ManageGuild)
    .toJSON(),

  async run(asked, parts) {
    const { known, newer } = await parts.usage.ask();
    const reply = { kind: 'reply', private: true, source: 'bot' } as const;
    if (newer === undefined) return { ...reply, message: show(known, missing(known, parts), asked, parts) };

    const inTime = await Promise.race([newer, patience()]);
    if (inTime !== undefined) {
      return { ...reply, source: 'service', message: show(inTime, missing(inTime, parts), asked, parts) };
    }
    return {
      ...reply,
      message: show(known, words.reportOnItsWay, asked, parts),
      correction: newer.then((late) => show(late, missing(late, parts), asked, parts)),
    };
  },
} satisfies Command;

function patience(): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), PATIENCE_MS));
}

function missing({ report, problem }: UsageKnown, { usage }: Parts): string | undefined {
  if (!usage.hasKey) return words.needsKey;
  if (problem) return words.noReport(problem.userMessage);
  return report ? undefined : words.noReport('no request was free for it.');
}

function show({ report }: UsageKnown, missing: string | undefined, { locale }: Asked, parts: Parts): Message {
  const { closed } = parts.pacer.outlook();
  return {
    embeds: [
      usageEmbed({
        report,
        missing,
        quota: parts.pacer.quota(),
        closed: closed && closedError(closed).userMessage,
        savedToday: parts.ledger.today().saved,
        waitingNow: parts.line.waitingCount,
        locale,
      }),
    ],
  };
}
