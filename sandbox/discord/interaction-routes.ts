import { apiMessage } from './api-message.ts';
import type { Autocompletions } from './autocompletions.ts';
import { isEphemeral, parseCallback, parseChoices } from './callback-rules.ts';
import type { Conversations } from './conversations.ts';
import { readMessage } from './message-rules.ts';
import { type Moderation, moderate } from './moderation.ts';
import { NO_CONTENT, ok, type RestRequest, type Routes } from './route.ts';
import type { World } from './world.ts';

/** The calls with which a bot answers: the callback and the interaction's webhook. */
export function interactionRoutes(
  conversations: Conversations,
  autocompletions: Autocompletions,
  world: World,
  moderation: Moderation,
): Routes {
  const conversationOf = ({ params }: RestRequest) => conversations.webhook(params.token ?? '');
  const messageOf = ({ params }: RestRequest) => params.message ?? '';
  const WEBHOOK = '/webhooks/:application/:token';
  const MESSAGE = `${WEBHOOK}/messages/:message`;

  return {
    'POST /interactions/:id/:token/callback': ({ params: { id = '', token = '' }, json, files }) => {
      const autocompletion = autocompletions.find(id, token);
      if (autocompletion) {
        autocompletion.answer(parseChoices(json, autocompletion.locale));
        return NO_CONTENT;
      }
      const conversation = conversations.interaction(id, token);
      const callback = parseCallback(json, conversation.details);
      if (callback.kind === 'reply') moderate(callback.form, callback.ephemeral, moderation, ['data']);
      if (callback.kind === 'update') moderate(callback.form, false, moderation, ['data']);
      conversation.acknowledge(callback, files);
      return NO_CONTENT;
    },
    [`PATCH ${MESSAGE}`]: (request) => {
      const conversation = conversationOf(request);
      const { id, ephemeral } = conversation.sent(messageOf(request)).message;
      const form = readMessage(request.json);
      moderate(form, ephemeral, moderation);
      conversation.edit(id, form, request.files);
      return ok(apiMessage(conversation.sent(id), world));
    },
    [`GET ${MESSAGE}`]: (request) => ok(apiMessage(conversationOf(request).sent(messageOf(request)), world)),
    [`DELETE ${MESSAGE}`]: (request) => {
      conversationOf(request).delete(messageOf(request));
      return NO_CONTENT;
    },
    [`POST ${WEBHOOK}`]: (request) => {
      const conversation = conversationOf(request);
      const form = readMessage(request.json);
      moderate(form, isEphemeral(form), moderation);
      return ok(apiMessage(conversation.followUp(form, isEphemeral(form), request.files), world));
    },
  };
}
