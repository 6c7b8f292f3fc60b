#!/bin/sh
# Writes the rules of gitleaks and their samples as data for internal/gate/scan. It
# makes a copy of gitleaks' source that prints them; gitleaks need not be installed.
set -eu
version=${1:-v8.30.1}
here=$(cd "$(dirname "$0")" && pwd)
target=$here/../../internal/gate/scan
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

cd "$copy"
source=$(go mod download -json "github.com/zricethezav/gitleaks/v8@$version" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
cp -r "$source/." .
chmod -R u+w .
sed 1d "$here/validate.go" > cmd/generate/config/utils/validate.go
sed -i 's/^\truleLookUp := make.*/\tutils.Write()\n\tos.Exit(0)\n&/; s#^\t"slices"#&\n\t"github.com/zricethezav/gitleaks/v8/cmd/generate/config/utils"#' cmd/generate/config/main.go
go run ./cmd/generate/config "$target/gitleaks.json" "$target/testdata/gitleaks.json.gz"
{
  echo "gitleaks.json is the rule set of gitleaks $version (https://github.com/gitleaks/gitleaks),"
  echo "written by scripts/credentials/make.sh. Its licence:"
  echo
  cat LICENSE
} > "$target/gitleaks.LICENSE"
