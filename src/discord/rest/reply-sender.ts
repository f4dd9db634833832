import {
  type APIApplicationCommandOptionChoice,
  ComponentType,
  DiscordAPIError,
  InteractionResponseType,
  MessageFlags,
  type RawFile,
  type REST,
  RESTJSONErrorCodes,
  type RouteLike,
  Routes,
  TextInputStyle,
} from 'discord.js';
import { z } from 'zod';
import { Incident, type Logger } from '../../log.ts';
import type { Invocation } from '../../model/invocation.ts';
import type { Form, FormField, Message, Sent } from '../../model/message.ts';
import { formatMessage } from '../../render/messages.ts';
import type { CardsReply, EditResult, FirstResult, Prevented, ReplySender, ShownReply } from '../../replies/ports.ts';
import {
  codeOf,
  FIRST_ANSWER_MS,
  type FirstAnswer,
  failedEdit,
  failedFollowUp,
  NO_MENTIONS,
  sendAgain,
  sendFirstAnswer,
} from './requests.ts';

/** Covers a connection that was closed; after that the caller decides when to try again. */
const EDIT_AGAIN_MS = 200;
const IN_PRIVATE = { flags: MessageFlags.Ephemeral };
/** Discord keeps whatever an edit leaves out. */
const NOTHING_ELSE = { content: '', embeds: [], components: [] };
/** The answer waits for what is read here. */
const READ_TIMEOUT_MS = 1_000;

const OriginalMessage = z.object({ content: z.string(), embeds: z.array(z.unknown()) });

/** What the bot shows for interactions: a first answer to each, and edits of it. No method rejects. */
export class RestReplySender implements ReplySender {
  readonly #rest: REST;
  readonly #log: Logger;
  readonly #outage: Incident;

  constructor(rest: REST, log: Logger) {
    this.#rest = rest;
    this.#log = log;
    this.#outage = new Incident(log, {
      level: 'error',
      begins: 'discord accepts no edits: they are repeated until it does',
      ends: 'discord accepts edits again',
    });
  }

  async reply(to: Invocation, message: Message, isPrivate: boolean, isInPlace = false): Promise<FirstResult> {
    return this.#explained(to, await this.#reply(to, message, isPrivate, isInPlace));
  }

  async defer(to: CardsReply): Promise<FirstResult> {
    const data = to.asked.isPrivate ? IN_PRIVATE : {};
    const thinking = { type: InteractionResponseType.DeferredChannelMessageWithSource, data };
    return this.#explained(to, await sendFirstAnswer(this.#rest, to, thinking));
  }

  async edit(edited: Invocation, message: Message, isPrivate: boolean): Promise<EditResult> {
    const { body: shown, files } = messageBody(message);
    const request = { auth: false, body: { ...NOTHING_ELSE, ...shown }, files };
    const failed = await sendAgain(EDIT_AGAIN_MS, () => this.#rest.patch(originalOf(edited), request));
    if (!failed) {
      this.#outage.succeeded();
      return 'shown';
    }
    const { err } = failed;
    const left = this.#leftOf(message, err, edited);
    if (left) return this.edit(edited, left, isPrivate);
    const ageMs = Date.now() - edited.receivedAtMs;
    if (codeOf(err) === RESTJSONErrorCodes.UnknownWebhook && ageMs < FIRST_ANSWER_MS) {
      return this.#answerFirst(edited, message, isPrivate);
    }
    const result = failedEdit(err, ageMs);
    if (result !== 'failed')
      this.#log[result === 'refused' ? 'error' : 'info'](about(edited, err), 'reply cannot be edited');
    else if (codeOf(err) === undefined) this.#outage.failed(about(edited, err)); // otherwise Discord has answered
    return result;
  }

  /** The "thinking…" has not reached Discord, so there is nothing to edit; a first answer is still possible. */
  async #answerFirst(to: Invocation, message: Message, isPrivate: boolean): Promise<EditResult> {
    const first = await this.#reply(to, message, isPrivate);
    // With an earlier answer, or one that is not confirmed, there may be a reply after all, so the edit can succeed.
    if (first.shown) return first.isEarlier || first.err !== undefined ? 'failed' : 'shown';
    this.#log.info(about(to, first.err), 'reply cannot be sent');
    return first.refusal ?? 'lost';
  }

  async read(to: CardsReply): Promise<ShownReply | undefined> {
    try {
      const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
      return OriginalMessage.parse(await this.#rest.get(originalOf(to), { auth: false, signal }));
    } catch (err) {
      // Refused: there is none, as the edit will show.
      return codeOf(err) === undefined ? undefined : { content: '', embeds: [] };
    }
  }

  /** Costs two requests to Discord. */
  async deleteSource(to: Invocation): Promise<Prevented> {
    const first = await this.#acknowledge(to);
    if (!first?.shown) return preventedBy(first);
    const failed = await sendAgain(EDIT_AGAIN_MS, () => this.#rest.delete(originalOf(to), { auth: false }));
    // It was acknowledged just now, whatever the clock says.
    const isGone = !failed || ['deleted', 'lost'].includes(failedEdit(failed.err, 0));
    return isGone ? {} : { outcome: 'not answered', err: failed.err };
  }

  /** Leaves the message whose button was used as it is; one that is gone needs no answer. */
  async acknowledge(to: Invocation): Promise<Prevented> {
    return preventedBy(await this.#acknowledge(to));
  }

  /** @returns `undefined` when the message is gone */
  async #acknowledge(to: Invocation): Promise<FirstResult | undefined> {
    const sent = await sendFirstAnswer(this.#rest, to, { type: InteractionResponseType.DeferredMessageUpdate });
    return codeOf(sent.err) === RESTJSONErrorCodes.UnknownMessage ? undefined : this.#explained(to, sent);
  }

  /** Opens a form. */
  async open(to: Invocation, form: Form): Promise<Prevented> {
    const data = { custom_id: form.customId, title: form.title, components: form.fields.map(labelled) };
    const modal = { type: InteractionResponseType.Modal, data };
    return preventedBy(await this.#explained(to, await sendFirstAnswer(this.#rest, to, modal)));
  }

  /** Suggestions for the option that is being typed. */
  suggest(to: Invocation, choices: readonly APIApplicationCommandOptionChoice[]): Promise<FirstResult> {
    const suggestions = { type: InteractionResponseType.ApplicationCommandAutocompleteResult, data: { choices } };
    return sendFirstAnswer(this.#rest, to, suggestions);
  }

  /**
   * One more message to the member alone, below a reply that shows its answer: it would complete one that does not.
   * Costs one request to Discord, which is not sent again.
   */
  async followUp(to: Invocation, message: Message): Promise<Sent> {
    const { applicationId, token } = to.webhook;
    const { body, files } = messageBody(message);
    try {
      const request = { auth: false, body: { ...body, ...IN_PRIVATE }, files };
      await this.#rest.post(Routes.webhook(applicationId, token), request);
      return 'sent';
    } catch (err) {
      const left = this.#leftOf(message, err, to);
      if (left) return this.followUp(to, left);
      const sent = failedFollowUp(err);
      this.#log[sent === 'refused' ? 'warn' : 'info'](about(to, err), 'a message below a reply cannot be sent');
      return sent;
    }
  }

  async #reply(to: Invocation, message: Message, isPrivate: boolean, isInPlace = false): Promise<FirstAnswer> {
    const { body, files } = messageBody(message);
    const { ChannelMessageWithSource, UpdateMessage } = InteractionResponseType;
    const data = isInPlace ? { ...NOTHING_ELSE, ...body } : { ...body, ...(isPrivate && IN_PRIVATE) };
    const type = isInPlace ? UpdateMessage : ChannelMessageWithSource;
    const first = await sendFirstAnswer(this.#rest, to, { type, data }, files);
    const left = first.refusal && this.#leftOf(message, first.err, to);
    return left ? this.#reply(to, left, isPrivate, isInPlace) : first;
  }

  /** What is sent again of a message that Discord refuses; `undefined`: nothing. */
  #leftOf(message: Message, err: unknown, to: Invocation): Message | undefined {
    const left = withoutRefused(message, err);
    if (left) this.#log.warn(about(to, err), 'discord refuses a part of a reply: it is shown without');
    return left;
  }

  /** In place of an answer that Discord refuses, the member reads a private sentence. */
  async #explained(to: Invocation, first: FirstAnswer): Promise<FirstResult> {
    if (first.refusal === undefined) return first;
    const isBlocked = first.refusal === 'blocked';
    const content = formatMessage(to.locale, isBlocked ? 'blockedByAutoMod' : 'broken');
    const plain = await this.#reply(to, { content }, true);
    if (plain.isEarlier) return plain;
    const isRead = plain.shown && plain.err === undefined;
    if (isBlocked && isRead) return { shown: false, outcome: 'blocked' };
    return { shown: false, outcome: isRead ? 'broken' : 'not answered', err: first.err };
  }
}

function originalOf({ webhook }: Invocation): RouteLike {
  return Routes.webhookMessage(webhook.applicationId, webhook.token);
}

/** For the log. */
function about({ command, requester }: Invocation, err: unknown): object {
  return { command, member: requester.memberId, err };
}

function preventedBy(first: FirstResult | undefined): Prevented {
  return first && !first.shown ? { outcome: first.outcome, err: first.err } : {};
}

/** A message as Discord's REST takes it, with its files as parts of their own. It notifies nobody. */
function messageBody({ files = [], ...message }: Message): { body: object; files: RawFile[] } {
  const attachments = files.map(({ name, description }, at) => ({ id: String(at), filename: name, description }));
  return { body: { ...message, allowed_mentions: NO_MENTIONS, attachments }, files: [...files] };
}

/** A field of a form as Discord's REST takes it. */
function labelled({ id, label, placeholder, value, maxLength, lines, isOptional = false }: FormField): object {
  const style = lines === 'one' ? TextInputStyle.Short : TextInputStyle.Paragraph;
  const input = { type: ComponentType.TextInput, custom_id: id, style, placeholder, value, max_length: maxLength };
  return { type: ComponentType.Label, label, component: { ...input, required: !isOptional } };
}

/** What a message can do without, in a path that Discord names: as little as will do. */
const PART =
  /^\.(?:data\.)?(content|attachments|embeds\.\d+(?:\.\w+)?|components\.\d+(?:\.components\.\d+(?:\.options\.\d+|\.emoji)?)?)(?:\.|$)/;

type Tree = { [key: string]: Tree };

/**
 * The message without what Discord's error names in it, so that one bad part does not lose the others. Without pictures
 * and files, if it names a file or nothing. A row or a menu that is empty then is named by the next refusal.
 *
 * @returns `undefined` when that changes nothing, or leaves nothing
 */
export function withoutRefused(message: Message, err: unknown): Message | undefined {
  if (!(err instanceof DiscordAPIError)) return undefined;
  const isTooLarge = err.code === RESTJSONErrorCodes.RequestEntityTooLarge;
  if (!isTooLarge && err.code !== RESTJSONErrorCodes.InvalidFormBodyOrContentType) return undefined;
  const { errors = {} } = err.rawError as { errors?: Tree };
  const named = pathsIn(errors).flatMap((path) => PART.exec(path)?.[1] ?? []);
  const pictures = (message.embeds ?? []).flatMap((_, at) => [`embeds.${at}.image`, `embeds.${at}.thumbnail`]);
  const isOfFiles = named.length === 0 || named.includes('attachments');
  const left = structuredClone(message);
  const lastFirst = [...new Set(isOfFiles ? [...named, ...pictures, 'files'] : named)].sort((a, b) =>
    b.localeCompare(a, 'en', { numeric: true }),
  );
  const isChanged = lastFirst.map((path) => remove(left, path.split('.'))).includes(true);
  return isChanged && (left.content || left.embeds?.length) ? left : undefined;
}

/** The paths in a tree of Discord's errors (https://docs.discord.com/developers/reference#error-messages). */
function pathsIn(tree: Tree, path = ''): string[] {
  return Object.entries(tree).flatMap(([key, below]) => (key === '_errors' ? path : pathsIn(below, `${path}.${key}`)));
}

/** @returns whether it was there */
function remove(root: object, path: readonly string[]): boolean {
  const last = path.at(-1) ?? '';
  const parent = path.slice(0, -1).reduce((node: Tree | undefined, key) => node?.[key], root as Tree);
  if (parent?.[last] === undefined) return false;
  return Array.isArray(parent) ? parent.splice(Number(last), 1).length > 0 : delete parent[last];
}
