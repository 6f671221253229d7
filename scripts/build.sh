#!/usr/bin/env bash
# build.sh TARGET [CMAKE OPTION...]: installs missing packages and builds a target (all: everything) into build/release.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install_dependencies.sh
target=$1
shift
cmake --preset release "$@" >/dev/null
cmake --build --preset release --target "$target" -- -k 1
