import type { APIApplicationCommand } from 'discord-api-types/v10';

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
} from './chat.ts';
import type { Faults } from './faults.ts';
import type { Gateway } from './gateway.ts';
import type { GatewayFaults } from './gateway-faults.ts';
import type { channelsOf, rolesOf } from './guild-contents.ts';
import type { SeenRestRequest } from './request-log.ts';
import type { TypedInteraction } from './typed-interaction.ts';

/** Controls of the emulated Discord: actions of members, observation, and faults. */
export interface EmulatedDiscord {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** For discord.js' `rest.api`. */
  readonly apiUrl: string;
  readonly botToken: string;
  readonly applicationId: string;
  readonly guilds: readonly Guild[];
  readonly members: readonly Member[];
  readonly rolesOf: typeof rolesOf;
  readonly channelsOf: typeof channelsOf;
  /** Slash commands visible to a member there: global ones and the guild's, so a name may occur twice. */
  commandsFor(at: Whereabouts): APIApplicationCommand[];
  /** Context menu commands for members (`type` 2) and messages (3) that are visible to a member there. */
  menuCommandsFor(at: Whereabouts): APIApplicationCommand[];
  /** Sends a command to the bot. @throws Error with a sentence when it is invalid or no bot is connected. */
  type(typed: TypedCommand): TypedInteraction;
  /** Resolves to the bot's choices for the focused option. Rejects with a sentence, such as "Loading options failed" after 3 s. */
  complete(typed: HalfTypedCommand): Promise<Choice[]>;
  /** Clicks a button. @throws Error with a sentence. */
  click(used: Omit<UsedComponent, 'values'>): TypedInteraction;
  /** Chooses in a select menu. @throws Error with a sentence. */
  choose(used: UsedComponent & { values: readonly string[] }): TypedInteraction;
  /** Submits the modal with which the bot answered an interaction. @throws Error with a sentence. */
  submit(modal: SubmittedModal): TypedInteraction;
  message(interactionId: string): ChatMessage | undefined;
  /** All open messages and the last thousand finished ones, oldest first. */
  messages(): ChatMessage[];
  /** Every new snapshot of every message. Returns an unsubscribe. */
  onMessage(listener: (message: ChatMessage) => void): () => void;
  /** The last thousand REST requests, oldest first. */
  readonly requests: readonly SeenRestRequest[];
  onRequest(listener: (request: SeenRestRequest) => void): () => void;
  readonly gateway: Pick<
    Gateway,
    | 'sessions'
    | 'drop'
    | 'reset'
    | 'requestReconnect'
    | 'send'
    | 'whenReady'
    | 'whenUp'
    | 'whenAllReady'
    | 'identifies'
    | 'refusedIdentifies'
    | 'resumes'
    | 'lastEventAtMs'
    | 'invalidate'
  >;
  /** Faults of REST requests. */
  readonly faults: Pick<Faults, 'script' | 'met' | 'pending' | 'clear'>;
  /** Sets faults of the gateway; omitted ones are unchanged. */
  setGatewayFaults(faults: Partial<GatewayFaults>): void;
  /** From now on the bot's token is refused everywhere, and every gateway connection is closed with 4004. */
  revokeToken(): void;
  /** Breaks every connection and refuses new ones, or accepts them again. */
  refuseConnections(refused: boolean): Promise<void>;
  /** Does not wait for open connections. */
  close(): Promise<void>;
}
