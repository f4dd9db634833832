# The official Node image, in both stages: Debian, as tested. Its Node is that of the lockfile, which strips types.
FROM node:26.10.0-slim@sha256:930557a230abacbc3f4fd9b8648abf8f4bee1e17cb72195dcdfb2f709bc85b33 AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# Optional packages: Node itself, for machines with an older one.
RUN npm ci --omit=dev --omit=optional --ignore-scripts
# A third of what the packages take, which nothing reads at run time.
RUN find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
COPY commands commands
COPY src src
# For the user of the bot, also when it was checked out under a umask of 077.
RUN chmod -R go+rX commands src package.json

FROM node:26.10.0-slim@sha256:930557a230abacbc3f4fd9b8648abf8f4bee1e17cb72195dcdfb2f709bc85b33
LABEL org.opencontainers.image.title="cardbot" \
      org.opencontainers.image.description="A Discord bot for trading cards that makes a counted card data service go as far as it can" \
      org.opencontainers.image.version="0.4.0" \
      org.opencontainers.image.licenses="MIT"
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=packages /app/package.json ./
COPY --from=packages /app/commands commands
COPY --from=packages /app/src src

# The only path that is written to: the rest may be read-only.
ENV DATA_DIR=/data
# As in `npm start`: otherwise V8 reserves 20 MB and more for short-lived objects.
ENV NODE_OPTIONS=--max-semi-space-size=4
RUN install --directory --owner=node --group=node --mode=700 /data compile-cache
VOLUME /data
USER node

# Compiled code, with which a start needs half the time. On another kind of processor the bot compiles into DATA_DIR.
RUN NODE_COMPILE_CACHE=/app/compile-cache node --input-type=module --eval \
    "import { globSync } from 'node:fs'; \
    const files = globSync('{src,commands}/**/*.ts', { exclude: ['**/main.ts'] }); \
    await Promise.all(files.map((file) => import('/app/' + file)))"

# Within the container alone, unless HTTP_HOST says otherwise. It tells a process that hangs from one that works: a process
# that cannot go on exits 1, and an outage of Discord or of the card service is no reason to restart.
ENV HTTP_PORT=9464
HEALTHCHECK --interval=60s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "--eval", "const { HTTP_HOST, HTTP_PORT } = process.env; const host = HTTP_HOST || `127.0.0.1`; fetch(`http://${host.includes(`:`) ? `[${host}]` : host}:${HTTP_PORT || process.exit(0)}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]

STOPSIGNAL SIGTERM
# SIGUSR1 would open a debugger.
CMD ["node", "--disable-sigusr1", "src/main.ts"]
