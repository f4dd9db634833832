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

/** What members do in the emulated Discord, what is seen of it, and what goes wrong in it. */
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
  /** Slash commands that a member sees there: global ones and the guild's, so a name may show up twice. */
  commandsFor(at: Whereabouts): APIApplicationCommand[];
  /** The commands of a member's menu (`type` 2) and of a message's (3) that a member sees there. */
  menuCommandsFor(at: Whereabouts): APIApplicationCommand[];
  /** Sends a command to the bot. @throws Error in plain words when it cannot be typed, or no bot is connected. */
  type(typed: TypedCommand): TypedInteraction;
  /** The bot's choices for the focused option. Rejects with a sentence, such as "Loading options failed" after 3 s. */
  complete(typed: HalfTypedCommand): Promise<Choice[]>;
  /** Clicks a button. @throws Error in plain words. */
  click(used: Omit<UsedComponent, 'values'>): TypedInteraction;
  /** Chooses in a select menu. @throws Error in plain words. */
  choose(used: UsedComponent & { values: readonly string[] }): TypedInteraction;
  /** Sends off the modal that the bot answered an interaction with. @throws Error in plain words. */
  submit(modal: SubmittedModal): TypedInteraction;
  message(interactionId: string): ChatMessage | undefined;
  /** The open ones and the last thousand finished, oldest first. */
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
  /** Spoils REST requests. */
  readonly faults: Pick<Faults, 'script' | 'met' | 'pending' | 'clear'>;
  /** Faults of the gateway; those that are not named stay as they are. */
  setGatewayFaults(faults: Partial<GatewayFaults>): void;
  /** From here on the bot's token is refused everywhere, and every gateway connection closed with 4004. */
  revokeToken(): void;
  /** Breaks every connection and refuses new ones, or lets them in again. */
  refuseConnections(refused: boolean): Promise<void>;
  /** Quick, also with open connections. */
  close(): Promise<void>;
}
