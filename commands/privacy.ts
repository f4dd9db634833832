import { SlashCommandBuilder } from '@discordjs/builders';
import { ApplicationIntegrationType, ButtonStyle, ComponentType, InteractionContextType } from 'discord.js';
import { formatMessage } from '../src/render/messages.ts';
import { forgottenText, privacyText } from '../src/render/privacy-text.ts';
import { type Command, type Message, privately, sentence } from './command.ts';

const FORGET = 'forget';

export default {
  data: new SlashCommandBuilder()
    .setName('privacy')
    .setDescription('See what is kept about you, and delete it')
    .setContexts(InteractionContextType.Guild, InteractionContextType.BotDM)
    .setIntegrationTypes(ApplicationIntegrationType.GuildInstall)
    .toJSON(),

  async ask({ memberId, locale }, { memberData }) {
    const kept = await memberData.kept(memberId);
    const content = privacyText(kept, locale);
    const isAnything = kept.counts.days > 0 || (kept.lastCards ?? []).length > 0;
    return privately({ content, ...(isAnything && { components: [forgetButton(locale)] }) });
  },

  async component({ argument, memberId, locale }, { memberData }) {
    if (argument !== FORGET) return sentence(formatMessage(locale, 'outOfDate'));
    const isForgotten = await memberData.forget(memberId);
    return sentence(forgottenText(isForgotten, Date.now(), locale));
  },
} satisfies Command;

function forgetButton(locale: string): NonNullable<Message['components']>[number] {
  const button = { type: ComponentType.Button, style: ButtonStyle.Danger, custom_id: `privacy:${FORGET}` } as const;
  return { type: ComponentType.ActionRow, components: [{ ...button, label: formatMessage(locale, 'forgetMe') }] };
}
