# Unpacks the archive of ./engine package, which has its own Java runtime; neither Maven nor a JDK stays in the image that runs.
# docs/dev/releasing.md says how to build the same image again.
ARG BUILD_IMAGE=maven:3.9-eclipse-temurin-25
ARG BASE_IMAGE=debian:trixie-slim

FROM ${BUILD_IMAGE} AS build
WORKDIR /build
COPY . .
RUN --mount=type=cache,target=/root/.m2 ./engine package \
 && mkdir /unpacked && tar -xzpf mcp-server/target/agent-workspace-engine-*.tar.gz --strip-components=1 -C /unpacked

FROM ${BASE_IMAGE}
# Without useradd, which notes the day.
RUN echo 'engine:x:10001:10001::/var/lib/engine:/usr/sbin/nologin' >>/etc/passwd \
 && echo 'engine:x:10001:' >>/etc/group \
 && install -d -o engine -g engine -m 0700 /var/lib/engine
WORKDIR /opt/engine
COPY --from=build /unpacked ./
# By number, since Kubernetes cannot tell from a name that it is not root.
USER 10001:10001

ENV ENGINE_HOST=0.0.0.0 \
    ENGINE_PORT=8080 \
    ENGINE_DATA_DIR=/var/lib/engine
VOLUME /var/lib/engine
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/$ENGINE_PORT && printf 'GET /api/health/ready HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]"]
ENTRYPOINT ["/opt/engine/engine"]
