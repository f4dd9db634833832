import { CreatePrivateChannelRequestSchema, MessageCreateRequestSchema } from 'discord-api-spec/zod';
import { ChannelType, InteractionType } from 'discord-api-types/v10';

import { ApiError } from './api-error.ts';
import { apiMessage } from './api-message.ts';
import type { ChannelOpenings } from './channel-openings.ts';
import type { Member } from './chat.ts';
import { readForm } from './forms.ts';
import { DISCORD_LIFETIMES } from './interaction.ts';
import { readMessage } from './message-rules.ts';
import { channelId } from './place.ts';
import { ok, type Routes } from './route.ts';
import { type InteractionServices, sentMessage } from './start-interaction.ts';
import { apiUser } from './world.ts';

interface Services extends Pick<InteractionServices, 'world' | 'conversations' | 'files' | 'nextId' | 'origin'> {
  /** The ids of members who take no direct messages. */
  refusing: ReadonlySet<string>;
  openings: ChannelOpenings;
}

// "Unique in the past few minutes": resources/message, "Create Message"
const NONCE_KEPT_MS = 180_000;

/** A conversation that no interaction began. */
const UNASKED = {
  type: InteractionType.ApplicationCommand as const,
  owners: { 0: '0' },
  lifetimes: DISCORD_LIFETIMES,
  hasSource: false,
  isForcedPrivate: false,
};

interface Once {
  nonce?: string | number | null;
  enforce_nonce?: boolean | null;
}

/** The calls with which a bot writes to a member by itself. It writes nowhere else here. */
export function directMessageRoutes({ world, conversations, refusing, openings, ...sending }: Services): Routes {
  const at = { guildId: null, context: 1 } as const;
  const channelOf = ({ id }: Member) => channelId({ ...at, memberId: id });
  const byChannel = new Map(world.members.map((member) => [channelOf(member), member]));
  return {
    'POST /users/@me/channels': ({ json }) => {
      const { recipient_id } = readForm<{ recipient_id?: string }>(CreatePrivateChannelRequestSchema, json);
      const member = world.members.find(({ id }) => id === recipient_id);
      if (!member) throw new ApiError('invalidRecipient');
      const channel = { id: channelOf(member), type: ChannelType.DM, last_message_id: null, flags: 0 };
      return openings.answer(() => ok({ ...channel, recipients: [apiUser(member)] }));
    },
    'POST /channels/:channel/messages': ({ params: { channel = '' }, json, files }) => {
      const { nonce, enforce_nonce } = readForm<Once>(MessageCreateRequestSchema, json);
      const form = readMessage(json);
      const member = byChannel.get(channel);
      if (!member) throw new ApiError('unknownChannel');
      if (refusing.has(member.id)) throw new ApiError('takesNoMessages');
      const earlier = enforce_nonce && nonce != null && conversations.posted(nonce, Date.now() - NONCE_KEPT_MS);
      if (earlier) return ok(apiMessage(earlier, world));
      const message = {
        ...sentMessage(sending.nextId(), { ...at, member }),
        ...({ trigger: 'message', commandLine: '' } as const),
      };
      const begun = { ...sending, ...UNASKED, channelId: channel, nonce: nonce ?? undefined, message };
      return ok(apiMessage(conversations.post(begun, form, files), world));
    },
  };
}
