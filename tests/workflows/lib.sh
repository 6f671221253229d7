# shellcheck shell=bash
# For the tests of the workflows: source this file first. As tests/cli/lib.sh, and `trawl` is on PATH, with the tools of
# scripts/install_workflow_tools.sh.
#
#   need snakemake            # 77, skipped, if it is missing; an error in CI, where it must be there
#   make_samples              # genome.fa, guides.tsv, reads/: liver with two lanes of pairs, heart with single reads
#   column map_reads liver FILE   # a value of a table of MultiQC
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$root/tests/cli/lib.sh"

tools=${TRAWL_WORKFLOW_TOOLS:-$root/build/workflow_tools}
mkdir bin
ln -s "$TRAWL" bin/trawl
export PATH=$work/bin:$tools/bin:$PATH
# Nothing of the user's own settings is read, and nothing is left in the home folder.
export HOME=$work/home XDG_CACHE_HOME=$work/home/.cache
mkdir home
if [[ -z ${JAVA_HOME-} || ! -x $JAVA_HOME/bin/java ]] && command -v java > /dev/null; then
  JAVA_HOME=$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")
  export JAVA_HOME
fi

need() {
  for tool in "$@"; do
    if ! command -v "$tool" > /dev/null; then
      echo "$tool is missing; scripts/install_workflow_tools.sh installs it" >&2
      [[ ${CI-} == true ]] && exit 1
      exit 77
    fi
  done
}

make_samples() {
  "$TRAWL_SIMULATE" genome 60000 7 genome.fa 2> /dev/null
  mkdir reads
  for lane in 1 2; do
    "$TRAWL_SIMULATE" pairs genome.fa 400 100 $lane one.fq two.fq --qualities 2> /dev/null
    gzip -c one.fq > reads/liver_L${lane}_R1.fq.gz
    gzip -c two.fq > reads/liver_L${lane}_R2.fq.gz
  done
  "$TRAWL_SIMULATE" reads genome.fa 300 100 3 --qualities 2> /dev/null | gzip > reads/heart.fq.gz
  grep -v '>' genome.fa | tr -d '\n' | grep -oE '[ACGT]{21}GG' | head -n 3 | awk '{ print "guide" NR "\t" substr($1, 1, 20) }' \
    > guides.tsv
}

# column NAME SAMPLE TABLE: MultiQC may put the module and - before NAME. It leaves out columns in which all is 0.
column() {
  awk -F '\t' -v name="$1" -v sample="$2" '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == name || $i ~ "-" name "$") column = i }
    NR > 1 && $1 == sample { print (column ? $column : "no column") }' "$3"
}
