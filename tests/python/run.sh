#!/usr/bin/env bash
# Installs the Python package into a new environment below build/ and tests it. Options go to pytest.
#   PYTHON=python3.12 tests/python/run.sh -k arrow
# With lib/libtrawl.a in build/release (scripts/build.sh trawl_library_static) that is linked, else the library is built.
# Exit status 77: no packages can be had here; with CI=true that is an error.
set -euo pipefail
cd "$(dirname "$0")/../.."
python=${PYTHON:-python3}
build=${TRAWL_BUILD:-build/release}
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
venv=build/python-$version
missing() {
  echo "tests/python: $1"
  [ "${CI:-}" = true ] && exit 1
  exit 77
}

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || missing "Python 3.10 or newer is needed, not $version"
[ -e "$venv/bin/pip" ] || "$python" -m venv "$venv" || missing "there is no module venv (Debian: python3-venv)"
"$venv/bin/pip" install -q --disable-pip-version-check 'scikit-build-core>=0.11' 'nanobind>=3.1,<4' 'nanobind-backend>=1,<2' \
  'numpy>=1.22' pytest || missing "pip cannot install nanobind and numpy"
# Some tests need these; without them they are skipped.
"$venv/bin/pip" install -q --disable-pip-version-check --only-binary :all: mypy pandas polars pyarrow pysam ||
  [ "${CI:-}" != true ] || missing "pip cannot install mypy, pandas, polars, pyarrow and pysam"
options=()
[ -e "$build/lib/libtrawl.a" ] && options+=("-Ccmake.define.TRAWL_BUILD=$(realpath "$build")")
"$venv/bin/pip" install -q --disable-pip-version-check --no-build-isolation --no-deps "${options[@]}" .
export TRAWL=${TRAWL:-$PWD/build/release/trawl} PYTHONDONTWRITEBYTECODE=1
exec "$venv/bin/python" -m pytest -q -rs -p no:cacheprovider tests/python "$@"
