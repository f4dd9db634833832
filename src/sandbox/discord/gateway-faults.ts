/** Current faults of the gateway. All can be changed at any time. */
export interface GatewayFaults {
  /** Heartbeats are not acknowledged: to the bot the connection is dead (a zombie). */
  heartbeatsIgnored: boolean;
  /** Connections get no HELLO. */
  helloWithheld: boolean;
  /** Connections are closed at once with this code; `undefined`: not closed. */
  closesAtOnce: number | undefined;
  /** An identify gets no READY. */
  readyWithheld: boolean;
  /** Delay of READY. */
  readyDelayMs: number;
  /** READY names a resume address that refuses connections. */
  deadResumeAddress: boolean;
  /** The next so many resumes are answered with op 9 (not resumable). */
  refusedResumes: number;
  /** Resumes are not answered; heartbeats are. */
  resumesIgnored: boolean;
  /** The bot's token is refused, by the gateway and by REST. */
  tokenRevoked: boolean;
}

export const NO_GATEWAY_FAULTS: Readonly<GatewayFaults> = {
  heartbeatsIgnored: false,
  helloWithheld: false,
  closesAtOnce: undefined,
  readyWithheld: false,
  readyDelayMs: 0,
  deadResumeAddress: false,
  refusedResumes: 0,
  resumesIgnored: false,
  tokenRevoked: false,
};
