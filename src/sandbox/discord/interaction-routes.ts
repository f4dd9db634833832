import { InteractionResponseType as Type } from 'discord-api-types/v10';

import { apiMessage, callbackResponse } from './api-message.ts';
import { isEphemeral, parseCallback } from './callback-rules.ts';
import type { Conversations } from './conversations.ts';
import { parseForm } from './form-error.ts';
import { MessageForm } from './message-rules.ts';
import { NO_CONTENT, ok, type RestRequest, type Route } from './route.ts';
import type { World } from './world.ts';

/** What a bot calls to answer: the callback and the interaction's webhook. */
export function interactionRoutes(conversations: Conversations, world: World): Route[] {
  const conversationOf = ({ params }: RestRequest) => conversations.webhook(params.token ?? '');
  const messageOf = ({ params }: RestRequest) => params.message ?? '';
  const MESSAGE = '/webhooks/:application/:token/messages/:message';

  return [
    {
      method: 'POST',
      path: '/interactions/:id/:token/callback',
      needsBotToken: false,
      answer({ params, query, json, files }) {
        const conversation = conversations.interaction(params.id ?? '', params.token ?? '');
        const callback = parseCallback(json);
        conversation.acknowledge(callback, files);
        if (query.get('with_response') !== 'true') return NO_CONTENT;
        const type = callback.kind === 'reply' ? Type.ChannelMessageWithSource : Type.DeferredChannelMessageWithSource;
        return ok(callbackResponse(conversation, type, world));
      },
    },
    {
      method: 'PATCH',
      path: MESSAGE,
      needsBotToken: false,
      answer(request) {
        const conversation = conversationOf(request);
        const { id } = conversation.sent(messageOf(request));
        conversation.edit(id, parseForm(MessageForm, request.json), request.files);
        return ok(apiMessage(conversation, id, world));
      },
    },
    {
      method: 'GET',
      path: MESSAGE,
      needsBotToken: false,
      answer: (request) => ok(apiMessage(conversationOf(request), messageOf(request), world)),
    },
    {
      method: 'DELETE',
      path: MESSAGE,
      needsBotToken: false,
      answer(request) {
        conversationOf(request).delete(messageOf(request));
        return NO_CONTENT;
      },
    },
    {
      method: 'POST',
      path: '/webhooks/:application/:token',
      needsBotToken: false,
      answer(request) {
        const conversation = conversationOf(request);
        const form = parseForm(MessageForm, request.json);
        const id = conversation.followUp(form, isEphemeral(form), request.files);
        return ok(apiMessage(conversation, id, world));
      },
    },
  ];
}
