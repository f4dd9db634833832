import { SlashCommandBuilder } from '@discordjs/builders';
import { ApplicationIntegrationType, InteractionContextType, PermissionFlagsBits } from 'discord.js';
import type { Asked, Command, Message, Parts } from '../src/discord/command.ts';
import type { UsageKnown } from '../src/lookup/usage-desk.ts';
import { usageEmbed } from '../src/render/usage-embed.ts';
import { usageFigures } from '../src/render/usage-figures.ts';
import { usageState } from '../src/render/usage-state.ts';
import { words } from '../src/render/words.ts';
import { within } from '../src/within.ts';

/**
 * From the command on. Discord gives it 3 s for its first reply, and may ask to wait with that; what takes longer than
 * this is shown by a correction.
 */
const PATIENCE_MS = 1_500;
const TOP_MEMBERS = 5;

export default {
  data: new SlashCommandBuilder()
    .setName('usage')
    .setDescription("Show what is left of the day's requests to the card service")
    .setContexts(InteractionContextType.Guild)
    .setIntegrationTypes(ApplicationIntegrationType.GuildInstall)
    .setDefaultMemberPermissions(PermissionFlagsBits.ManageGuild)
    .toJSON(),

  async run(asked, parts) {
    const { known, newer } = await parts.usage.ask(asked);
    const reply = { kind: 'reply', private: true, source: 'bot' } as const;
    if (newer === undefined) return { ...reply, message: await show(known, missing(known, parts), asked, parts) };

    const inTime = await within(Math.max(0, asked.receivedAtMs + PATIENCE_MS - Date.now()), newer);
    if (inTime !== undefined) {
      return { ...reply, source: 'service', message: await show(inTime, missing(inTime, parts), asked, parts) };
    }
    return {
      ...reply,
      message: await show(known, words.reportOnItsWay, asked, parts),
      correction: newer.then((late) => show(late, missing(late, parts), asked, parts)),
    };
  },
} satisfies Command;

function missing({ report, missing }: UsageKnown, { usage }: Parts): string | undefined {
  if (!usage.hasKey) return words.needsKey;
  if (missing?.why === 'failed') return words.reportFailed(missing.atMs, missing.error.userMessage);
  return missing || !report ? words.reportNotAsked : undefined;
}

async function show({ report }: UsageKnown, missing: string | undefined, asked: Asked, parts: Parts): Promise<Message> {
  const { pacer, ledger, budget, line } = parts;
  const [everybody, server, topMembers] = await Promise.all([
    ledger.today(),
    ledger.guildToday(asked),
    asked.manageGuild ? ledger.topMembers(asked, TOP_MEMBERS) : [],
  ]);
  const nowMs = Date.now();
  return {
    embeds: [
      usageEmbed({
        state: usageState(pacer.outlook().gate, nowMs),
        missing,
        figures: usageFigures({ report, quota: pacer.quota(), nowMs }),
        reportAtMs: report?.atMs,
        runsOutAtMs: pacer.runsOutAtMs(),
        everybody,
        server: { ...server, cap: budget.caps().guild, memberCap: budget.caps().member },
        topMembers,
        waitingNow: line.waitingCount,
        nowMs,
        locale: asked.locale,
      }),
    ],
  };
}
