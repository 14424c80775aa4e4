# The daemon alone: no compiler, no tests, no root.
#
#   docker build -t memoryd .
#   docker run -v memory:/data memoryd
#
# It listens on loopback and on a unix socket, which is right for a sidecar: containers of one pod share the loopback, and
# may share the directory /run/memoryd. To listen beyond, give the flags yourself, with what keeps others out:
#
#   docker run -p 7600:7600 -v memory:/data -v ./secrets:/secrets:ro memoryd serve --listen 0.0.0.0:7600 \
#     --tls-cert-file /secrets/tls.crt --tls-key-file /secrets/tls.key --token-file /secrets/tokens.toml
#
# or, on a network where everybody may read and write all memory, `serve --listen 0.0.0.0:7600 --insecure`.
FROM rust:1-slim-bookworm AS front
RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-venv
WORKDIR /source
COPY front .
RUN python3 -m venv /venv && /venv/bin/pip install --no-cache-dir 'maturin>=1.7,<2' \
 && PATH=/venv/bin:$PATH maturin build --release --out /wheels

FROM python:3.11-slim-bookworm AS build
WORKDIR /source
RUN python -m venv /opt/memoryd
COPY requirements.txt pyproject.toml README.md LICENSE NOTICE ./
COPY clients/python clients/python
COPY daemon daemon
RUN /opt/memoryd/bin/pip install --no-cache-dir --disable-pip-version-check --constraint requirements.txt \
      ./clients/python .
COPY --from=front /wheels /wheels
RUN /opt/memoryd/bin/pip install --no-cache-dir --disable-pip-version-check /wheels/*.whl

FROM python:3.11-slim-bookworm
RUN groupadd --system --gid 7600 memoryd \
 && useradd --system --uid 7600 --gid 7600 --no-create-home --shell /usr/sbin/nologin memoryd \
 && install -d -m 0700 -o memoryd -g memoryd /data /run/memoryd
COPY --from=build /opt/memoryd /opt/memoryd
ENV PATH=/opt/memoryd/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    MEMORYD_DATA_DIR=/data \
    MEMORYD_LOG_FORMAT=json
USER memoryd
VOLUME /data
# The standard health service, as grpc_health_probe -addr=unix:///run/memoryd/memoryd.sock asks it.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["python", "-c", "\
import grpc; from grpc_health.v1 import health_pb2 as pb, health_pb2_grpc as rpc; \
channel = grpc.insecure_channel('unix:/run/memoryd/memoryd.sock'); \
answer = rpc.HealthStub(channel).Check(pb.HealthCheckRequest(), timeout=2); \
raise SystemExit(answer.status != pb.HealthCheckResponse.SERVING)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["memoryd"]
CMD ["serve", "--listen", "127.0.0.1:7600", "--listen", "unix:/run/memoryd/memoryd.sock"]
