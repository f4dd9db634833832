# The official Node image, in both stages: Debian, as tested. Its Node is 24, which strips types.
FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# Optional packages: Node itself, for machines with an older one.
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:24-slim
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY commands commands
COPY src src

# The only path that is written to: the rest may be read-only.
ENV DATA_DIR=/data
RUN install --directory --owner=node --group=node --mode=700 /data
VOLUME /data
USER node

# No HEALTHCHECK: the bot listens on no port, connects again by itself, and exits 1 when it cannot go on. Let it restart.
STOPSIGNAL SIGTERM
CMD ["node", "src/main.ts"]
