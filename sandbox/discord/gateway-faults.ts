export type GatewayFaults = ReturnType<typeof noGatewayFaults>;

/** The faults of a gateway that has none. All can be changed at any time. */
export function noGatewayFaults() {
  return {
    /** Heartbeats are not acknowledged: to the bot the connection is dead (a zombie). */
    heartbeatsIgnored: false,
    /** Connections get no HELLO. */
    helloWithheld: false,
    /** Connections are closed at once with this code; `undefined`: not closed. */
    closesAtOnce: undefined as number | undefined,
    /** An identify gets no READY. */
    readyWithheld: false,
    /** Delay of READY. */
    readyDelayMs: 0,
    /** READY names a resume address that refuses connections. */
    deadResumeAddress: false,
    /** The next so many resumes are answered with op 9 (not resumable). */
    refusedResumes: 0,
    /** Resumes are not answered; heartbeats are. */
    resumesIgnored: false,
    /** The bot's token is refused, by the gateway and by REST. */
    tokenRevoked: false,
  };
}
