#!/usr/bin/env bash
# trawl map and trawl scan on two hosts: this one, and another one that is made of namespaces of Linux. It has its own
# name, network and processes; what they share is the network between them and the files.
if [[ -z ${TRAWL_TEST_NETWORK-} ]]; then
  for program in ip unshare nsenter setpriv; do
    command -v $program > /dev/null || { echo "skipped: no $program (Debian: iproute2, util-linux)" >&2; exit 77; }
  done
  if ! reason=$(unshare --net --uts --mount --pid --fork --mount-proc bash -c \
    'ip link add name eth0 type veth peer name eth1 && mount -t tmpfs none /mnt && hostname south' 2>&1); then
    echo "skipped: a network of two hosts cannot be made here: $reason" >&2
    exit 77
  fi
  export TRAWL_TEST_NETWORK=1
  exec unshare --net --uts --mount bash "$0"
fi

# --- two hosts, north and south, on one network ---
set -e
mount -t tmpfs none /mnt
printf '127.0.0.1 localhost\n10.77.0.1 north\n10.77.0.2 south\n' > /mnt/hosts
mount --bind /mnt/hosts /etc/hosts
mkfifo /mnt/ready
hostname north
ip link set lo up
# It ends with this test. Its memory is its own, too.
setpriv --pdeathsig KILL unshare --kill-child --net --uts --mount --pid --fork --mount-proc bash -c '
  hostname south
  ip link set lo up
  mount -t tmpfs none /dev/shm
  echo > /mnt/ready
  while sleep 1000; do :; done  # and takes leave of orphans
' 2> /dev/null &
launcher_of_south=$!
read -r < /mnt/ready
south=$(pgrep -P $launcher_of_south)
ip link add name eth0 type veth peer name eth0 netns "$south"
cat > /mnt/agent <<AGENT
#!/bin/bash
# In place of ssh: agent HOST COMMAND...
while [[ \$1 == -* ]]; do shift; done
shift
exec nsenter -t $south -n -u -m -p bash -c "\$*"
AGENT
chmod +x /mnt/agent
ip addr add 10.77.0.1/24 dev eth0
ip link set eth0 up
/mnt/agent south 'ip addr add 10.77.0.2/24 dev eth0; ip link set eth0 up'
set +e

printf 'north slots=2\nsouth slots=2\n' > /mnt/openmpi
export OMPI_MCA_orte_default_hostfile=/mnt/openmpi OMPI_MCA_plm_rsh_agent=/mnt/agent
export OMPI_MCA_oob_tcp_if_include=eth0 OMPI_MCA_btl_tcp_if_include=eth0
. "$(dirname "$0")/mpi_lib.sh"
# UCX, which MPICH uses, knows a host by its kernel and a process by its number; here two hosts have both in common.
[[ $library != *mpich* ]] || { echo "skipped: MPICH takes namespaces for one host" >&2; exit 77; }

# --- ranks 0 and 1 run on north, 2 and 3 on south, whose process numbers mean nothing here ---
ranks_of_south() { pgrep -x trawl --ns "$south" --nslist pid; }
number_there() { awk '/^NSpid:/ { print $NF }' "/proc/$1/status"; }
ranks_left() {
  ranks_of_south
  cat mpi/pid.[01] 2> /dev/null | while read -r pid; do [[ ! -d /proc/$pid ]] || echo "$pid"; done
}
rank_pid() {
  local pid
  [[ $1 != south ]] || { echo "$south"; return; }
  for _ in $(seq 600); do
    if [[ -s mpi/pid.$1 && $1 -lt 2 ]]; then
      cat "mpi/pid.$1"
      return
    fi
    for pid in $(ranks_of_south); do
      [[ $(number_there "$pid") != "$(cat "mpi/pid.$1" 2> /dev/null)" ]] || { echo "$pid"; return; }
    done
    sleep 0.05
  done
}

make_input 60000 1500
map="map --progress off -t 1 -e 2 --tune=batch-size=100 ref.fa"
scan="scan --progress off -t 1 -k 2 --tune=chunk-size=2000 -p ACGTACGTAC -p NRNACGT"

# --- the same bytes; the ranks of both hosts write the file ---
# shared FORMAT COMMAND...
shared() {
  local format=$1
  shift
  "$TRAWL" "$@" -o "one.$format" 2> /dev/null
  mpi 4 "$@" -o "out/x.$format" --stats stats.json
  expect_success
  same "$*, $format" "one.$format" "out/x.$format"
  equal "$*, $format: hosts" "$(sed -n 's/^ *"host": "\(.*\)",/\1/p' stats.json | xargs)" "north north south south"
  equal "$*, $format: no rank has a warning" "$(grep -c 'rank ' stderr)" 0
  equal "$*, $format: nothing else is left" "$(ls -A out)" "$(cd out && ls x.*)"
  rm -f out/*
}
shared sam $map reads.fq
shared bam $map reads.fq
shared bam $map --sort reads.fq
shared bed $scan ref.fa
shared bed.gz $scan ref.fa
run_scan -k 2 -p ACGTACGTAC ref.fa
cp stdout one.bed
mpi 4 scan --progress off -k 2 -p ACGTACGTAC ref.fa
expect_success
same "a stream" one.bed stdout

# --- without -t, the two ranks of a host share its cores ---
half=$(($(nproc) / 2))
for command in "map -e 2 ref.fa reads.fq" "scan -k 1 -p ACGTACGTAC ref.fa"; do
  mpi 2 $command -o out/x.bed --stats stats.json
  expect_success
  equal "$command: threads of the ranks" "$(sed -n '/"ranks"/,$ s/^ *"threads": \(.*\),/\1/p' stats.json | xargs)" \
    "$((half > 0 ? half : 1)) $((half > 0 ? half : 1))"
  rm -f out/*
done

# --- faults ---
{ head -n 4000 reads.fq; printf '@last\nACGT\n+\nII\n'; } > broken.fq
mpi 4 $map broken.fq -o out/x.sam
equal "an input error: said once" "$(grep -c 'broken.fq' stderr)" 1
mpi_failed "an input error" out
no_rank_runs "an input error"
mkdir other
sed '/^>chr2/,$ y/A/C/' ref.fa > other/ref.fa
cp reads.fq other/
on_rank 2 'cd other'
mpi 4 $map reads.fq -o "$work/out/x.bam"
contains "another reference: where" stderr "rank 2 on south"
mpi_failed "another reference" out
no_rank_runs "another reference"

source=reads.fq
struck 4 "map, KILL of the first rank" KILL 0 sam $map fifo
struck 4 "map, KILL on south" KILL 2 bam $map fifo
source=ref.fa
struck 4 "scan, KILL on south" KILL 3 bed.gz $scan fifo
struck 4 "scan, TERM of mpirun" TERM mpirun bed $scan fifo
source=reads.fq
struck 4 "map, KILL of south" KILL south bam $map fifo

finish
