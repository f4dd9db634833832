import { Agent as HttpAgent } from 'node:http';
import { globalAgent, Agent as HttpsAgent } from 'node:https';
import { registerHooks } from 'node:module';
import { type ClientOptions, WebSocket as Direct } from 'ws';

/** A connection through the proxy that Node uses for its own requests. */
export class WebSocket extends Direct {
  constructor(address: string, protocols: string[], options: ClientOptions) {
    const { proxyEnv } = globalAgent.options;
    const agent = address.startsWith('wss:') ? new HttpsAgent({ proxyEnv }) : new HttpAgent({ proxyEnv });
    super(address, protocols, { ...options, agent });
  }
}

/**
 * Connects to the gateway through the proxy, too. @discordjs/ws 1.2.3 gives `ws` no agent and takes no other class, so it
 * imports this one in its place. To be called before discord.js is imported.
 */
export function useProxyForGateway(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const isOfGateway = specifier === 'ws' && context.parentURL?.endsWith('/@discordjs/ws/dist/index.mjs');
      return next(isOfGateway ? import.meta.url : specifier, context);
    },
  });
}
