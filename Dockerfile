# One image for every role: `woml control|engine|sandbox|plugin-host|migrate`, and the command line. No shell is needed in it, nothing in it
# is written to, and no layer holds a secret. BASE_IMAGE may be anything with Node 26 and its libraries; WOML_NODE is where that has it.
ARG BUILD_IMAGE=node:26-bookworm-slim
ARG BASE_IMAGE=node:26-bookworm-slim

FROM ${BUILD_IMAGE} AS packages
ARG WOML_NODE=/usr/local/bin/node
WORKDIR /src
COPY . .
RUN ["node", "--disable-warning=ExperimentalWarning", "tools/image.ts", "/app"]

FROM ${BASE_IMAGE}
ARG REVISION=unknown
LABEL org.opencontainers.image.title="WOML" \
      org.opencontainers.image.description="Runs WOML workflows: control, engine, sandbox, plugin host, migrations" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /app
COPY --from=packages /app /app
# The heap follows the container's memory limit. Compiled code is not kept: there is nowhere to keep it that outlives the container.
ENV PATH=/app/bin:${PATH} \
    NODE_ENV=production \
    NODE_OPTIONS=--max-old-space-size-percentage=60 \
    NODE_DISABLE_COMPILE_CACHE=1
USER 10001:10001
EXPOSE 7330 7331 7332 9464
STOPSIGNAL SIGTERM
ENTRYPOINT ["/app/bin/woml"]
