# The daemon alone: no compiler, no tests, no pip, no root. For x86-64 and ARM.
#
#   docker build -t memoryd .
#   docker run -v memory:/data memoryd
#
# scripts/image builds it from base images by digest, for both. How to run it safely: docs/operations/deploying.md.
ARG RUST=rust:1-slim-bookworm
ARG DEBIAN=debian:bookworm-slim

FROM ${RUST} AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 python3-venv \
 && rm -rf /var/lib/apt/lists/*
# One pip for both environments, so that the one of the daemon has none.
RUN python3 -m venv /build \
 && /build/bin/pip install --no-cache-dir --disable-pip-version-check 'maturin>=1.7,<2' 'pip>=25' \
 && python3 -m venv --without-pip /opt/memoryd
WORKDIR /source/front
COPY front .
RUN PATH=/build/bin:$PATH maturin build --release --strip --interpreter python3 --out /wheels
WORKDIR /source
COPY requirements.txt pyproject.toml README.md LICENSE NOTICE ./
COPY clients/python clients/python
COPY daemon daemon
# What only downloads is removed again: tokenizers requires it, and the daemon reads its models from its own distribution.
RUN /build/bin/pip --python /opt/memoryd/bin/python install --no-cache-dir --disable-pip-version-check \
      --constraint requirements.txt ./clients/python '.[mcp]' /wheels/*.whl \
 && /build/bin/pip --python /opt/memoryd/bin/python uninstall --yes huggingface_hub hf-xet fsspec filelock tqdm

FROM ${DEBIAN}
ARG DEBIAN
ARG REVISION=""
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="memoryd" \
      org.opencontainers.image.description="The memory daemon for AI agents" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="https://github.com/memoryd/memoryd" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="${DEBIAN}"
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates python3 \
 && rm -rf /var/lib/apt/lists/*
RUN groupadd --system --gid 7600 memoryd \
 && useradd --system --uid 7600 --gid 7600 --no-create-home --home-dir /data --shell /usr/sbin/nologin memoryd \
 && install -d -m 0700 -o memoryd -g memoryd /data /run/memoryd
COPY --from=build /opt/memoryd /opt/memoryd
ENV PATH=/opt/memoryd/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    MEMORYD_DATA_DIR=/data \
    MEMORYD_LOG_FORMAT=json
# By number: Kubernetes cannot know that a name is not root's.
USER 7600:7600
VOLUME /data
# Of the process that the container runs, wherever its flags have it listen.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["memoryd", "health", "--process", "1"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["memoryd"]
CMD ["serve", "--listen", "127.0.0.1:7600", "--listen", "unix:/run/memoryd/memoryd.sock"]
