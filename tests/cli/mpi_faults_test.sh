#!/usr/bin/env bash
# Faults under mpirun: a rank that is killed at any time, a disk that is full for one rank, an input that is not the same
# on all ranks, SIGTERM from a scheduler, a system call that fails on one rank. Each run ends in time, with a message and a
# status, and leaves no file.
# TRAWL_MPI_KILLS: how many ranks are killed, for each command (default 4).
# TRAWL_MPI_FAULTS: which calls fail: "1 7" (the default), or all, of memory 100.
script=$(realpath "$0")
. "$(dirname "$0")/mpi_lib.sh"
make_input 60000 3000
bgzip -c reads.fq > reads.fq.gz
RANDOM=16
kills=${TRAWL_MPI_KILLS:-4}

formats=(bed bed.gz tsv sam)
for n in $(seq "$kills"); do
  format=${formats[n % 4]}
  source=ref.fa
  struck 3 "scan, KILL of rank $((n % 3)), $format" KILL $((n % 3)) $format \
    scan --progress off -k 2 --tune=chunk-size=2000 -p ACGTACGTAC -p NRNACGT fifo
  format=$([[ $((n % 2)) == 0 ]] && echo bam || echo sam)
  source=reads.fq
  struck 3 "map, KILL of rank $(((n + 1) % 3)), $format" KILL $(((n + 1) % 3)) $format \
    map --progress off -e 2 --tune=batch-size=100 ref.fa fifo
done
source=ref.fa
struck 3 "scan, TERM of mpirun" TERM mpirun bed scan --progress off -k 2 --tune=chunk-size=2000 -p ACGTACGTAC fifo
struck 3 "scan, TERM of a rank" TERM 1 bed.gz scan --progress off -k 2 --tune=chunk-size=2000 -p ACGTACGTAC fifo
source=reads.fq
struck 3 "map, TERM of mpirun" TERM mpirun bam map --progress off -e 2 --tune=batch-size=100 ref.fa fifo

# full_disk RANK FORMAT COMMAND...: the rank may write no more than 100,000 bytes to a file. That begins when it has the
# output open, because MPI makes larger files before.
full_disk() {
  local rank=$1 format=$2 what="$3, full disk on rank $1, $2" pid
  shift 2
  mpi_start 3 "$@" --progress off -o "out/x.$format"
  exec 9<> fifo
  head -c 2000 "$source" >&9  # outputs are opened when the input has begun
  pid=$(rank_pid "$rank")
  wait_for_output "$pid" out
  ok "$what: the output is open" test -n "$(open_files "$pid" out)"
  ok "$what: the limit" prlimit --pid "$pid" --fsize=100000
  { tail -c +2001 "$source" > fifo; } &
  exec 9>&-
  mpi_wait
  contains "$what: which rank" stderr "trawl $1: rank $rank on $(hostname): "
  contains "$what: which file" stderr "x.$format: cannot write"
  mpi_failed "$what" out
  no_rank_runs "$what"
}
if command -v prlimit > /dev/null; then
  for rank in 0 1 2; do
    source=ref.fa
    full_disk $rank bed scan -k 1 --tune=chunk-size=5000 -p ACG -p RYRYR fifo
    full_disk $rank bed.gz scan -k 1 --tune=chunk-size=5000 -p ACG -p RYRYR --compression-level 0 fifo
    source=reads.fq
    full_disk $rank sam map -e 3 --report all --tune=batch-size=100 ref.fa fifo
    full_disk $rank bam map -e 3 --report all --tune=batch-size=100 --compression-level 0 --sort ref.fa fifo
  done
else
  echo "skipped: a full disk, because there is no prlimit (Debian: util-linux)"
fi

# A reference that is not the same everywhere. A scan reads it on the first rank only.
mkdir other
sed '/^>chr2/,$ y/A/C/' ref.fa > other/ref.fa
cp reads.fq other/
on_rank 1 'cd other'
mpi 3 map --progress off -e 2 ref.fa reads.fq -o "$work/out/x.bam"
contains "map, another reference: what" stderr "is not the same"
contains "map, another reference: where" stderr "rank 1 on $(hostname)"
mpi_failed "map, another reference" out
run_scan -k 1 -p ACGTACGT ref.fa -o one.bed
on_rank 1 'cd other'
mpi 3 scan --progress off -k 1 -p ACGTACGT ref.fa -o "$work/out/x.bed"
expect_success
same "scan, another reference on another rank" one.bed out/x.bed
rm -f out/*

# Other options on one rank: wrong ones, and right ones with which it would write other records.
for option in "--nonsense" "--report all"; do
  on_rank 1 "set -- \"\$@\" $option"
  mpi 3 map --progress off -e 2 ref.fa reads.fq -o out/x.bam
  contains "$option on rank 1" stderr "rank 1 on $(hostname): the command line is not the same as on rank 0"
  mpi_failed "$option on rank 1" out
done

# The first rank fails when the others have nothing left to do: they fail, too.
# Their shells do not end when mpirun sends them SIGTERM.
for rank in 1 2; do on_rank $rank 'trap "" TERM; "$TRAWL" "$@"; echo $? > "mpi/status.$rank"; exit "$(cat "mpi/status.$rank")"'; done
mpi 3 map --progress off -e 2 ref.fa reads.fq -o out/x.bam --stats /dev/full
equal "the first rank fails last: status of the others" "$(cat mpi/status.1 mpi/status.2 | tr '\n' ' ')" "1 1 "
contains "the first rank fails last" stderr "/dev/full: cannot write"
rm -f out/*

# A call of trawl that fails on one rank (tests/faults): fault RANK CALL:WHAT:N FORMAT COMMAND...
fault() {
  local rank=$1 fault=$2 format=$3
  shift 3
  rm -f fault.log
  on_rank "$rank" "export LD_PRELOAD=$work/faults.so TRAWL_FAULT=$fault TRAWL_FAULT_OF=trawl TRAWL_FAULT_LOG=$work/fault.log"
  mpi 2 "$@" --progress off -o "out/x.$format"
}
faults_on_rank() {
  local rank=$1 call=$2 what=$3 format=$4 count numbers=${TRAWL_MPI_FAULTS:-1 7} n
  shift 4
  if [[ $numbers == all ]]; then
    fault "$rank" "$call:$what:0" "$format" "$@"
    count=$(sed -n 's/^all //p' fault.log)
    numbers=$(seq "$count" | { [[ $call == malloc ]] && shuf -n 100 --random-source=ref.fa || cat; })
    rm -f out/*
  fi
  for n in $numbers; do
    fault "$rank" "$call:$what:$n" "$format" "$@"
    if [[ $status == 0 ]]; then
      same "$1, $call $n fails on rank $rank with $what" "whole.$format" "out/x.$format"
      rm -f out/* tmp/*
    else
      ok "$1, $call $n fails on rank $rank with $what: a message" grep -qE "^trawl( $1)?: " stderr
      cmp -s "whole.$format" "out/x.$format" && rm "out/x.$format"  # the call came after the end
      mpi_failed "$1, $call $n fails on rank $rank with $what" out
    fi
    no_rank_runs "$1, $call $n fails on rank $rank with $what"
  done
}
if compiler=$(command -v cc || command -v gcc || command -v clang); then
  ok "the library of faults" "$compiler" -shared -fPIC -O1 -o faults.so "$(dirname "$script")/../faults/faults.c" -ldl
  map=(map -e 2 --tune=batch-size=100 ref.fa reads.fq)
  scan=(scan -k 1 --tune=chunk-size=2000 -p ACGTACGT ref.fa)
  run "${map[@]:1}" -o whole.bam
  run_scan "${scan[@]:1}" -o whole.bed.gz
  for one in write:ENOSPC read:EIO open:EMFILE mmap:ENOMEM close:EIO name:EIO malloc:ENOMEM thread:EAGAIN; do
    faults_on_rank 0 "${one%:*}" "${one#*:}" bam "${map[@]}"
    faults_on_rank 1 "${one%:*}" "${one#*:}" bam "${map[@]}"
    faults_on_rank 1 "${one%:*}" "${one#*:}" bed.gz "${scan[@]}"
  done
  # While a rank scans a chunk, its other threads wait for messages of the first rank.
  fault 1 malloc:ENOMEM:0 bed.gz "${scan[@]}"
  rm -f out/*
  TRAWL_MPI_FAULTS=$(($(sed -n 's/^all //p' fault.log) * 96 / 100)) faults_on_rank 1 malloc ENOMEM bed.gz "${scan[@]}"
else
  echo "skipped: calls that fail, because there is no C compiler"
fi

# An engine that one rank does not have.
if ! "$TRAWL" info | grep -q '^ *cuda  usable'; then
  mpi 3 scan --engine cuda -k 1 -p ACGTACGT ref.fa -o out/x.bed
  mpi_failed "no device" out
fi

finish
