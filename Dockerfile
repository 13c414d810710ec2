# One image for every process of ours: the API (the default command), the worker, the migration job and the Nexus gateway.
# Debian, not Alpine: Temporal's native core is built for glibc only.
# A release names the base by its digest: CONTRIBUTING.md, "Release a version".
ARG BASE=node:24-bookworm-slim
FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# The Node among the packages is for machines with another one. The tracker of swagger-ui-dist has no use.
RUN node scripts/build.mjs && npm prune --omit=dev && rm -rf node_modules/node-linux-* node_modules/@scarf

FROM ${BASE}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY docker/healthcheck.mjs ./docker/
# The guides that the API description refers to.
COPY docs ./docs
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "docker/healthcheck.mjs", "/health/live"]
CMD ["node", "--max-old-space-size=1024", "dist/server/main.js"]
