import type { APIEmbed } from 'discord-api-types/v10';
import { useContext, useRef } from 'preact/hooks';
import type { ChatMessage, FollowUp, Modal, UsableComponent } from '../discord/chat.ts';
import { avatarOf, BOT_NAME, botAvatar } from './avatars.ts';
import { Link, Markdown, Reading } from './text.tsx';
import { isPrivate } from './viewer.ts';

/** What a reader can do with a message. */
export interface MessageActions {
  /** The names of the commands in its context menu. */
  menu: readonly string[];
  /** Picks one of them. */
  pick(messageId: string, command: string): void;
  /** A click on a button or, with values, a choice. */
  use(messageId: string, customId: string, values?: string[]): void;
  /** Submits the form with which the bot answered; `done` is called when Discord has accepted it. */
  submit(interactionId: string, values: Record<string, string>, done: () => void): void;
}

interface MessageProps {
  message: ChatMessage;
  actions: MessageActions;
  dismiss(): void;
}

/** One command and its reply, what the bot wrote by itself, or what a member wrote. */
export function Message({ message, actions, dismiss }: MessageProps) {
  const { trigger, state, member, commandLine, edited, answeredAtMs, typedAtMs } = message;
  const { locale } = useContext(Reading);
  const isEphemeral = isPrivate(message) && state !== 'sent';
  const isPost = trigger === 'post';
  const [name, picture] = isPost ? [member.name, avatarOf(member.name)] : [BOT_NAME, botAvatar()];
  const when = new Date(answeredAtMs ?? typedAtMs);
  const isToday = when.toDateString() === new Date().toDateString();
  return (
    <article class={isEphemeral ? 'message private' : 'message'}>
      {!isPost && trigger !== 'message' && (
        <p class="use quiet" title={commandLine}>
          <img src={avatarOf(member.name)} alt="" /> <b>{member.name}</b> used{' '}
          <span class="command">{commandLine}</span>
        </p>
      )}
      <img class="avatar" src={picture} alt="" />
      <div class="said">
        <p class="author">
          <b>{name}</b>
          {!isPost && <span class="app">APP</span>}
          <span class="quiet">
            {when.toLocaleString(locale, { timeStyle: 'short', ...(!isToday && { dateStyle: 'short' }) })}
          </span>
          {edited && <span class="quiet">(edited)</span>}
        </p>
        <Reply {...{ message, actions, dismiss }} />
        {isEphemeral && (
          <p class="quiet">
            Only you can see this •{' '}
            <button type="button" class="link" onClick={dismiss}>
              Dismiss message
            </button>
          </p>
        )}
      </div>
    </article>
  );
}

function Reply({ message, actions, dismiss }: MessageProps) {
  const { state, failure, interactionId, modal, followUps = [] } = message;
  if (state === 'sent') return <span class="quiet">Sending command…</span>;
  if (state === 'failed') return <span class="failed">{failure}</span>;
  if (state === 'thinking') {
    return (
      <span class="quiet">
        <span class="dots" aria-hidden="true" /> {BOT_NAME} is thinking…
      </span>
    );
  }
  if (modal) return <ModalForm modal={modal} submit={(values) => actions.submit(interactionId, values, dismiss)} />;
  return [message, ...followUps].map((part) => <Contents key={part.messageId} part={part} actions={actions} />);
}

function Contents({ part, actions }: { part: ChatMessage | FollowUp; actions: MessageActions }) {
  const { messageId, content, embeds, attachments, components } = part;
  const { locale } = useContext(Reading);
  return (
    <>
      {content !== '' && <Markdown source={content} />}
      {embeds.map((embed, at) => (
        <Embed key={at} embed={embed} />
      ))}
      {attachments.map(({ id, url, filename, size, content_type, description = filename }) =>
        content_type?.startsWith('image/') ? (
          <img key={id} class="attachment" src={url} alt={description} />
        ) : (
          <p key={id}>
            <Link href={url}>{filename}</Link> {size.toLocaleString(locale)} bytes
          </p>
        ),
      )}
      {messageId !== undefined && (
        <>
          {components.map((row) => (
            <div key={row.id} class="components">
              {row.components.map((component) => (
                <Usable key={component.id} component={component} use={(...used) => actions.use(messageId, ...used)} />
              ))}
            </div>
          ))}
          <Apps menu={actions.menu} pick={(command) => actions.pick(messageId, command)} />
        </>
      )}
    </>
  );
}

/** As Discord shows it: Markdown in title, description and field values, not in author and footer. */
function Embed({ embed }: { embed: APIEmbed }) {
  const { locale } = useContext(Reading);
  const { color, author, title, url, description, fields = [], image, thumbnail, footer, timestamp } = embed;
  const when = timestamp === undefined ? undefined : new Date(timestamp).toLocaleString(locale);
  const footnote = [footer?.text, when].filter(Boolean).join(' • ');
  const heading = title && <Markdown source={title} />;
  return (
    <div class="embed" style={color ? { borderColor: `#${color.toString(16).padStart(6, '0')}` } : {}}>
      {author && <div class="embed-author">{author.name}</div>}
      {heading && (
        <div class="embed-title">{url && /^https?:/i.test(url) ? <Link href={url}>{heading}</Link> : heading}</div>
      )}
      {description && <Markdown source={description} />}
      {fields.length > 0 && (
        <div class="embed-fields">
          {fields.map(({ name, value, inline }, at) => (
            <div key={at} class={inline ? 'embed-field inline' : 'embed-field'}>
              <b>
                <Markdown source={name} />
              </b>
              <Markdown source={value} />
            </div>
          ))}
        </div>
      )}
      {image && <img class="embed-image" src={image.proxy_url} alt={image.description ?? 'Image'} />}
      {thumbnail && <img class="embed-thumbnail" src={thumbnail.proxy_url} alt={thumbnail.description ?? 'Image'} />}
      {footnote && <div class="embed-footer">{footnote}</div>}
    </div>
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
function Apps({ menu, pick }: Pick<MessageActions, 'menu'> & { pick(command: string): void }) {
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
            pick(command);
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
