#!/usr/bin/env bash
# make_release.sh [FOLDER]: writes the release tarball trawl-VERSION.tar.gz of the last commit into a folder (default
# build/), and its checksum. The same commit always gives the same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:-build}
version=$(sed -n 's/^project(trawl VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
if [ -n "$(git status --porcelain --untracked-files=no)" ]; then
  echo "There are changes that are not committed; the tarball would lack them" >&2
  exit 1
fi
for file in CITATION.cff packaging/bioconda/trawl/meta.yaml packaging/bioconda/trawl-gpu/meta.yaml; do
  grep -qE "version(:| =) \"?$version\"?( |$)" "$file" || { echo "$file has another version than $version" >&2; exit 1; }
done
mkdir -p "$folder"
git archive --format=tar --prefix="trawl-$version/" HEAD | gzip -9n > "$folder/trawl-$version.tar.gz"
(cd "$folder" && sha256sum "trawl-$version.tar.gz" | tee "trawl-$version.tar.gz.sha256")
