import { GatewayCloseCodes as Close, GatewayOpcodes as Op } from 'discord-api-types/v10';
import type { WebSocket } from 'ws';

import type { GatewayFaults } from './gateway-faults.ts';
import {
  countSend,
  type Frame,
  Identify,
  identifyRefusal,
  parseFrame,
  Resume,
  SENDS_PER_MINUTE,
  type Sends,
} from './gateway-rules.ts';
import type { GatewaySession, SessionLink } from './gateway-session.ts';
import type { GatewaySessions } from './gateway-sessions.ts';

export interface GatewayConnectionOptions {
  faults: GatewayFaults;
  isBotToken(token: string): boolean;
  heartbeatIntervalMs: number;
  /** Whether no other shard with the same rate limit key has just identified, in any process. */
  mayIdentify(shardId: number): boolean;
  /** After an identify: creates the session and sends READY, unless it is withheld. */
  open(identify: Identify, link: SessionLink): GatewaySession | undefined;
  sessions: GatewaySessions;
}

const AFTER_IDENTIFY_ONLY: readonly number[] = [
  Op.PresenceUpdate,
  Op.VoiceStateUpdate,
  Op.RequestGuildMembers,
  Op.RequestSoundboardSounds,
];

/** A client's connection: hello, heartbeats, identify or resume, and the limits on its payloads. */
export class GatewayConnection implements SessionLink {
  readonly #socket: WebSocket;
  #isClosing = false;
  readonly #options: GatewayConnectionOptions;
  readonly #silence: NodeJS.Timeout;
  #session: GatewaySession | undefined;
  #sends: Sends = { sinceMs: Date.now(), count: 0 };

  constructor(socket: WebSocket, options: GatewayConnectionOptions) {
    this.#options = options;
    this.#socket = socket;
    const { heartbeatIntervalMs } = options;
    this.#silence = setTimeout(() => this.close(Close.SessionTimedOut), 1.5 * heartbeatIntervalMs);
    socket.on('message', (data) => this.#receive(String(data)));
    socket.on('close', (code) => this.#closed(code));
    socket.on('error', () => socket.terminate());
    const { closesAtOnce, helloWithheld } = options.faults;
    if (closesAtOnce !== undefined) this.close(closesAtOnce);
    else if (!helloWithheld) this.#sendOp(Op.Hello, { heartbeat_interval: heartbeatIntervalMs });
  }

  /** Sends a frame as it is: text, or bytes that no client can read. */
  send(frame: string | Uint8Array): void {
    if (this.#isOpen) this.#socket.send(frame);
  }

  /** Events from now on wait for a resume. Code 1006 = the connection breaks without a close frame. */
  close(code: number): void {
    this.#release();
    this.#isClosing = true;
    if (code === 1_006) this.#socket.terminate();
    else this.#socket.close(code);
  }

  requestReconnect(): void {
    this.#sendOp(Op.Reconnect, null);
  }

  /** Op 9. A session that is not resumable has ended. */
  invalidate(resumable: boolean): void {
    const session = this.#session;
    this.#release();
    if (session && !resumable) this.#options.sessions.end(session);
    this.#sendOp(Op.InvalidSession, resumable);
  }

  get #isOpen(): boolean {
    return !this.#isClosing && this.#socket.readyState === this.#socket.OPEN;
  }

  #receive(text: string) {
    if (!this.#isOpen) return;
    this.#sends = countSend(this.#sends, Date.now());
    if (this.#sends.count > SENDS_PER_MINUTE) return this.close(Close.RateLimited);
    const frame = parseFrame(text);
    if (!frame) return this.close(Close.DecodeError);
    this.#obey(frame);
  }

  #obey({ op, d }: Frame) {
    if (op === Op.Heartbeat) return this.#heartbeat();
    if (op === Op.Identify) return this.#identify(d);
    if (op === Op.Resume) return this.#resume(d);
    if (!AFTER_IDENTIFY_ONLY.includes(op)) return this.close(Close.UnknownOpcode);
    if (!this.#session) this.close(Close.NotAuthenticated);
  }

  #heartbeat() {
    this.#silence.refresh();
    if (!this.#options.faults.heartbeatsIgnored) this.#sendOp(Op.HeartbeatAck, null);
  }

  #identify(d: unknown) {
    if (this.#session) return this.close(Close.AlreadyAuthenticated);
    const { data: identify } = Identify.safeParse(d);
    if (!identify) return this.close(Close.DecodeError);
    const refusal = identifyRefusal(identify, this.#options.isBotToken);
    if (refusal !== undefined) return this.close(refusal);
    if (!this.#options.mayIdentify(identify.shard[0])) return this.#sendOp(Op.InvalidSession, false);
    const { readyDelayMs } = this.#options.faults;
    if (readyDelayMs === 0) this.#session = this.#options.open(identify, this);
    else setTimeout(() => this.#openLate(identify), readyDelayMs).unref();
  }

  #openLate(identify: Identify): void {
    if (this.#isOpen) this.#session = this.#options.open(identify, this);
  }

  #resume(d: unknown) {
    if (this.#session) return this.close(Close.AlreadyAuthenticated);
    const { data: resume } = Resume.safeParse(d);
    if (!resume) return this.close(Close.DecodeError);
    if (!this.#options.isBotToken(resume.token)) return this.close(Close.AuthenticationFailed);
    const { faults } = this.#options;
    if (faults.resumesIgnored) return;
    if (faults.refusedResumes > 0) {
      faults.refusedResumes--;
      return this.#sendOp(Op.InvalidSession, false);
    }
    const session = this.#options.sessions.find(resume.session_id);
    const outcome = session?.resumable(resume.seq);
    if (!session || outcome === 'too late') return this.#sendOp(Op.InvalidSession, false);
    if (outcome === 'bad sequence') return this.close(Close.InvalidSeq);
    this.#session = session;
    session.resume(resume.seq, this);
    this.#options.sessions.resumed();
  }

  #closed(code: number): void {
    clearTimeout(this.#silence);
    // A client that closes with one of these codes ends its session; events/gateway, "Disconnecting"
    if (this.#session && (code === 1_000 || code === 1_001)) this.#options.sessions.end(this.#session);
    this.#release();
  }

  #release(): void {
    this.#session?.detach(this, Date.now());
    this.#session = undefined;
  }

  #sendOp(op: Op, d: unknown): void {
    this.send(JSON.stringify({ op, d, s: null, t: null }));
  }
}
