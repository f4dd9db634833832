import { InteractionResponseType, MessageFlags, type REST, Routes } from 'discord.js';
import type { DeferredReply } from '../../replies/deferred-reply.ts';
import type { Message } from '../interactions/command.ts';
import { NO_MENTIONS } from './mentions.ts';

/** What of an interaction is needed to answer it first. */
export type Interacted = Pick<DeferredReply, 'interactionId' | 'token'>;

/** The first answer. @throws what discord.js' REST client throws */
export async function reply(rest: REST, to: Interacted, message: Message, isPrivate: boolean): Promise<void> {
  const data = { ...message, allowed_mentions: NO_MENTIONS, ...flags(isPrivate) };
  await callBack(rest, to, { type: InteractionResponseType.ChannelMessageWithSource, data });
}

/** "thinking…". @throws what discord.js' REST client throws */
export async function defer(rest: REST, to: Interacted, isPrivate: boolean): Promise<void> {
  await callBack(rest, to, {
    type: InteractionResponseType.DeferredChannelMessageWithSource,
    data: flags(isPrivate),
  });
}

/** No suggestions, for an option that is being typed. @throws what discord.js' REST client throws */
export async function suggestNothing(rest: REST, to: Interacted): Promise<void> {
  await callBack(rest, to, {
    type: InteractionResponseType.ApplicationCommandAutocompleteResult,
    data: { choices: [] },
  });
}

// Not the interaction's own reply(): that renames each key of an embed that has Discord's names already, which takes
// longer than to render it.
function callBack(rest: REST, { interactionId, token }: Interacted, body: object): Promise<unknown> {
  return rest.post(Routes.interactionCallback(interactionId, token), { auth: false, body });
}

function flags(isPrivate: boolean): { flags?: MessageFlags } {
  return isPrivate ? { flags: MessageFlags.Ephemeral } : {};
}
