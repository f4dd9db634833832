import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createServer } from 'node:tls';
import { onFinished } from './on-finished.ts';

export interface TlsRelay {
  /** `rediss://localhost:…` */
  url: string;
  /** PEM; no program trusts it by itself. */
  certificate: string;
}

/** Terminates TLS in front of a server; closed when the test ends. */
export async function startTlsRelay(url: string): Promise<TlsRelay> {
  const target = new URL(url);
  const { key, certificate } = certificateOfLocalhost();
  const server = createServer({ key, cert: certificate }, (near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) socket.on('error', () => {});
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    onFinished(() => void near.destroy());
  }).listen(0, '127.0.0.1');
  onFinished(() => void server.close());
  await once(server, 'listening');
  target.protocol = 'rediss:';
  const { username, password } = target;
  const login = username || password ? `${username}:${password}@` : '';
  return { url: `rediss://${login}localhost:${(server.address() as AddressInfo).port}`, certificate };
}

/** Signed by itself; X.509 (RFC 5280) in DER, because Node makes keys but no certificates. */
function certificateOfLocalhost(): { key: string; certificate: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const algorithm = der(0x30, oid('2b6570')); // Ed25519
  const name = der(0x30, der(0x31, der(0x30, oid('550403'), der(0x0c, Buffer.from('localhost')))));
  const time = (year: number) => der(0x18, Buffer.from(`${year}0101000000Z`));
  const subjectAltName = der(0x30, oid('551d11'), der(0x04, der(0x30, der(0x82, Buffer.from('localhost')))));
  const isAuthority = der(0x30, oid('551d13'), der(0x04, der(0x30, der(0x01, Buffer.from([0xff])))));
  const serial = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest();
  const content = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.concat([Buffer.from([1]), serial.subarray(0, 8)])),
    algorithm,
    name,
    der(0x30, time(2020), time(2100)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, subjectAltName, isAuthority)),
  );
  const signature = der(0x03, Buffer.from([0]), sign(null, content, privateKey));
  const certificate = der(0x30, content, algorithm, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`,
  };
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 0x80 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}
