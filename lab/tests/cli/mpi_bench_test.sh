#!/usr/bin/env bash
# trawl-bench multi under mpirun: the table of ranks, whose counts are checked, and the tables made from it.
. "$(dirname "$0")/lib.sh"

# The launcher must be that of the library which trawl-bench was built with.
case $(ldd "$TRAWL_BENCH" | grep -o 'libmpi.*=>') in
  *mpich*) launchers="${TRAWL_MPIRUN:-} mpirun.mpich mpiexec.mpich mpirun" ;;
  *libmpi*) launchers="${TRAWL_MPIRUN:-} mpirun.openmpi mpirun" ;;
  *) echo "skipped: $TRAWL_BENCH was built without MPI" >&2; exit 77 ;;
esac
mpirun=$(for launcher in $launchers; do command -v "$launcher" && break; done)
# More ranks than cores, as root, and the launcher's own files where the test's files are.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_orte_tmpdir_base=$work
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
if ! timeout -k 5 60 "$mpirun" -n 2 true > trial 2>&1; then
  echo "skipped: '$mpirun' (Debian: openmpi-bin) does not work here: $(head -c 300 trial)" >&2
  exit 77
fi
mpi() {
  local ranks=$1
  shift
  timeout -k 5 60 "$mpirun" -n "$ranks" "$TRAWL_BENCH" "$@" > stdout 2> stderr
  status=$?
}

mpi 4 multi --repeats 1 -a aho-corasick-full,wu-manber -n 30011 --patterns 20,300 -m 3,5-40 --ranks 1,2,3,4 -o table.tsv
equal "status" "$status" 0
same "-o" stdout table.tsv
equal "columns" "$(head -n 1 stdout | tr '\t' ' ')" \
  "algorithm patterns different m engine stage matches ranks threads prepare_ms load_ms search_ms reduce_ms total_ms speedup cpu_ms most_cpu_ms n text letters output"
equal "rows" "$(wc -l < stdout)" 33
equal "all agree about each set" "$(awk -F '\t' 'NR > 1 {print $2, $4, $7}' stdout | sort -u | wc -l)" 4
equal "the speedup of one rank" "$(awk -F '\t' '$8 == 1 {print $15}' stdout | sort -u)" 1
ok "times" awk -F '\t' 'NR > 1 && !($11 > 0 && $12 > 0 && $13 > 0 && $14 > 0) { exit 1 }' stdout
ok "seconds of cores: one rank has all" awk -F '\t' 'NR > 1 && !($16 > 0 && ($8 == 1 ? $16 == $17 : $16 > $17)) { exit 1 }' stdout
mpi 3 multi --repeats 1 --made dna -n 5000 --patterns 9 -m 4 --output patterns
equal "status" "$status" 0
equal "all ranks" "$(awk -F '\t' 'NR > 1 {print $8}' stdout | sort -u)" 3
for word in --version --help "multi --help"; do
  mpi 3 $word
  equal "$word is printed once" "$(grep -cE '^(trawl-bench [0-9]|Usage:)' stdout)" 1
done

refused() {
  local message=$1
  shift
  mpi 2 multi "$@"
  equal "$*: status" "$status" 2
  equal "$*: said once" "$(grep -cF -- "$message" stderr)" 1
}
refused "--ranks 3: mpirun has started 2" -n 1000 --ranks 1,3
refused "under mpirun --output is count or patterns" -n 1000 --output stretches

if has_tomllib; then
  mkdir -p results
  cp table.tsv results/kouzinopoulos_ranks.tsv
  python3 - "$paper" > tables.md <<'PYTHON'
import importlib.util, sys, types, pathlib
spec = importlib.util.spec_from_file_location("paper", sys.argv[1])
paper = importlib.util.module_from_spec(spec)
spec.loader.exec_module(paper)
config = paper.tomllib.loads((pathlib.Path(sys.argv[1]).parent / "kouzinopoulos.toml").read_text())
item = next(item for item in config["table"] if "value" not in item)
paper.print_table(item["title"], *paper.table(item, types.SimpleNamespace(results=pathlib.Path("results"))))
PYTHON
  contains "paper.py: the tables of ranks" tables.md "| wu-manber | 300 | 4 | 1 |"
fi

finish
