# The Helm chart: lint, and each manifest strictly against the schemas of Kubernetes, of the Prometheus operator and of
# CloudNativePG, which are in their Go modules.

kubernetes=1.31.4
kubernetes_module=k8s.io/kubernetes@v$kubernetes
prometheus_module=github.com/prometheus-operator/prometheus-operator@v0.78.2
postgresql_module=github.com/cloudnative-pg/cloudnative-pg@v1.25.0

module_folder() { go mod download -json "$1" | jq -r .Dir; }

lint_chart() {
  has helm || leave_out "there is no helm, and no Go to install it with"
  local values
  for values in deploy/helm/waybill/ci/*.yaml; do helm lint --strict deploy/helm/waybill -f "$values"; done
  tell "$(helm version --short | cut -d+ -f1)"
}
prove chart-lint lint_chart

check_manifests() {
  needs chart-lint
  has kubeconform || leave_out "there is no kubeconform, and no Go to install it with"
  local crds=() folder values
  folder=$(module_folder "$kubernetes_module") || leave_out "the Go module proxy is unreachable: no schemas"
  crds=("$(module_folder "$prometheus_module")"/example/prometheus-operator-crd/monitoring.coreos.com_{servicemonitors,prometheusrules}.yaml
    "$(module_folder "$postgresql_module")"/config/crd/bases/postgresql.cnpg.io_clusters.yaml)
  mkdir -p "$work/schemas"
  /usr/bin/python3 tools/deploy_test/schemas.py "$work/schemas" "$folder/api/openapi-spec/swagger.json" "${crds[@]}"
  for values in deploy/helm/waybill/ci/*.yaml; do
    helm template waybill deploy/helm/waybill --kube-version "$kubernetes" -f "$values" >"$work/manifests-$(basename "$values")"
  done
  local location="$work/schemas/{{ .ResourceKind }}{{ .KindSuffix }}.json"
  kubeconform -strict -summary -schema-location "$location" "$work"/manifests-*.yaml \
    deploy/helm/cloudnative-pg.yaml
  tell "$(sed -nE 's/^Summary: ([0-9]+ resources) found.*/\1 valid/p' "$work/chart-manifests.log") for Kubernetes $kubernetes"
  # A field that no schema has is refused; otherwise the proof proves nothing.
  sed 's/^    spec:$/    spec:\n      nonsense: true/' "$work/manifests-required-values.yaml" >"$work/wrong.yaml"
  if kubeconform -strict -schema-location "$location" "$work/wrong.yaml" >/dev/null; then
    echo "an unknown field is accepted" >&2
    return 1
  fi
}
prove chart-manifests check_manifests
