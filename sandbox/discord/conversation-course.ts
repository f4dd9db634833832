import { Listeners } from '../listeners.ts';
import { standingFiles } from './attachment-links.ts';
import type { ChatMessage, FollowUp, MessageBody } from './chat.ts';
import { type InteractionState, type Lifetimes, type Phase, shown, timeLimit } from './interaction.ts';
import type { SentMessage, SentMessages } from './sent-messages.ts';

const LONGEST_HISTORY = 100; // snapshots kept of one conversation

export interface CourseOptions {
  /** The snapshot at the moment of typing. */
  message: ChatMessage;
  lifetimes: Lifetimes;
  onSnapshot: (message: ChatMessage) => void;
}

/** The progress of an interaction: its phase, which may time out, and its snapshots in the chat. */
export class ConversationCourse {
  readonly history: ChatMessage[] = [];
  readonly #options: CourseOptions;
  readonly #sent: SentMessages;
  readonly #snapshots = new Listeners<ChatMessage>();
  /** Every snapshot from now on. */
  readonly subscribe = this.#snapshots.add;
  #message: ChatMessage;
  #phase: Phase = 'sent';
  #timer: NodeJS.Timeout | undefined;

  /** @param sent read for every snapshot */
  constructor(options: CourseOptions, sent: SentMessages) {
    this.#options = options;
    this.#sent = sent;
    this.#message = options.message;
  }

  get message(): ChatMessage {
    return this.#message;
  }

  get phase(): Phase {
    return this.#phase;
  }

  get state(): InteractionState {
    return { phase: this.#phase, typedAtMs: this.#message.typedAtMs };
  }

  enter(phase: Phase): void {
    this.#phase = phase;
    this.close();
    const limit = timeLimit(phase, this.#options.lifetimes);
    if (limit) {
      const waitMs = this.#message.typedAtMs + limit.afterMs - Date.now();
      this.#timer = setTimeout(() => this.enter(limit.next), waitMs);
    }
    this.publish();
  }

  /** Included in the next snapshot. */
  amend(change: Pick<ChatMessage, 'modal'> | Pick<ChatMessage, 'updatesSource'>): void {
    this.#message = { ...this.#message, ...change };
  }

  publish(): void {
    this.#message = nextSnapshot(this.#message, this.#phase, this.#sent, Date.now());
    this.history.push(this.#message);
    if (this.history.length > LONGEST_HISTORY) this.history.shift();
    this.#snapshots.tell(this.#message);
    this.#options.onSnapshot(this.#message);
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}

/** The snapshot for the chat after a change. */
function nextSnapshot(before: ChatMessage, phase: Phase, sent: SentMessages, nowMs: number): ChatMessage {
  const { original, followUps } = sent;
  return {
    ...before,
    ...shown(phase, before.trigger),
    ...(original && { messageId: original.id, ...shownBody(original.reply) }),
    ...(original && phase !== 'deleted' && { ephemeral: original.ephemeral, edited: original.edited }),
    answeredAtMs: before.answeredAtMs ?? (phase === 'answered' ? nowMs : undefined),
    ...(phase === 'deleted' && { deleted: true }),
    ...((followUps.length > 0 || before.followUps) && { followUps: followUps.map(shownFollowUp) }),
  };
}

function shownFollowUp({ id, ephemeral, edited, reply }: SentMessage): FollowUp {
  return { messageId: id, ephemeral, edited, ...shownBody(reply) };
}

function shownBody({ attachments, ...reply }: MessageBody): MessageBody {
  return { ...reply, attachments: standingFiles(attachments, reply.embeds) };
}
