#!/usr/bin/env bash
# Runs the blocks of one document in one session (tools/check/examples): session.sh DOCUMENT FOLDER
# Its own names begin with an underscore, since the blocks share its variables.
set -euo pipefail
_document=$1 _folder=$2 _tools=$(dirname "$0")
_answer=$_folder/answer _errors=$_folder/errors
exec 3>&2

# Prints what is wrong with the block's answer.
_differences() { # BLOCK
  [ -e "$1.json" ] || return 0
  jq -s last "$_answer" >"$_folder/last" 2>&1 || { echo "the answer is not JSON"; return 0; }
  jq -r --slurpfile want "$1.json" -f "$_tools/covers.jq" "$_folder/last" 2>&1 || true
}

_complain() {
  local status=$?
  [ "$status" = 0 ] && [ -z "${_wrong:-}" ] && return
  {
    echo "$_document:${_name#*:}: ${_wrong:-the block ends with status $status}"
    sed 's/^/  | /' "$_block.sh"
    sed 's/^/  > /' "$_answer" "$_errors" | head -c 4000
    echo
  } >&3
}
trap _complain EXIT

_only_reads() {
  ! grep -qE -- '(^| )(-d|-X|-F|-T|--data[a-z-]*|--form|--json|--request) |/(toggle|disable|generate-api-token|resume-workflow|confirm-upload)' "$1"
}

for _file in "$_folder"/*.sh; do
  [ -e "$_file" ] || break
  _block=${_file%.sh} _name=$(basename "$_file" .sh)
  if _only_reads "$_file"; then
    for ((_round = 0; _round < 25; ++_round)); do
      set +e
      # shellcheck disable=SC1090
      (set -e; trap - EXIT; . "$_file") >"$_answer" 2>"$_errors"
      _status=$?
      set -e
      [ "$_status" != 0 ] || [ -n "$(_differences "$_block")" ] || break
      sleep 0.2
    done
  fi
  # shellcheck disable=SC1090
  . "$_file" >"$_answer" 2>"$_errors"
  _wrong=$(_differences "$_block")
  [ -z "$_wrong" ] || exit 1
done
