import type { APIAttachment, APIEmbed } from 'discord-api-types/v10';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { ChatMessage, FollowUp, Modal, Post, UsableComponent } from '../discord/chat.ts';
import { avatarOf, BOT_NAME, botAvatar } from './avatars.ts';
import { Link, Markdown, type Reader } from './text.tsx';
import { isPrivate } from './viewer.ts';

export interface MessageView {
  reader: Reader;
  /** The names of the context menu commands of a message. */
  menu: readonly string[];
  actions: MessageActions;
}

/** The actions of a reader on a message. */
export interface MessageActions {
  /** A click on a button or, with values, a choice. */
  use(messageId: string, customId: string, values?: string[]): void;
  /** Picks a context menu command. */
  pick(messageId: string, command: string): void;
  /** Submits the form with which the bot answered; `done` is called when Discord has accepted it. */
  submit(interactionId: string, values: Record<string, string>, done: () => void): void;
}

interface MessageProps {
  message: ChatMessage;
  view: MessageView;
  dismiss(): void;
}

/** One command and its reply, or what the bot wrote by itself. */
export function Message({ message, view, dismiss }: MessageProps) {
  const { trigger, state, edited, answeredAtMs, typedAtMs } = message;
  const isEphemeral = isPrivate(message) && state !== 'sent';
  return (
    <article class={isEphemeral ? 'message private' : 'message'}>
      {trigger !== 'message' && <Use message={message} />}
      <Frame
        name={BOT_NAME}
        picture={botAvatar()}
        atMs={answeredAtMs ?? typedAtMs}
        locale={view.reader.locale}
        isEdited={edited}
        isBot
      >
        <Reply {...{ message, view, dismiss }} />
        {isEphemeral && (
          <p class="quiet">
            Only you can see this •{' '}
            <button type="button" class="link" onClick={dismiss}>
              Dismiss message
            </button>
          </p>
        )}
      </Frame>
    </article>
  );
}

/** A message that a member wrote. */
export function PostedMessage({ post, view }: { post: Post; view: MessageView }) {
  const { messageId, member, content, postedAtMs } = post;
  return (
    <article class="message">
      <Frame name={member.name} picture={avatarOf(member.name)} atMs={postedAtMs} locale={view.reader.locale}>
        <Markdown source={content} reader={view.reader} />
        <Apps messageId={messageId} view={view} />
      </Frame>
    </article>
  );
}

interface FrameProps {
  name: string;
  picture: string;
  atMs: number;
  locale: string;
  isBot?: boolean;
  isEdited?: boolean;
  children: ComponentChildren;
}

function Frame({ name, picture, atMs, locale, isBot, isEdited, children }: FrameProps) {
  const when = new Date(atMs);
  const isToday = when.toDateString() === new Date().toDateString();
  const clock = when.toLocaleString(locale, { timeStyle: 'short', ...(!isToday && { dateStyle: 'short' }) });
  return (
    <>
      <img class="avatar" src={picture} alt="" />
      <div class="said">
        <p class="author">
          <b>{name}</b>
          {isBot && <span class="app">APP</span>}
          <span class="quiet">{clock}</span>
          {isEdited && <span class="quiet">(edited)</span>}
        </p>
        {children}
      </div>
    </>
  );
}

/** What the member did: the line of a slash command, otherwise the label of what was clicked. */
function Use({ message: { member, commandLine } }: { message: ChatMessage }) {
  return (
    <p class="use quiet" title={commandLine}>
      <img src={avatarOf(member.name)} alt="" /> <b>{member.name}</b> used <span class="command">{commandLine}</span>
    </p>
  );
}

function Reply({ message, view, dismiss }: MessageProps) {
  const { state, failure, interactionId, modal, followUps = [] } = message;
  if (state === 'sent') return <span class="quiet">Sending command…</span>;
  if (state === 'failed') return <span class="failed">{failure ?? 'The application did not respond'}</span>;
  if (state === 'thinking') {
    return (
      <span class="quiet">
        <span class="dots" aria-hidden="true" /> {BOT_NAME} is thinking…
      </span>
    );
  }
  if (modal)
    return <ModalForm modal={modal} submit={(values) => view.actions.submit(interactionId, values, dismiss)} />;
  return [message, ...followUps].map((part) => <Contents key={part.messageId} part={part} view={view} />);
}

function Contents({ part, view }: { part: ChatMessage | FollowUp; view: MessageView }) {
  const { messageId, content, embeds, attachments, components } = part;
  const { reader, actions } = view;
  return (
    <>
      {content !== '' && <Markdown source={content} reader={reader} />}
      {embeds.map((embed, at) => (
        <Embed key={at} embed={embed} reader={reader} />
      ))}
      {attachments.map((attachment) => (
        <Attachment key={attachment.id} attachment={attachment} locale={reader.locale} />
      ))}
      {messageId !== undefined &&
        components.map((row) => (
          <div key={row.id} class="components">
            {row.components.map((component) => (
              <Usable key={component.id} component={component} use={(...used) => actions.use(messageId, ...used)} />
            ))}
          </div>
        ))}
      {messageId !== undefined && <Apps messageId={messageId} view={view} />}
    </>
  );
}

/** As Discord shows it: Markdown in title, description and field values, not in author and footer. */
function Embed({ embed, reader }: { embed: APIEmbed; reader: Reader }) {
  const { color, author, title, url, description, fields = [], image, thumbnail, footer, timestamp } = embed;
  const when = timestamp === undefined ? undefined : new Date(timestamp).toLocaleString(reader.locale);
  const footnote = [footer?.text, when].filter(Boolean).join(' • ');
  const heading = title && <Markdown source={title} reader={reader} />;
  return (
    <div class="embed" style={color ? { borderColor: `#${color.toString(16).padStart(6, '0')}` } : {}}>
      {author && <div class="embed-author">{author.name}</div>}
      {heading && (
        <div class="embed-title">{url && /^https?:/i.test(url) ? <Link href={url}>{heading}</Link> : heading}</div>
      )}
      {description && <Markdown source={description} reader={reader} />}
      {fields.length > 0 && (
        <div class="embed-fields">
          {fields.map(({ name, value, inline }, at) => (
            <div key={at} class={inline ? 'embed-field inline' : 'embed-field'}>
              <b>
                <Markdown source={name} reader={reader} />
              </b>
              <Markdown source={value} reader={reader} />
            </div>
          ))}
        </div>
      )}
      {image && <img class="embed-image" src={image.proxy_url} alt={describedBy(image)} />}
      {thumbnail && <img class="embed-thumbnail" src={thumbnail.proxy_url} alt={describedBy(thumbnail)} />}
      {footnote && <div class="embed-footer">{footnote}</div>}
    </div>
  );
}

function describedBy({ description = 'Image' }: { description?: string }): string {
  return description;
}

function Attachment({ attachment, locale }: { attachment: APIAttachment; locale: string }) {
  const { url, filename, size, content_type, description } = attachment;
  if (content_type?.startsWith('image/')) return <img class="attachment" src={url} alt={description ?? filename} />;
  return (
    <p>
      <Link href={url}>{filename}</Link> {size.toLocaleString(locale)} bytes
    </p>
  );
}

type Use = (customId: string, values?: string[]) => void;

const BUTTON_STYLES = ['', 'primary', 'secondary', 'success', 'danger'];

/** A button or a select menu; components/reference, "Component Structure". */
function Usable({ component, use }: { component: UsableComponent; use: Use }) {
  if ('options' in component) return <Menu menu={component} use={use} />;
  if (!('label' in component || 'emoji' in component)) return null;
  const words = [component.emoji?.name, component.label].filter(Boolean).join(' ');
  if ('url' in component) return <Link href={component.url}>{words}</Link>;
  const { custom_id, style, disabled } = component;
  return (
    <button type="button" class={BUTTON_STYLES[style]} disabled={disabled} onClick={() => use(custom_id)}>
      {words}
    </button>
  );
}

/**
 * A menu of which one value is chosen. While it is closed arrow keys and letters choose the values on the way, too, and Enter
 * sends; otherwise it opens the list.
 */
function Menu({ menu, use }: { menu: Extract<UsableComponent, { options: unknown }>; use: Use }) {
  const { custom_id, placeholder = 'Make a selection', disabled, options } = menu;
  const isOnTheWay = useRef(false);
  return (
    <select
      aria-label={placeholder}
      disabled={disabled}
      onPointerDown={() => {
        isOnTheWay.current = false;
      }}
      onKeyDown={(event) => {
        const { key, altKey, currentTarget } = event;
        const isSent = key === 'Enter' && isOnTheWay.current && currentTarget.value !== '';
        isOnTheWay.current = key !== 'Enter' && key !== ' ' && !altKey;
        if (!isSent) return;
        event.preventDefault();
        use(custom_id, [currentTarget.value]);
      }}
      onChange={({ currentTarget }) => {
        if (!isOnTheWay.current) use(custom_id, [currentTarget.value]);
      }}
    >
      <option value="" disabled selected={options.every((option) => !option.default)}>
        {placeholder}
      </option>
      {options.map(({ label, value, description, default: isChosen = false }) => (
        <option key={value} value={value} selected={isChosen}>
          {description ? `${label} · ${description}` : label}
        </option>
      ))}
    </select>
  );
}

/** The context menu of a message. */
function Apps({ messageId, view: { menu, actions } }: { messageId: string; view: MessageView }) {
  const root = useRef<HTMLDetailsElement>(null);
  const close = () => root.current?.removeAttribute('open');
  if (menu.length === 0) return null;
  return (
    <details
      ref={root}
      class="apps"
      onFocusOut={({ relatedTarget }) => {
        if (!(relatedTarget instanceof Node && root.current?.contains(relatedTarget))) close();
      }}
    >
      <summary>Apps</summary>
      {menu.map((command) => (
        <button
          key={command}
          type="button"
          onClick={() => {
            close();
            actions.pick(messageId, command);
          }}
        >
          {command}
        </button>
      ))}
    </details>
  );
}

const MANY_LINES = 2;

/** The form with which the bot answered. @param submit gets the values of the fields, by `custom_id` */
function ModalForm({ modal, submit }: { modal: Modal; submit: (values: Record<string, string>) => void }) {
  return (
    <form
      class="modal"
      aria-label={modal.title}
      onSubmit={(event) => {
        event.preventDefault();
        const values = Array.from(new FormData(event.currentTarget), ([name, value]) => [name, String(value)]);
        submit(Object.fromEntries(values));
      }}
    >
      <h2>{modal.title}</h2>
      {modal.components.map(({ label, description, component }) => {
        const { custom_id: name, style, value, placeholder, required = true, min_length, max_length } = component;
        const Field = style === MANY_LINES ? 'textarea' : 'input';
        return (
          <label key={name} title={description}>
            <span>{label}</span>
            <Field
              defaultValue={value}
              {...{ name, placeholder, required, minLength: min_length, maxLength: max_length }}
            />
          </label>
        );
      })}
      <button type="submit" class="send">
        Submit
      </button>
    </form>
  );
}
