#!/usr/bin/env bash
# build.sh [CMAKE OPTION...]: installs what is missing and builds everything into build/release.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install_dependencies.sh
cmake --preset release "$@" >/dev/null
cmake --build --preset release -- -k 1
