import { constants, createDeflate, createZstdCompress, deflateSync } from 'node:zlib';
import type { WebSocket } from 'ws';

// events/gateway, "Transport Compression": one stream for the life of a connection, each frame a message that ends with
// a flush; clients of zlib-stream detect it by the suffix 00 00 FF FF.
const STREAMS = {
  'zlib-stream': () => ({ stream: createDeflate(), flush: constants.Z_SYNC_FLUSH }),
  'zstd-stream': () => ({ stream: createZstdCompress(), flush: constants.ZSTD_e_flush }),
};

export type TransportCompression = keyof typeof STREAMS;

export function isTransportCompression(name: string): name is TransportCompression {
  return Object.hasOwn(STREAMS, name);
}

/** Sends frames to one client, in the requested compression. */
export class GatewayWire {
  readonly #socket: WebSocket;
  readonly #compressed: CompressedStream | undefined;
  #compressesPayloads = false;
  #isClosing = false;

  /** @param compression undefined = none */
  constructor(socket: WebSocket, compression: TransportCompression | undefined) {
    this.#socket = socket;
    if (compression === undefined) return;
    const compressed = new CompressedStream(compression, (message) => socket.send(message));
    socket.on('close', () => compressed.close());
    this.#compressed = compressed;
  }

  get isOpen(): boolean {
    return !this.#isClosing && this.#socket.readyState === this.#socket.OPEN;
  }

  /** Compresses each further frame separately, unless the stream is compressed; events/gateway, "Payload Compression". */
  compressPayloads(): void {
    this.#compressesPayloads = true;
  }

  /** @param frame bytes are sent as they are, which no client can read */
  send(frame: string | Uint8Array): void {
    if (!this.isOpen) return;
    if (typeof frame !== 'string') this.#socket.send(frame);
    else if (this.#compressed) this.#compressed.write(frame);
    else this.#socket.send(this.#compressesPayloads ? deflateSync(frame) : frame);
  }

  /** Closes after everything that was sent before. Code 1006 = the connection breaks without a close frame. */
  close(code: number): void {
    this.#isClosing = true;
    if (code === 1_006) this.#socket.terminate();
    else if (this.#compressed) this.#compressed.flushed(() => this.#socket.close(code));
    else this.#socket.close(code);
  }
}

class CompressedStream {
  readonly #stream: ReturnType<(typeof STREAMS)[TransportCompression]>['stream'];
  readonly #flush: number;
  readonly #send: (message: Buffer) => void;
  #chunks: Buffer[] = [];

  constructor(compression: TransportCompression, send: (message: Buffer) => void) {
    const { stream, flush } = STREAMS[compression]();
    this.#stream = stream;
    this.#flush = flush;
    this.#send = send;
    stream.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
  }

  write(frame: string): void {
    this.#stream.write(frame);
    this.flushed(() => {
      this.#send(Buffer.concat(this.#chunks));
      this.#chunks = [];
    });
  }

  /** Calls back when everything written has left the stream. */
  flushed(then: () => void): void {
    this.#stream.flush(this.#flush, then);
  }

  close(): void {
    this.#stream.close();
  }
}
