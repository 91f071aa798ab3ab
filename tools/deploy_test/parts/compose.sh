# compose.yaml without Docker: its services as processes in namespaces, in its order, until the first webhook.

[ -e "$work/image-waybill.proved" ] || . "$here/parts/image.sh"

run_compose() {
  needs image-waybill
  unshare --net true || leave_out "no network namespaces here"
  cp -r deploy "$work/deploy"
  rm -rf "$work/deploy/compose/secrets"
  mkdir "$work/compose"
  local status=0
  # The processes end with the process namespace.
  unshare --net --mount --pid --fork --kill-child --mount-proc /usr/bin/python3 "$here/compose.py" "$work/deploy" "$work/compose" \
    "$(cat "$work/waybill.root")" "$work/waybill.json" >"$work/compose-results" || status=$?
  sed 's/$/;/' "$work/compose-results" >>"$work/said"
  if [ $status != 0 ]; then
    tail -n 5 "$work"/compose/*.log
    return $status
  fi
  tell "with $(haproxy -v | sed -nE '1s/ version ([0-9.]+).*/ \1/p') and the PostgreSQL and Prometheus of this machine"
}
prove compose run_compose

tell_grafana() { leave_out "the image has no package in Debian; tools/check/deploy compares its dashboard with the metrics"; }
prove compose-grafana tell_grafana
