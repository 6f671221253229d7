#!/usr/bin/env bash
# install_dependencies.sh [PACKAGE...]: installs what is needed to build and test Trawl, and these packages, from
# Debian 12 or Ubuntu 24.04. Does nothing if all are installed. Run it as root, or as a user with sudo.
set -euo pipefail

packages=(g++ cmake ninja-build pkg-config libhts-dev libtbb-dev libhwy-dev libcli11-dev catch2 zlib1g-dev
          samtools tabix python3 python3-pytest "$@")
# Make compressed files faster, read .xz, .bz2 and .zst, write bigWig, and are for trawl serve; left out where the distribution does not have
# them for this kind of processor.
optional=(libisal-dev libdeflate-dev liblzma-dev libbz2-dev libzstd-dev libbigwig-dev libmicrohttpd-dev nlohmann-json3-dev libflatbuffers-dev)

is_installed() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'install ok installed'; }
missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
left_out=()
for package in "${optional[@]}"; do
  is_installed "$package" || left_out+=("$package")
done
[ "${#missing[@]}" -ne 0 ] || [ "${#left_out[@]}" -ne 0 ] || exit 0

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
can_install() { command -v apt-get && { [ "$(id -u)" -eq 0 ] || command -v sudo; }; } >/dev/null
if ! can_install; then
  if [ "${#missing[@]}" -eq 0 ]; then
    echo "Not installed, Trawl works without: ${left_out[*]}"
    exit 0
  fi
  echo "Install these packages as root, then run this again:" >&2
  echo "apt-get install --no-install-recommends ${missing[*]} ${left_out[*]}" >&2
  command -v apt-get >/dev/null || echo "(This system has no apt-get; its own packages may have other names.)" >&2
  exit 1
fi
"${as_root[@]}" apt-get update -qq
for package in "${left_out[@]}"; do
  if apt-cache show "$package" >/dev/null 2>&1; then
    missing+=("$package")
  else
    echo "$package is not available here; Trawl works without it"
  fi
done
[ "${#missing[@]}" -eq 0 ] && exit 0
echo "Installing ${missing[*]}"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
