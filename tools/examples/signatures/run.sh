#!/usr/bin/env bash
# Checks that the signature samples of a document verify received webhooks: run.sh DOCUMENT FOLDER
# Needs WAYBILL, TOKEN and RECEIVER (tools/examples/receiver.mjs, which writes its requests to FOLDER/received).
# Each sample is the one block of its language.
set -euo pipefail
document=$(realpath "$1")
folder=$2/signatures
drivers=$(realpath "$(dirname "$0")")
received=$2/received
mkdir "$folder"

api() { curl -sS --fail-with-body -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$@"; }

# Makes a product and prints the file of the webhook that it causes: receive SKU
receive() {
  local round file
  api "$WAYBILL/api/v1/Products" -d "{\"name\": \"Lampe à huile\", \"sku\": \"$1\"}" >/dev/null
  for ((round = 0; round < 100; ++round)); do
    file=$(grep -lsF "/signatures" "$received"/*.json | xargs -r grep -lF "\\\"$1\\\"" || true)
    [ -z "$file" ] || { echo "$file"; return; }
    sleep 0.1
  done
  echo "$document: no webhook arrived for the signature samples" >&2
  return 1
}

# Adds a case: expect VERDICT SECRET REQUEST [JQ-CHANGE]
count=0
expect() {
  local body=$folder/body.$((++count))
  jq -j "${4:-.} | .body" "$3" >"$body"
  printf '%s\t%s\t%s\t%s\n' "$1" "$2" \
    "$(jq -r "${4:-.} | .headers | [.[\"webhook-id\"], .[\"webhook-timestamp\"], .[\"webhook-signature\"]] | @tsv" "$3")" "$body" \
    >>"$folder/cases"
}

trigger=$(api "$WAYBILL/api/workflows/triggers/Product" | jq -r '.data[] | select(.code == "product_created").guid')
workflow=$(api "$WAYBILL/api/workflows/configure" -d "{\"name\": \"Signatures\", \"entityType\": \"Product\",
  \"triggerId\": \"$trigger\", \"action\": {\"type\": \"webhook\", \"recipient\": \"$RECEIVER/signatures\"}}")
old=$(jq -r .data.action.secret <<<"$workflow")
first=$(receive LAMP-1)
new=$(api -X POST "$WAYBILL/api/workflows/configured/$(jq -r .data.guid <<<"$workflow")/rotate-secret" -d '{}' | jq -r .data.secret)
second=$(receive LAMP-2)

# The signature of the first request if it had been sent ten minutes earlier.
now=$(jq -r '.headers["webhook-timestamp"]' "$first")
key=$(base64 -d <<<"${old#whsec_}" | od -An -v -tx1 | tr -d ' \n')
stale=$(jq -j ".headers[\"webhook-id\"] + \".$((now - 600)).\" + .body" "$first" |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64 -w 0)

expect true "$old" "$first"
expect true "$old" "$second"
expect true "$new" "$second"
expect false "$new" "$first"
expect false "$old" "$first" '.body += " "'
expect false "$old" "$first" '.headers["webhook-id"] += "0"'
expect false "$old" "$first" '.headers["webhook-timestamp"] = (.headers["webhook-timestamp"] | tonumber - 1 | tostring)'
expect false "$old" "$first" '.headers["webhook-timestamp"] = "soon"'
expect false "$old" "$first" '.headers["webhook-signature"] |= .[0:20]'
expect false "$old" "$first" '.headers["webhook-signature"] |= ltrimstr("v1,")'
expect false "$old" "$first" '.headers["webhook-signature"] |= "v2," + ltrimstr("v1,")'
expect false "$old" "$first" ".headers[\"webhook-timestamp\"] = \"$((now - 600))\" | .headers[\"webhook-signature\"] = \"v1,$stale\""

# Writes the block of a language: sample LANGUAGE FILE
sample() {
  awk -v fence="\`\`\`$1" '$0 == fence { inside = 1; next } /^```/ { inside = 0 } inside' "$document" >"$2"
  [ -s "$2" ] || { echo "$document: there is no $1 sample" >&2; return 1; }
}

# Runs a sample where its program is installed: check LANGUAGE PROGRAM SAMPLE-FILE COMMAND…
check() {
  local language=$1 program=$2 file=$folder/$1/$3 verdicts
  shift 3
  mkdir -p "$(dirname "$file")"
  sample "$language" "$file" || return 1
  command -v "$program" >/dev/null || return 0
  verdicts=$(cd "$folder/$language" && "$@" 2>&1) || true
  diff <(cut -f 1 "$folder/cases") - <<<"$verdicts" >"$folder/$language.diff" && return
  echo "$document: the $language sample is wrong about these cases (expected <, given >):" >&2
  cat "$folder/$language.diff" >&2
  return 1
}

go_sample() { cp "$drivers/cases.go" main.go && printf 'module example\n\ngo 1.19\n' >go.mod && go run . "$1"; }
java_sample() { javac -d . Webhook.java "$drivers/Cases.java" && java -cp . Cases "$1"; }

checks=()
check js node sample.mjs node "$drivers/cases.mjs" "$folder/cases" & checks+=($!)
check python python3 sample.py python3 -B "$drivers/cases.py" "$folder/cases" & checks+=($!)
check php php sample.php php "$drivers/cases.php" "$folder/cases" & checks+=($!)
check go go webhook/webhook.go go_sample "$folder/cases" & checks+=($!)
check java javac Webhook.java java_sample "$folder/cases" & checks+=($!)
check bash openssl sample.sh bash "$drivers/cases.sh" "$folder/cases" & checks+=($!)
bad=0
for each in "${checks[@]}"; do wait "$each" || bad=1; done
exit "$bad"
