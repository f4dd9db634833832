import type { APIApplicationCommand } from 'discord-api-types/v10';
import type { CardServiceState, CardServiceSwitches, SeenRequest } from './card-service-controls.ts';
import type {
  ChatMessage,
  Choice,
  Guild,
  HalfTypedCommand,
  Member,
  SubmittedModal,
  TypedCommand,
  UsedComponent,
  Whereabouts,
} from './discord/chat.ts';
import type { ShownCard } from './page-protocol.ts';

/** The part of the emulated Discord that the page uses. */
export interface PageDiscord {
  readonly origin: string;
  readonly guilds: readonly Guild[];
  readonly members: readonly Member[];
  rolesOf(guildId: string): readonly { id: string; name: string }[];
  channelsOf(guildId: string): readonly { id: string; name: string }[];
  commandsFor(at: Whereabouts): readonly Pick<APIApplicationCommand, 'name' | 'description' | 'options'>[];
  menuCommandsFor(at: Whereabouts): readonly Pick<APIApplicationCommand, 'name' | 'type'>[];
  /** @throws Error with a sentence for the member, as do the following. */
  type(typed: TypedCommand): { readonly id: string };
  complete(typed: HalfTypedCommand): Promise<Choice[]>;
  click(used: Omit<UsedComponent, 'values'>): { readonly id: string };
  submit(modal: SubmittedModal): { readonly id: string };
  choose(used: UsedComponent & { values: readonly string[] }): { readonly id: string };
  messages(): readonly ChatMessage[];
  /** @returns a function that ends the subscription. */
  onMessage(listener: () => void): () => void;
  readonly gateway: { drop(): void; readonly sessions: number };
}

/** The part of the embedded card service that the page uses. */
export interface PageCardService {
  state(): CardServiceState;
  set(switches: Partial<CardServiceSwitches>): void;
  exhaustDay(): void;
  refillDay(): void;
  storm(durationMs: number): void;
  /** The latest, oldest first. */
  readonly requests: readonly SeenRequest[];
  readonly counts: { readonly total: number };
  /** @returns a function that ends the subscription. */
  onChange(listener: () => void): () => void;
}

export interface PageSources {
  discord: PageDiscord;
  cardService: PageCardService;
  /** The bot's name above its replies. */
  botName: string;
  /** Suggested on the welcome screen. */
  sampleCards: readonly ShownCard[];
}
