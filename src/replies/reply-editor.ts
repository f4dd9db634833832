import type { DeferredReply } from './deferred-reply.ts';

/** What a reply shows. Only commands and Discord look inside an embed. */
export interface ReplyMessage {
  content?: string;
  embeds?: readonly object[];
}

/** What became of a defer. */
export type DeferResult =
  /** The member sees "thinking…". `err`: Discord may have accepted it; completing the reply will show. */
  | { shown: true; err?: unknown }
  /** The member sees no reply to complete; `outcome` is for the log. */
  | { shown: false; outcome: string; err?: unknown };

/**
 * `shown`, `replaced`: the reply shows the message, or a plain sentence because Discord refused the message. `lost`:
 * the reply cannot be changed any more. `failed`: Discord could not be reached; another try may succeed.
 */
export type CompleteResult = 'shown' | 'replaced' | 'lost' | 'failed';

/** Shows deferred replies in Discord, by their token alone: without the gateway or the interaction. No method rejects. */
export interface ReplyEditor {
  /** Shows "thinking…". */
  defer(reply: DeferredReply): Promise<DeferResult>;
  /** Shows when the permit is expected, in place of "thinking…". */
  showWait(reply: DeferredReply, permitAtMs: number): Promise<void>;
  /** Makes the reply show `message` and nothing else. */
  complete(reply: DeferredReply, message: ReplyMessage): Promise<CompleteResult>;
  /** Whether the reply shows an embed, which only an answer has. Costs a request to Discord; `false` when it fails. */
  hasEmbed(reply: DeferredReply): Promise<boolean>;
}
