#!/usr/bin/env bash
# Prints the sample's verdict on each case: cases.sh CASES, where sample.sh is in the working folder.
# shellcheck source=/dev/null
. ./sample.sh
while IFS=$'\t' read -r _ secret id timestamp signature body; do
  if verify "$secret" "$id" "$timestamp" "$signature" "$body"; then echo true; else echo false; fi
done <"$1"
