import { SlashCommandBuilder } from '@discordjs/builders';
import { ApplicationIntegrationType, InteractionContextType } from 'discord.js';
import { askerOf } from '../src/asker.ts';
import type { Answer } from '../src/card.ts';
import { MAX_CARD_ID_LENGTH, parseCardId } from '../src/card-id.ts';
import type { Asked, Command, Message, Parts, Response } from '../src/discord/command.ts';
import type { CardServiceError } from '../src/errors.ts';
import { cardEmbed } from '../src/render/card-embed.ts';
import { words } from '../src/render/words.ts';
import { type CardQuestion, REPLY_LIFE_MS } from '../src/replies/debt.ts';

export default {
  data: new SlashCommandBuilder()
    .setName('card')
    .setDescription('Show a trading card: picture, set, rarity and prices')
    .setContexts(InteractionContextType.Guild, InteractionContextType.BotDM)
    .setIntegrationTypes(ApplicationIntegrationType.GuildInstall)
    .addStringOption((option) =>
      option
        .setName('id')
        .setDescription('The card id, such as base1-4')
        .setRequired(true)
        .setMinLength(1)
        .setMaxLength(MAX_CARD_ID_LENGTH),
    )
    .addBooleanOption((option) => option.setName('prices').setDescription('Show prices (default: yes)'))
    .addBooleanOption((option) => option.setName('private').setDescription('Show the card only to you (default: no)'))
    .toJSON(),

  async run(asked, parts) {
    const question: CardQuestion = {
      cardId: parseCardId(asked.options.getString('id', true)),
      showPrices: asked.options.getBoolean('prices') ?? true,
    };
    const isPrivate = asked.options.getBoolean('private') ?? false;
    const known = await parts.lookup.known(question.cardId, question.showPrices);
    switch (known.kind) {
      case 'fresh':
        parts.ledger.saved(asked);
        return {
          kind: 'reply',
          private: isPrivate,
          source: 'cache',
          message: show(question, known.answer, asked, parts),
        };
      case 'old':
        return replyAndRenew(question, known.answer, isPrivate, asked, parts);
      case 'nothing': {
        const deadlineMs = asked.receivedAtMs + REPLY_LIFE_MS;
        const admission = await parts.line.admit({ ...question, lane: 'members', asker: askerOf(asked), deadlineMs });
        if ('refusal' in admission) throw admission.refusal;
        return { kind: 'owe', private: isPrivate, question, place: admission.place };
      }
    }
  },

  pay: ({ question, locale }, outcome, parts) =>
    'answer' in outcome ? show(question, outcome.answer, { locale }, parts) : { content: outcome.error.userMessage },
} satisfies Command;

/** The old copy at once; the new one, or why there is none, as a correction. */
async function replyAndRenew(
  question: CardQuestion,
  old: Answer,
  isPrivate: boolean,
  asked: Asked,
  parts: Parts,
): Promise<Response> {
  const deadlineMs = asked.receivedAtMs + parts.longestWaitMs;
  const admission = await parts.line.admit({ ...question, lane: 'background', asker: askerOf(asked), deadlineMs });
  const base = { kind: 'reply', private: isPrivate, source: 'old copy' } as const;
  if ('refusal' in admission) {
    return { ...base, message: show(question, old, asked, parts, words.notRenewed(admission.refusal.userMessage)) };
  }
  const renewed = admission.place.take();
  return {
    ...base,
    message: show(question, old, asked, parts, words.renewing),
    correction: renewed.then(
      (answer) => show(question, answer, asked, parts),
      (error: CardServiceError) => show(question, old, asked, parts, words.notRenewed(error.userMessage)),
    ),
  };
}

function show(
  { cardId, showPrices }: CardQuestion,
  answer: Answer,
  { locale }: Pick<Asked, 'locale'>,
  { pacer, numbers }: Parts,
  note?: string,
): Message {
  const { card } = answer;
  if (card === undefined) {
    return { content: [words.noSuchCard(cardId, answer.askedAtMs), note].filter(Boolean).join('\n') };
  }
  return { embeds: [cardEmbed({ card, answer, showPrices, locale, numbers, quota: pacer.quota(), note })] };
}
