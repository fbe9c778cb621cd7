#!/usr/bin/env bash
# What the browser tests need: Debian's chromium, and playwright-core to drive it.
set -euo pipefail
cd "$(dirname "$0")"
if ! command -v chromium >/dev/null; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null
fi
npm ci --no-audit --no-fund --silent
