# The two targets of the Dockerfile, built by buildah from a Debian of mmdebstrap, and started with a read-only root.

image_limit=150000000

# The context of the sources, in which `./dev release` gives the program that is built already.
make_context() {
  local context=$work/context
  mkdir -p "$context/deploy"
  cp -r deploy/image "$context/deploy/"
  strip -o "$context/waybill" "$build/waybill"
  # Names the packages of libraries and fonts, which ./dev would have installed with the compiler.
  deploy/image/make-root "$build/waybill" "$work/host-root" fonts-noto-core fonts-noto-cjk
  cp "$work/host-root/usr/share/waybill/packages" "$context/packages"
  cat >"$context/dev" <<'SCRIPT'
#!/bin/sh
set -e
apt-get update -qq
DEBIAN_FRONTEND=noninteractive xargs apt-get install -qq -y --no-install-recommends < packages
mkdir -p build-release/waybill-finished
mv waybill build-release/waybill-finished/
SCRIPT
  chmod +x "$context/dev"
}

make_base() {
  local container
  debian "$work/base.tar"
  container=$(bud from scratch)
  bud add --quiet "$container" "$work/base.tar" /
  bud commit --quiet --rm "$container" waybill-deploy-debian
  rm "$work/base.tar"
  make_context
  tell "Debian 12, $(bud images --format '{{.Size}}' waybill-deploy-debian)"
}
prove image-base make_base

# Builds a target, mounts its root at $work/TARGET.root and keeps its settings in $work/TARGET.json. build_target TARGET
build_target() {
  needs image-base
  local container root
  bud build --quiet --isolation chroot --format docker --layers --build-arg DEBIAN=localhost/waybill-deploy-debian \
    -f "$work/context/deploy/image/Dockerfile" --target "$1" -t "$1" "$work/context"
  bud inspect --type image "$1" | jq .Docker.config >"$work/$1.json"
  container=$(bud from "$1")
  root=$(bud mount "$container")
  echo "$root" >"$work/$1.root"
  [ "$(jq -r .User "$work/$1.json")" = 10001:10001 ] || { echo "the user is not 10001" >&2; return 1; }
  # Setuid programs could be used to gain rights.
  [ "$1" != waybill ] || [ -z "$(find "$root" -perm /6000)" ] || { echo "a program is setuid" >&2; return 1; }
}

# The size of the files, as `docker images` shows it.
build_waybill() {
  build_target waybill
  local size
  size=$(du -s --apparent-size -B 1 "$(cat "$work/waybill.root")" | cut -f1)
  tell "$((size / 100000 / 10)).$((size / 100000 % 10)) MB, limit $((image_limit / 1000000)) MB"
  [ "$size" -lt $image_limit ]
}
prove image-waybill build_waybill

build_up() {
  build_target waybill-up
  tell "$(($(du -s --apparent-size -B 1 "$(cat "$work/waybill-up.root")" | cut -f1) / 1000000)) MB with PostgreSQL 15"
}
prove image-waybill-up build_up

# Becomes the entrypoint of an image with arguments. The state folder is the volume. container IMAGE STATE [NAME=VALUE…] -- ARGUMENT…
container() {
  local image=$1 state=$2 options=() variable
  shift 2
  while read -r variable; do options+=(--variable "$variable"); done < <(jq -r '.Env[] | select(startswith("PATH=") | not)' "$work/$image.json")
  while [ "$1" != -- ]; do options+=(--variable "$1"); shift; done
  shift
  install -d -o 10001 -g 10001 -m 0700 "$state"
  exec "$here/contain" "$(cat "$work/$image.root")" "$(jq -r .User "$work/$image.json")" "${options[@]}" \
    --mount "$state:/var/lib/waybill" --mount "$work/key:/run/secrets/secret.key:ro" -- \
    "$(jq -r '.Entrypoint[0]' "$work/$image.json")" "$@"
}

run_version() {
  needs image-waybill
  printf '%064d\n' 5 >"$work/key"
  chmod 0444 "$work/key"
  local said
  said=$(container waybill "$work/state-version" -- version)
  [ "$said" = "$version" ]
  if (container waybill "$work/state-version" -- nonsense); then return 1; fi
  tell "$said"
}
prove image-version run_version

# Ends a process with SIGTERM; its status must be 0. end_process PID
end_process() {
  kill -TERM "$1"
  wait "$1"
}

# True if a process has the image's user, no capability, no way to gain one, and a read-only root. is_contained PID
is_contained() {
  grep -qx $'Uid:\t10001\t10001\t10001\t10001' "/proc/$1/status"
  grep -qxE $'CapEff:\t0+' "/proc/$1/status"
  grep -qx $'NoNewPrivs:\t1' "/proc/$1/status"
  grep -qE '^[^ ]+ / [^ ]+ ro,' "/proc/$1/mounts"
}

# `migrate`, an API process and a worker until the first webhook; then each ends by itself.
run_processes() {
  needs image-version
  local database_url api worker port begin token
  start_postgres
  port=$(free_port)
  local settings=("WAYBILL_DATABASE_URL=$database_url" WAYBILL_SECRET_KEY_FILE=/run/secrets/secret.key
    WAYBILL_ALLOW_PRIVATE_DESTINATIONS=true "WAYBILL_LISTEN=127.0.0.1:$port" WAYBILL_METRICS_LISTEN=127.0.0.1:0)
  begin=$EPOCHREALTIME
  (container waybill "$work/state-migrate" "${settings[@]}" -- migrate)
  (container waybill "$work/state-api" "${settings[@]}" -- api) &
  api=$!
  later_end $api
  (container waybill "$work/state-worker" "${settings[@]}" -- worker) &
  worker=$!
  later_end $worker
  until_true curl -sf "http://127.0.0.1:$port/readyz"
  token=$(container waybill "$work/state-token" "${settings[@]}" -- token create --business Acme)
  /usr/bin/python3 "$here/first_webhook.py" "http://127.0.0.1:$port" "$token" 127.0.0.1
  tell "first webhook $(seconds_since "$begin") s after the start of migrate;"
  is_contained $api
  is_contained $worker
  tell "user 10001 without capabilities, root read-only;"
  begin=$EPOCHREALTIME
  end_process $api
  end_process $worker
  tell "both end in $(seconds_since "$begin") s"
}
prove image-processes run_processes

# `waybill-up` with its default command on an empty volume.
run_up() {
  needs image-waybill-up
  needs image-version
  local up port begin token
  port=$(free_port)
  local settings=(WAYBILL_ALLOW_PRIVATE_DESTINATIONS=true "WAYBILL_LISTEN=127.0.0.1:$port" WAYBILL_METRICS_LISTEN=127.0.0.1:0)
  begin=$EPOCHREALTIME
  (container waybill-up "$work/state-up" "${settings[@]}" -- "$(jq -r '.Cmd[0]' "$work/waybill-up.json")") &
  up=$!
  later_end $up
  until_true curl -sf "http://127.0.0.1:$port/readyz"
  token=$(container waybill-up "$work/state-up" "${settings[@]}" -- token create --business Acme)
  /usr/bin/python3 "$here/first_webhook.py" "http://127.0.0.1:$port" "$token" 127.0.0.1
  tell "first webhook $(seconds_since "$begin") s after the start, with an empty volume;"
  begin=$EPOCHREALTIME
  end_process $up
  tell "ends in $(seconds_since "$begin") s"
}
prove image-up run_up
