#!/usr/bin/env bash
# check_packages.sh TARBALL [deb] [bioconda] [bioconda-gpu]: builds packages from the release tarball in a clean Debian, and
# tries them in another one. scripts/make_release.sh calls it. Takes about ten minutes; needs root, debootstrap and a mirror of
# Debian (MIRROR). SUITE is bookworm by default.
set -euo pipefail
tarball=$(realpath "${1:?the release tarball}")
wanted=("${@:2}")
cd "$(dirname "$0")/.."

suite=${SUITE:-bookworm}
mirror=${MIRROR:-http://deb.debian.org/debian}
root=$(mktemp -d)
clean_up() {
  for system in "$root"/*/; do
    for mounted in usr/local/cuda dev proc; do
      ! mountpoint -q "$system$mounted" || umount "$system$mounted" || exit 1
    done
  done
  rm -rf --one-file-system "$root"
}
trap clean_up EXIT

# new_system NAME: a clean Debian in $root/NAME, with the network names of this one.
new_system() {
  [ -d "$root/base" ] || debootstrap --variant=minbase "$suite" "$root/base" "$mirror" > "$root/debootstrap.log"
  cp -a "$root/base" "$root/$1"
  cp -L /etc/resolv.conf "$root/$1/etc/resolv.conf"
  mount -t proc proc "$root/$1/proc"
  mount --bind /dev "$root/$1/dev"
}
# inside NAME COMMAND...
inside() {
  local system=$root/$1
  shift
  chroot "$system" /usr/bin/env -i PATH=/usr/local/cuda/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive "$@"
}
unpack() {
  mkdir -p "$root/$1/source"
  tar -xzf "$tarball" -C "$root/$1/source" --strip-components=1
}
# Tests an installed trawl with nothing of the sources but the test and its data.
smoke_test() {
  mkdir -p "$root/$1/smoke/packaging"
  cp -r test_data "$root/$1/smoke/"
  cp packaging/smoke_test.sh "$root/$1/smoke/packaging/"
  inside "$1" "${@:2}" bash /smoke/packaging/smoke_test.sh
}

check_deb() {
  new_system build
  unpack build
  inside build /source/scripts/install_dependencies.sh dpkg-dev file lintian
  inside build sh -c 'cd /source && cmake --preset package -DTRAWL_CUDA=OFF && cmake --build --preset package &&
    cpack --config build/package/CPackConfig.cmake'
  cp "$root"/build/source/build/package/trawl_*.deb "$(dirname "$tarball")/"
  # The address is that of who makes the package (TRAWL_MAINTAINER); there is none here. The version of libdeflate that
  # `trawl info` names looks like zlib's.
  inside build sh -c 'lintian --fail-on error --tag-display-limit 0 --allow-root \
    --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog,embedded-library /source/build/package/trawl_*.deb'

  new_system user
  cp "$root"/build/source/build/package/trawl_*.deb "$root/user/"
  inside user sh -c 'dpkg-query -W > /before && apt-get update -qq && apt-get install -y -qq /trawl_*.deb'
  smoke_test user
  inside user sh -c 'find / -xdev | sort > /with; apt-get purge -y -qq trawl && find / -xdev | sort > /after'
  if inside user sh -c 'grep -i trawl /after | grep -vE "^/(smoke|trawl_)|/var/log|/var/cache"'; then
    echo "the package left files when it was purged" >&2
    exit 1
  fi
  echo "deb: installs, runs and purges"
}

check_bioconda() {
  local system=$1 gpu=$2
  new_system "$system"
  unpack "$system"
  inside "$system" /source/scripts/install_dependencies.sh
  if [ "$gpu" = 1 ]; then
    mkdir -p "$root/$system/usr/local/cuda"
    mount --bind "$(dirname "$(dirname "$(readlink -f "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")")")" \
      "$root/$system/usr/local/cuda"
    mount -o remount,bind,ro "$root/$system/usr/local/cuda"  # never removed with the system
  fi
  inside "$system" env PREFIX=/prefix CPU_COUNT="$(nproc)" TRAWL_GPU="$gpu" \
    TRAWL_CUDA_ARCHITECTURES="${TRAWL_CUDA_ARCHITECTURES:-}" sh -c \
    'cd /source && bash packaging/bioconda/build.sh'
  rm -r "$root/$system/source"
  smoke_test "$system" env PATH=/prefix/bin:/usr/bin:/bin
  inside "$system" sh -c 'test -s /prefix/share/man/man1/trawl-map.1 && test -s /prefix/share/doc/trawl/LICENSE'
  echo "$system: the recipe's build.sh and test pass"
}

for one in "${wanted[@]}"; do
  case $one in
    deb) check_deb ;;
    bioconda) check_bioconda bioconda 0 ;;
    bioconda-gpu) check_bioconda bioconda-gpu 1 ;;
    *) echo "what is $one?" >&2; exit 2 ;;
  esac
done
