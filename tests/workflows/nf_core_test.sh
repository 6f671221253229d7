#!/usr/bin/env bash
# `nf-core modules lint` passes on the modules. It asks Nextflow for two things: what a module's container is,
# which nextflow_parts.groovy answers, and what the configuration is (nothing). The schemas of nf-core/modules are not here, so any meta.yml and
# environment.yml fits them; that meta.yml has the inputs, outputs and topics of main.nf is checked all the same.
. "$(dirname "$0")/lib.sh"
need nf-core groovy git
export JAVA_OPTS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"
git config --global user.name test
git config --global user.email test@example.org
git config --global init.defaultBranch master

cat > bin/nextflow << EOF
#!/usr/bin/env bash
case \$1 in
  -v) echo "nextflow version 25.10.2.10555" ;;
  config) echo '{}' ;;
  inspect)
    # inspect [-profile PROFILE] -format json MODULE
    profile=none
    [[ \$2 == -profile ]] && profile=\$3
    container=\$(groovy "$root/tests/workflows/nextflow_parts.groovy" <<< "{\"file\": \"\${@: -1}\", \"part\": \"container\", \"workflow\": {\"containerEngine\": \"\$profile\"}}") || exit 1
    echo "{\"processes\": [{\"name\": \"module\", \"container\": \"\$container\"}]}"
    ;;
esac
EOF
chmod +x bin/nextflow

# A clone of a repository that has only what nf-core reads of nf-core/modules.
mkdir -p upstream/modules/nf-core/none upstream/subworkflows/nf-core
echo '{}' | tee upstream/modules/meta-schema.json > upstream/modules/environment-schema.json
touch upstream/modules/nf-core/none/main.nf
cp "$root/workflows/nextflow/.nf-core.yml" upstream
(cd upstream && git init -q && git add -A && git commit -qm modules)
git clone -q upstream remote

mkdir -p repository/modules repository/tests/config
cp -r "$root/workflows/nextflow/modules/nf-core" repository/modules
cp "$root/workflows/nextflow/.nf-core.yml" repository
touch repository/main.nf
(cd repository && git init -q && git add -A && git commit -qm modules)

# It asks Bioconda for versions, which must be refused at once where there is no network.
(cd repository && https_proxy=http://127.0.0.1:9 nf-core --hide-progress modules --git-remote "file://$work/remote" \
  --branch master --no-pull lint --all --plain-text) > stdout 2> stderr < /dev/null
status=$?
expect_success
summary=$(sed -n '/^LINT RESULTS SUMMARY/,$p' stdout)
equal "tests that failed" "$(grep -oE '[0-9]+ Tests? Failed' <<< "$summary")" "0 Tests Failed"
ok "many tests passed" test "$(grep -oE '[0-9]+ Tests? Passed' <<< "$summary" | cut -d ' ' -f 1)" -ge 150
equal "warnings that are not of a version on Bioconda" \
  "$(grep -E '^trawl/[a-z]+ ' stdout | grep -cv 'bioconda_version')" 0

# A module whose meta.yml lacks an output is found: so the lint really reads them.
sed -i '/^  cram:/,/^  sam:/{/^  sam:/!d}' repository/modules/nf-core/trawl/map/meta.yml
(cd repository && https_proxy=http://127.0.0.1:9 nf-core --hide-progress modules --git-remote "file://$work/remote" \
  --branch master --no-pull lint trawl/map --key meta_yml --plain-text) > stdout 2> stderr < /dev/null
equal "a meta.yml without an output: status" $? 1
contains "a meta.yml without an output" stdout "meta_yml"

finish
