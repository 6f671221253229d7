#!/usr/bin/env bash
# `nf-core modules lint` passes on the modules. It asks Nextflow for two things, which the twin answers: what a module's
# container is, and what the configuration is (nothing). The schemas of nf-core/modules are not here, so any meta.yml and
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
    # inspect -profile PROFILE -format json MODULE
    container=\$(groovy "$root/tests/workflows/nextflow_twin.groovy" . --container "\$3" "\$6") || exit 1
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

lint() {
  (cd repository && nf-core --hide-progress modules --git-remote "file://$work/remote" --branch master --no-pull lint --all \
    --plain-text .) > stdout 2> stderr < /dev/null
  status=$?
}
lint
expect_success
grep -E '✔|!|✗' stdout | tail -n 3
equal "no test failed" "$(grep -c '^\[✗\]' stdout)" 0

finish
