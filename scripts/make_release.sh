#!/usr/bin/env bash
# make_release.sh [FOLDER [PACKAGE...]]: writes the release of the last commit into a folder (default build/release_files):
# trawl-VERSION.tar.gz and its checksum, the recipes of bioconda, and what CHANGELOG.md says of the version. The same commit
# always gives the same bytes. Packages (deb, bioconda, bioconda-gpu) are built from the tarball in a clean Debian and tried
# there (packaging/check_packages.sh): that proves that the tarball has all that a build needs.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:-build/release_files}
shift || true
version=$(sed -n 's/^project(trawl VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
if [ -n "$(git status --porcelain --untracked-files=no)" ]; then
  echo "There are changes that are not committed; the tarball would lack them" >&2
  exit 1
fi
if others=$(git grep -nE 'trawl[:=]+[0-9]+(\.[0-9]+)+' workflows | grep -vE "trawl[:=]+${version//./\\.}\b"); then
  printf 'The version is %s, but here stands another one:\n%s\n' "$version" "$others" >&2
  exit 1
fi
mkdir -p "$folder"
sed -n "/^## $version /,/^## /p" CHANGELOG.md | sed '1d; /^## /d' >"$folder/notes.md"
[ -s "$folder/notes.md" ] || { echo "CHANGELOG.md has no section '## $version (DATE)'" >&2; exit 1; }

tarball=$folder/trawl-$version.tar.gz
git archive --format=tar --prefix="trawl-$version/" HEAD | gzip -9n >"$tarball"
(cd "$folder" && sha256sum "trawl-$version.tar.gz" | tee "trawl-$version.tar.gz.sha256")

address=$(sed -n 's/^repository-code: "\(.*\)"$/\1/p' CITATION.cff)
if [ -z "$address" ]; then
  address=https://example.org/trawl
  echo "CITATION.cff has no line repository-code: \"https://...\"; the recipes have $address in its place" >&2
fi
for name in trawl trawl-gpu; do
  mkdir -p "$folder/recipes/$name"
  sed "1d; s|@NAME@|$name|; s|@VERSION@|$version|; s|@SHA256@|$(cut -d ' ' -f 1 "$tarball.sha256")|; s|@ADDRESS@|$address|" \
    packaging/bioconda/meta.yaml >"$folder/recipes/$name/meta.yaml"
done
[ $# -eq 0 ] || packaging/check_packages.sh "$tarball" "$@"
