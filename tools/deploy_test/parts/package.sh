# The Debian package: made by CPack, judged by lintian, and installed, upgraded and purged on a Debian 12 that boots with
# systemd in a container. Without namespaces the machine is only a folder, and the units are not started.

machine=$work/machine
packages=$work/packages

make_package() {
  (umask 022 && cpack -G DEB --config "$build/CPackConfig.cmake" -B "$packages")
  rm -rf "$packages/_CPack_Packages"
  lintian --fail-on error,warning "$packages/waybill_${version}_amd64.deb"
  tell "$(stat -c %s "$packages/waybill_${version}_amd64.deb" | awk '{ printf "%.1f MB", $1 / 1e6 }'), lintian has no complaint"
}
prove package-lintian make_package

# The next version: the same files with other default settings.
make_next_package() {
  needs package-lintian
  dpkg-deb -R "$packages/waybill_${version}_amd64.deb" "$packages/next"
  sed -i "s/^Version: .*/Version: $version+next/" "$packages/next/DEBIAN/control"
  echo '# A setting of the next version.' >>"$packages/next/etc/waybill/waybill.toml"
  dpkg-deb -Znone --root-owner-group -b "$packages/next" "$packages/next.deb"
  rm -r "$packages/next"
}
prove package-next make_next_package

make_machine() {
  needs package-next
  debian "$machine" systemd systemd-sysv dbus curl
  # Services start when the machine boots.
  printf '#!/bin/sh\nexit 101\n' >"$machine/usr/sbin/policy-rc.d"
  chmod +x "$machine/usr/sbin/policy-rc.d"
  cp "$packages/waybill_${version}_amd64.deb" "$packages/next.deb" "$machine/root/"
  local begin
  chroot "$machine" apt-get update -qq
  chroot "$machine" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends --download-only \
    "/root/waybill_${version}_amd64.deb" postgresql-15
  begin=$EPOCHREALTIME
  chroot "$machine" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
    "/root/waybill_${version}_amd64.deb" postgresql-15
  tell "apt takes $(seconds_since "$begin") s with PostgreSQL, without the download;"
  rm "$machine/usr/sbin/policy-rc.d"
  [ "$(chroot "$machine" /usr/bin/waybill version)" = "$version" ]
  [ "$(chroot "$machine" stat -c '%a %U' /etc/waybill/waybill.toml)" = '640 root' ]
  chroot "$machine" getent passwd waybill
  [ -e "$machine/lib/systemd/system/waybill-api@.service" ]
  # An installation starts nothing and enables nothing, because it lacks its settings.
  [ -z "$(find "$machine/etc/systemd/system" -name 'waybill*')" ]
  tell "program, settings, user and units are there"
}
prove package-install make_machine

# Runs a command on the machine, which has booted or is a folder.
inside() {
  if [ -e "$work/leader" ]; then
    nsenter --all --target "$(cat "$work/leader")" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"
  else
    chroot "$machine" env PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
  fi
}

system_runs() { inside systemctl is-system-running --wait | grep -qxE 'running|degraded'; }

boot_machine() {
  needs package-install
  has systemd-nspawn || leave_out "there is no systemd-nspawn: the units are not started"
  systemd-nspawn --quiet --register=no --keep-unit --private-network --resolv-conf=off --machine=waybill-deploy \
    -D "$machine" --boot </dev/null >"$work/boot.log" 2>&1 &
  local nspawn=$! leader
  later_end $nspawn
  until leader=$(pgrep -P $nspawn -x systemd); do
    kill -0 $nspawn 2>/dev/null || leave_out "systemd does not boot in a container here: $(tail -n 1 "$work/boot.log")"
    sleep 0.1
  done
  echo "$leader" >"$work/leader"
  until_true system_runs || { rm "$work/leader"; leave_out "systemd does not boot in a container here: the units are not started"; }
  inside ip link set lo up 2>/dev/null || true
  tell "$(inside systemctl --version | head -n 1)"
}
prove package-boot boot_machine

# The receiver runs in the network of the machine, with this machine's programs. webhook_of PORT TOKEN
webhook_of() {
  nsenter --net --target "$(cat "$work/leader")" /usr/bin/python3 "$here/first_webhook.py" "http://127.0.0.1:$1" "$2" 127.0.0.1
}

main_pid() { inside systemctl show -P MainPID "$1"; }
ready() { inside curl -sf "http://127.0.0.1:$1/readyz"; }

# docs/deployment.md, "One machine".
start_service() {
  needs package-boot
  echo 'allow-private-destinations = true' >>"$machine/etc/waybill/waybill.toml"
  local begin=$EPOCHREALTIME token
  # Type=notify: it returns when waybill is ready.
  inside systemctl enable --now waybill
  tell "ready $(seconds_since "$begin") s after systemctl,"
  token=$(inside setpriv --reuid=waybill --regid=waybill --clear-groups waybill token create --business Acme --data-dir /var/lib/waybill)
  webhook_of 8080 "$token"
  tell "first webhook after $(seconds_since "$begin") s;"
  echo "$token" >"$work/token"
  inside systemd-analyze security --no-pager --threshold=15 waybill.service >"$work/security"
  tell "exposure $(sed -nE 's/.*Overall exposure level for [^:]*: ([0-9.]+).*/\1/p' "$work/security") in the running system"
}
prove package-webhook start_service

# Installs the package over itself, and then its next version, whose default settings are others.
upgrade() {
  needs package-install
  local settings=$machine/etc/waybill/waybill.toml before
  echo '# Changed by the operator.' >>"$settings"
  cp "$settings" "$work/settings"
  inside env DEBIAN_FRONTEND=noninteractive dpkg --force-confdef --force-confold -i "/root/waybill_${version}_amd64.deb"
  cmp "$settings" "$work/settings"
  [ ! -e "$work/package-webhook.proved" ] || { until_true ready 8080; before=$(main_pid waybill); }
  inside env DEBIAN_FRONTEND=noninteractive dpkg --force-confdef --force-confold -i /root/next.deb
  cmp "$settings" "$work/settings"
  [ -e "$settings.dpkg-dist" ]
  [ "$(inside dpkg-query -W -f '${Version}' waybill)" = "$version+next" ]
  tell "twice, the changed settings stay"
  [ -e "$work/package-webhook.proved" ] || return 0
  until_true ready 8080
  [ "$(main_pid waybill)" != "$before" ]
  webhook_of 8080 "$(cat "$work/token")"
  tell "and the service goes on with the new program"
}
prove package-upgrade upgrade

# docs/deployment.md, "Several machines", on a cluster of Debian's PostgreSQL.
start_instances() {
  needs package-webhook
  inside systemctl disable --now waybill
  until_true inside setpriv --reuid=postgres --regid=postgres --clear-groups psql -qc "create role waybill login password 'waybill'"
  inside setpriv --reuid=postgres --regid=postgres --clear-groups createdb --owner waybill waybill
  inside sh -c 'umask 077; od -An -N 32 -tx1 /dev/urandom | tr -d " \n" >/etc/waybill/secret.key'
  sed -i '1i database-url = "postgresql://waybill:waybill@127.0.0.1/waybill"' "$machine/etc/waybill/waybill.toml"
  local begin=$EPOCHREALTIME token
  inside systemctl enable --now waybill-api@8080 waybill-worker@1
  token=$(inside waybill token create --business Acme --config /etc/waybill/waybill.toml)
  webhook_of 8080 "$token"
  tell "first webhook $(seconds_since "$begin") s after systemctl, migrations included;"
  begin=$EPOCHREALTIME
  inside systemctl stop waybill-api@8080 waybill-worker@1
  [ "$(inside systemctl show -P Result waybill-api@8080 waybill-worker@1 | sort -u | xargs)" = success ]
  tell "both end in $(seconds_since "$begin") s"
  inside systemctl start waybill-api@8080 waybill-worker@1
}
prove package-instances start_instances

# The database, its key and the user stay (docs/deployment.md); everything else goes.
purge() {
  needs package-install
  inside env DEBIAN_FRONTEND=noninteractive dpkg --purge waybill
  local left
  # An operator has made the key, and enabled instances.
  left=$(cd "$machine" && find etc usr lib/systemd -name 'waybill*' ! -path '*.wants/*' ! -path etc/waybill)
  [ -z "$left" ] || { printf '%s\n' "$left"; return 1; }
  [ -z "$(find "$machine/etc/waybill" -type f ! -name secret.key)" ]
  tell "program, units, settings and documents are gone"
  [ -e "$work/package-boot.proved" ] || return 0
  if inside sh -c 'ls -l /proc/[0-9]*/exe 2>/dev/null' | grep -q /usr/bin/waybill; then return 1; fi
  [ -z "$(inside systemctl list-units --no-legend --state=running 'waybill*')" ]
  [ ! -e "$work/package-webhook.proved" ] || [ -d "$machine/var/lib/waybill/postgres" ]
  inside getent passwd waybill >/dev/null
  tell "and no process is left; the database and its user stay, as documented"
}
prove package-purge purge

[ ! -e "$work/leader" ] || inside systemctl poweroff 2>/dev/null || true
