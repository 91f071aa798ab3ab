# The systemd units: `verify` is silent, and `security` judges them as at most 1.5.

check_unit() { # UNIT, INSTANCE
  local file=$work/units/$1$2.service
  mkdir -p "$work/units"
  # `verify` looks for the program, and for an instance of a template.
  sed "s#/usr/bin/waybill #$build/waybill #" "deploy/systemd/$1.service" >"$work/units/$1.service"
  [ -z "$2" ] || cp "$work/units/$1.service" "$file"
  systemd-analyze verify --man=no "$file" >"$work/verified" 2>&1
  [ ! -s "$work/verified" ] || { cat "$work/verified"; return 1; }
  systemd-analyze security --offline=yes --threshold=15 --no-pager "$file" >"$work/security"
  tell "verified, exposure $(sed -nE 's/.*Overall exposure level for [^:]*: ([0-9.]+).*/\1/p' "$work/security")"
}
prove unit-waybill check_unit waybill ''
prove unit-waybill-api check_unit waybill-api@ 8080
prove unit-waybill-worker check_unit waybill-worker@ 1
