/** What is wrong with the gateway right now. All of it can be switched at any time. */
export interface GatewayFaults {
  /** No heartbeat is acknowledged: to the bot the line is dead (a zombie). */
  heartbeatsIgnored: boolean;
  /** Who connects is not greeted. */
  helloWithheld: boolean;
  /** Who connects is sent away with this close code; `undefined`: may stay. */
  closesAtOnce: number | undefined;
  /** Who identifies waits for READY in vain. */
  readyWithheld: boolean;
  /** So long READY lets itself be waited for, ms. */
  readyDelayMs: number;
  /** READY names an address for resumes at which nobody listens. */
  deadResumeAddress: boolean;
  /** So many resumes are answered with op 9 (not resumable) from now on. */
  refusedResumes: number;
  /** Who resumes gets no answer, but for its heartbeats. */
  resumesIgnored: boolean;
  /** The bot's token is worth nothing any more, here and for REST. */
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
