#!/usr/bin/env bash
# install_dependencies.sh [PACKAGE...]: installs what is needed to build and test Trawl, and these packages, from
# Debian 12 or Ubuntu 24.04. Does nothing if all are installed. Run it as root, or as a user with sudo.
set -euo pipefail

packages=(g++ cmake ninja-build pkg-config libhts-dev libtbb-dev libhwy-dev libcli11-dev catch2 zlib1g-dev
          samtools tabix python3 python3-pytest "$@")
# Make compressed files faster, write bigWig, and are for trawl serve; left out where the distribution does not have
# them for this kind of processor.
optional=(libisal-dev libdeflate-dev libbigwig-dev libmicrohttpd-dev nlohmann-json3-dev)

is_installed() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'install ok installed'; }
missing=()
for package in "${packages[@]}" "${optional[@]}"; do
  is_installed "$package" || missing+=("$package")
done
[ "${#missing[@]}" -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "Install these packages as root, then run this again: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update -qq
for package in "${optional[@]}"; do
  if ! apt-cache show "$package" >/dev/null 2>&1; then
    echo "$package is not available here; Trawl works without it"
    for i in "${!missing[@]}"; do
      [ "${missing[i]}" != "$package" ] || unset 'missing[i]'
    done
  fi
done
[ "${#missing[@]}" -eq 0 ] && exit 0
echo "Installing ${missing[*]}"
DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
