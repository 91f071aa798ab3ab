# The check of all files of deploy/, which `./dev check` runs, too; here the programs that it needs are installed.

check_files() {
  tools/check/deploy "$build" 2>"$work/complaints" || { cat "$work/complaints" >&2; return 1; }
  sed -nE 's/^deploy: (.*) (is|are) not checked: .*/not checked: \1;/p' "$work/complaints" >>"$work/said"
  tell "versions, options, metrics, mounted files, alerts, scripts, HAProxy"
}
prove files check_files

check_dockerfile() {
  has hadolint || leave_out "there is no hadolint on this machine, and none in Debian"
  hadolint deploy/{image,karrio}/Dockerfile
}
prove dockerfile check_dockerfile
