# For the tests under mpirun: source this file in place of lib.sh, or after it. Without mpirun, or without MPI in trawl, the test is skipped.
#
#   mpi 3 scan -k 2 -p ACGT ref.fa -o out/x.bed     # trawl scan on 3 ranks; leaves $status, stdout, stderr
#   on_rank 1 'ulimit -f 8'                         # what rank 1 does before it begins, in the next run
#   mpi_start 3 scan ...; kill "$(rank_pid 1)"; mpi_wait
#
# Every run has a time limit, after which it is killed. TRAWL_MPIRUN names another mpirun. (--tune=KEY=VALUE in one word:
# Open MPI takes a word --tune for its own, wherever it stands.)

[[ -n ${work-} ]] || . "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

mpi_limit=${TRAWL_MPI_LIMIT:-60}

# The launcher must be that of the library which trawl was built with.
library=$(ldd "$TRAWL" | grep -o 'libmpi.*=>')
case $library in
  *mpich*) launchers="${TRAWL_MPIRUN:-} mpirun.mpich mpiexec.mpich mpirun" ;;
  *libmpi*) launchers="${TRAWL_MPIRUN:-} mpirun.openmpi mpirun" ;;
  *) echo "skipped: $TRAWL was built without MPI" >&2; exit 77 ;;
esac
mpirun=""
for launcher in $launchers; do
  command -v "$launcher" > /dev/null && { mpirun=$launcher; break; }
done
[[ -n $mpirun ]] || { echo "skipped: there is no mpirun (Debian: openmpi-bin)" >&2; exit 77; }

# More ranks than cores, as root, and the launcher's own files where the test's files are.
mkdir "$work/mpi"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_orte_tmpdir_base=$work/mpi OMPI_MCA_btl_vader_backing_directory=$work/mpi
export OMPI_MCA_btl_base_warn_component_unused=0

# What each rank runs: it writes its process number, does what on_rank() said, and becomes trawl.
cat > "$work/mpi/rank" <<'RANK'
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}
echo $$ > "mpi/pid.$rank"
[[ ! -e mpi/before.$rank ]] || . "mpi/before.$rank"
exec "$TRAWL" "$@"
RANK
export TRAWL

if ! timeout -k 5 60 "$mpirun" -n 2 true > "$work/mpi/trial" 2>&1; then
  echo "skipped: $mpirun does not work here: $(head -c 300 "$work/mpi/trial")" >&2
  exit 77
fi

on_rank() { echo "$2" > "mpi/before.$1"; }

mpi_start() {
  local ranks=$1
  shift
  rm -f mpi/pid.*
  mpi_began=$SECONDS
  timeout -k 5 "$mpi_limit" "$mpirun" -n "$ranks" bash mpi/rank "$@" > stdout 2> stderr &
  mpi_job=$!
}

mpi_wait() {
  wait "$mpi_job" 2> /dev/null
  status=$?
  rm -f mpi/before.*
}

# mpi RANKS ARGUMENT...: trawl on so many ranks. Its input is that of this function.
mpi() {
  local ranks=$1 watch
  shift
  for attempt in 1 2; do
    rm -f mpi/pid.* mpi/late
    mpi_began=$SECONDS
    look_late > /dev/null 2>&1 < /dev/null &
    watch=$!
    timeout -k 5 "$mpi_limit" "$mpirun" -n "$ranks" bash mpi/rank "$@" > stdout 2> stderr
    status=$?
    kill "$watch" 2> /dev/null
    wait "$watch" 2> /dev/null
    [[ $attempt == 1 ]] && launcher_failed || break
    echo "note: $mpirun itself failed (status $status) after all ranks had ended; the run is repeated: $*" >&2
  done
  rm -f mpi/before.*
}

# Shortly before the time limit: writes which ranks still run.
look_late() {
  for _ in $(seq $((mpi_limit - 5))); do sleep 1; done
  ranks_left > mpi/late
}

# mpirun of Open MPI 4.1 sometimes crashes or does not end when a rank has failed, although all ranks have ended. A rank
# that crashes is no such case: then mpirun says which signal it was.
launcher_failed() {
  case $status in
    124) [[ -e mpi/late && ! -s mpi/late ]] ;;
    134 | 139) [[ -z $(ranks_left) ]] && ! grep -q 'on signal' stderr ;;
    *) return 1 ;;
  esac
}

# The process numbers of the ranks that still run.
ranks_left() {
  local pid
  for pid in $(cat mpi/pid.* 2> /dev/null); do
    [[ -d /proc/$pid ]] && ! grep -q '^State:.Z' "/proc/$pid/status" 2> /dev/null && echo "$pid"
  done
}

# The process number of a rank, when it has one.
rank_pid() {
  for _ in $(seq 600); do
    [[ -s mpi/pid.$1 ]] && { cat "mpi/pid.$1"; return; }
    sleep 0.05
  done
}

# mpi_failed WHAT FOLDER: the run has ended in time with an error, says something, and left nothing in the folder.
mpi_failed() {
  checks=$((checks + 1))
  if [[ $status == 0 ]]; then
    wrong "$1: status 0"
  elif [[ $((SECONDS - mpi_began)) -ge $mpi_limit ]]; then
    wrong "$1: it did not end in $mpi_limit s"
  elif [[ ! -s stderr && ! -s stdout ]]; then  # the mpirun of MPICH says on stdout that a rank was killed
    wrong "$1: no message"
  elif [[ -n $(ls -A "$2") ]]; then
    wrong "$1: left in $2: $(ls -A "$2")"
  fi
  rm -rf tmp/* "${2:?}"/*
}

# no_rank_runs WHAT: all ranks have ended, at most 10 s later.
no_rank_runs() {
  checks=$((checks + 1))
  for _ in $(seq 200); do
    [[ -z $(ranks_left) ]] && return
    sleep 0.05
  done
  wrong "$1: still there: $(ranks_left)"
}

# An input that never ends, so that the run does not end by itself: forever FILE COPIES.
forever() { for _ in $(seq "$2"); do cat "$1"; done; exec sleep 100; }

# struck RANKS WHAT SIGNAL RANK FORMAT COMMAND...: a signal to a rank, or to mpirun, at a random time after the input is
# open. The command reads fifo, which gets $source. Before that, ranks that start together wait for each other, and the
# launcher alone can notice that one is gone: that of Open MPI 4.1 sometimes hangs then.
struck() {
  local ranks=$1 what=$2 signal=$3 rank=$4 format=$5 feeder
  shift 5
  [[ -p fifo ]] || mkfifo fifo
  mpi_start "$ranks" "$@" -o "out/x.$format"
  rm -f opened
  { touch opened; forever "$source" 3; } > fifo &
  feeder=$!
  for _ in $(seq 1200); do [[ -e opened ]] && break; sleep 0.05; done
  ok "$what: the input is open" test -e opened
  local pid=$mpi_job
  [[ $rank == mpirun ]] || pid=$(rank_pid "$rank")
  sleep "0.$(printf '%03d' $((RANDOM % 1000)))"
  [[ $rank != mpirun ]] || pid=$(pgrep -P "$mpi_job" | head -n 1)  # the child of timeout
  kill -s "$signal" "$pid"
  mpi_wait
  kill $feeder 2> /dev/null
  wait $feeder 2> /dev/null
  mpi_failed "$what" out
  no_rank_runs "$what"
}
