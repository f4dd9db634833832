import type { APIActionRowComponent, APIComponentInMessageActionRow, APIEmbed } from 'discord-api-types/v10';
import type { Source } from './events.ts';

/** What a reply shows. */
export interface Message {
  content?: string;
  embeds?: APIEmbed[];
  /** At most 5 rows. Custom ids begin with the command's name and a colon; they outlive this process. */
  components?: APIActionRowComponent<APIComponentInMessageActionRow>[];
  /** An embed shows one by the address `attachment://` and its name. */
  files?: readonly MessageFile[];
}

export interface MessageFile {
  name: string;
  contentType: string;
  data: Uint8Array;
  /** For those who cannot see it; at most 1,024 characters. */
  description: string;
}

/** A form, which only the first answer to a command or a button can open. */
export interface Form {
  kind: 'form';
  /** Begins with the command's name and a colon. */
  customId: string;
  /** At most 45 characters, as each label. */
  title: string;
  /** At most five. */
  fields: readonly FormField[];
}

/** A text that a member types into a form. */
export interface FormField {
  id: string;
  label: string;
  /** Shown while nothing is typed; at most 100 characters. */
  placeholder?: string | undefined;
  /** What stands in it already. */
  value?: string | undefined;
  maxLength: number;
  lines: 'one' | 'many';
  isOptional?: boolean;
}

/** What a command shows at once: it asks for no cards, or they are known. */
export interface Reply {
  kind: 'reply';
  message: Message;
  isPrivate: boolean;
  source: Source;
  /** It replaces the message whose button was used. */
  isInPlace?: boolean;
  /** Replaces the message when it resolves, unless to nothing. */
  correction?: Promise<Message | undefined>;
}

/**
 * What became of a message that is no reply. `refused`: Discord takes it by this way at no time; `unsent`: it is not
 * there, and may be taken later; `failed`: it may be there.
 */
export type Sent = 'sent' | 'refused' | 'unsent' | 'failed';
