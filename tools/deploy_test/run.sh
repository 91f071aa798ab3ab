#!/usr/bin/env bash
# Proves the deployment: builds and starts everything in deploy/, and prints a line for each proof. `./dev deploy-test` calls it,
# which installs the programs. Needs root. What this machine cannot do is named as left out. With DEPLOY_TEST_KEEP=1 the logs
# stay; DEPLOY_TEST_SOURCES is a file of apt sources to take Debian from.
#   tools/deploy_test/run.sh BUILD-FOLDER [files|units|chart|package|image|compose]…
# The program of the build folder is packed; nothing is compiled. `compose` runs the image, so it makes that, too.
set -euo pipefail
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."
build=$(realpath "${1:?build folder missing}")
shift
# shellcheck source=lib.sh
. "$here/lib.sh"
trap clean_up EXIT
trap 'exit 130' INT TERM

[ "$(id -u)" = 0 ] || die "root is needed"
[ -x "$build/waybill" ] || die "$build has no waybill: ./dev build"
[ $# -gt 0 ] || set -- files units chart package image compose
version=$("$build/waybill" version)
for part in "$@"; do
  [ -r "$here/parts/$part.sh" ] || die "there is no part \"$part\"; the parts are files, units, chart, package, image, compose"
done
for part in "$@"; do
  # shellcheck disable=SC1090
  . "$here/parts/$part.sh"
done
printf '%d proved, %d failed, %d left out\n' "$proved" "$failed" "$left_out"
[ "$failed" = 0 ]
