#!/usr/bin/env bash
# cmake --install: the program, man pages, completions, licence and documents; and the release tarball.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"
build=$(dirname "$TRAWL")
if ! command -v cmake > /dev/null || [[ ! -e $build/cmake_install.cmake ]]; then
  echo "skipped: no cmake, or trawl lies in no build folder" >&2
  exit 77
fi

cmake --install "$build" --prefix "$work/there" > stdout 2> stderr || wrong "cmake --install: $(cat stderr)"
"$work/there/bin/trawl" --version > version 2>&1
"$TRAWL" --version > expected
same "the installed program" expected version
share=there/share
for file in man/man1/trawl.1 man/man1/trawl-{map,scan,mappability,index,info,help}.1 bash-completion/completions/trawl \
  zsh/site-functions/_trawl fish/vendor_completions.d/trawl.fish doc/trawl/{LICENSE,README.md,CHANGELOG.md,CITATION.cff} \
  doc/trawl/docs/{map,scan,guides,primers,mappability,index,recipes,files,performance}.md; do
  ok "$file is installed" test -s "$share/$file"
done
for command in map scan; do
  "$TRAWL" help --man $command > page
  same "the page of trawl $command is of this program" page $share/man/man1/trawl-$command.1
done
"$TRAWL" help --completion bash > completion
same "so is the completion" completion $share/bash-completion/completions/trawl
ok "links of the documents lead to documents" test -z "$(cd $share/doc/trawl/docs && grep -ohE '\]\([a-z_/]+\.md' ./*.md |
  cut -d '(' -f 2 | sort -u | while read -r link; do [[ -e $link ]] || echo "$link"; done)"

# The tarball of a commit is always the same, and has all that a build needs.
if git -C "$root" rev-parse HEAD > /dev/null 2>&1 && [[ -z $(git -C "$root" status --porcelain --untracked-files=no) ]]; then
  for folder in first second; do
    "$root/scripts/make_release.sh" "$work/$folder" > stdout 2> stderr || wrong "make_release.sh: $(cat stderr)"
  done
  same "the tarball" first/trawl-*.tar.gz second/trawl-*.tar.gz
  ok "its checksum" bash -c 'cd first && sha256sum -c trawl-*.sha256'
  tar -tzf first/trawl-*.tar.gz | sed 's|^[^/]*/||' > files
  for file in CMakeLists.txt LICENSE CITATION.cff packaging/bioconda/trawl/build.sh packaging/smoke_test.sh \
    test_data/repeats.fa.gz src/cli/main.cpp; do
    ok "the tarball has $file" grep -qx "$file" files
  done
else
  echo "skipped: the release tarball, as this is no checkout of git without changes"
fi

# The test that all packages run, with the installed program.
PATH=$work/there/bin:$PATH bash "$root/packaging/smoke_test.sh" > stdout 2> stderr || wrong "smoke_test.sh: $(tail -n 3 stderr)"
contains "smoke_test.sh" stdout "trawl works"

finish
