{{- define "waybill.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "waybill.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "waybill.name" . -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Labels that never change: those by which a Deployment selects its pods. */}}
{{- define "waybill.selector" -}}
app.kubernetes.io/name: {{ include "waybill.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "waybill.labels" -}}
{{ include "waybill.selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | trunc 63 | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
{{- end -}}

{{/* The variables of options: `runs-retention-days: 60` becomes WAYBILL_RUNS_RETENTION_DAYS. */}}
{{- define "waybill.options" -}}
{{- range $name, $value := . }}
- name: WAYBILL_{{ $name | upper | replace "-" "_" }}
  value: {{ if kindIs "slice" $value }}{{ join "," $value | quote }}{{ else if kindIs "float64" $value }}{{ $value | int64 | toString | quote }}{{ else }}{{ $value | toString | quote }}{{ end }}
{{- end }}
{{- end -}}

{{/* The options of a role, by name: dict "root" $ "settings" .Values.api. Karrio is added to the gateways that they name. */}}
{{- define "waybill.roleOptions" -}}
{{- $options := mergeOverwrite (deepCopy .root.Values.options) .settings.options -}}
{{- if .root.Values.karrio.enabled -}}
{{- $given := get $options "carrier-gateway" | default list -}}
{{- $given = ternary $given (list $given) (kindIs "slice" $given) -}}
{{- $_ := set $options "carrier-gateway" (append $given (include "waybill.karrioUrl" .root)) -}}
{{- end -}}
{{- include "waybill.options" $options -}}
{{- end -}}

{{/* Karrio's labels are not those of waybill, whose Services and policies do not select its pod. */}}
{{- define "waybill.karrioSelector" -}}
app.kubernetes.io/name: karrio
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "waybill.karrioLabels" -}}
{{ include "waybill.karrioSelector" . }}
app.kubernetes.io/version: {{ .Values.karrio.image.tag | trunc 63 | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
{{- end -}}

{{/* The address that businesses give as `apiUrl`. */}}
{{- define "waybill.karrioUrl" -}}
http://{{ include "waybill.fullname" . }}-karrio.{{ .Release.Namespace }}.svc:5002
{{- end -}}

{{/* The common part of Karrio's containers. `env` is last, so that a container can add to it. */}}
{{- define "waybill.karrioContainer" -}}
image: {{ printf "%s:%s" .Values.karrio.image.repository .Values.karrio.image.tag | quote }}
imagePullPolicy: {{ .Values.karrio.image.pullPolicy }}
securityContext:
  {{- include "waybill.container.security" . | nindent 2 }}
volumeMounts:
  - name: data
    mountPath: /var/lib/karrio
  - name: tmp
    mountPath: /tmp
env:
  - name: SECRET_KEY
    valueFrom:
      secretKeyRef: {name: {{ required "karrio.secretName is missing: the name of a Secret with secret-key and token" .Values.karrio.secretName }}, key: secret-key}
  - name: DATABASE_PASSWORD
    valueFrom:
      secretKeyRef: {name: {{ required "karrio.database.secretName is missing: the name of a Secret with the password" .Values.karrio.database.secretName }}, key: {{ .Values.karrio.database.secretKey }}}
  - name: DATABASE_HOST
    value: {{ required "karrio.database.host is missing" .Values.karrio.database.host | quote }}
  - name: DATABASE_PORT
    value: {{ .Values.karrio.database.port | quote }}
  - name: DATABASE_NAME
    value: {{ .Values.karrio.database.name | quote }}
  - name: DATABASE_USERNAME
    value: {{ .Values.karrio.database.user | quote }}
  - name: ALLOWED_HOSTS
    value: {{ printf "%s-karrio.%s.svc,localhost" (include "waybill.fullname" .) .Release.Namespace | quote }}
  {{- range $name, $value := .Values.karrio.environment }}
  - name: {{ $name }}
    value: {{ $value | quote }}
  {{- end }}
{{- end -}}

{{- define "waybill.databaseEnvironment" -}}
- name: WAYBILL_DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ required "database.secretName is missing: the name of a Secret with the URL of the database" .Values.database.secretName }}
      key: {{ .Values.database.secretKey }}
- name: WAYBILL_LOG_FORMAT
  value: json
- name: WAYBILL_LOG_LEVEL
  value: {{ .Values.logLevel }}
{{- end -}}

{{- define "waybill.container.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* The pod template of a role: dict "root" $ "role" "api" "settings" .Values.api */}}
{{- define "waybill.pod" -}}
{{- $root := .root -}}
metadata:
  labels:
    {{- include "waybill.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
  {{- with .settings.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "waybill.fullname" $root }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with $root.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  {{- with .settings.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  # The process ends within 10 s of SIGTERM{{ if eq .role "api" }}, after the 5 s of preStop{{ end }}.
  terminationGracePeriodSeconds: 30
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    seccompProfile:
      type: RuntimeDefault
  {{- if $root.Values.topologySpread.enabled }}
  topologySpreadConstraints:
    {{- range $root.Values.topologySpread.keys }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: ScheduleAnyway
      # Counts the pods of one version, so that an upgrade spreads the new ones.
      matchLabelKeys: [pod-template-hash]
      labelSelector:
        matchLabels:
          {{- include "waybill.selector" $root | nindent 10 }}
          app.kubernetes.io/component: {{ $.role }}
    {{- end }}
  {{- end }}
  {{- with .settings.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .settings.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .settings.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  initContainers:
    # Several may run at once: one migrates and the others wait.
    - name: migrate
      image: {{ printf "%s:%s" $root.Values.image.repository ($root.Values.image.tag | default $root.Chart.AppVersion) | quote }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      args: [migrate]
      env:
        {{- include "waybill.databaseEnvironment" $root | nindent 8 }}
      resources:
        {{- toYaml $root.Values.migrate.resources | nindent 8 }}
      securityContext:
        {{- include "waybill.container.security" $root | nindent 8 }}
      {{- if $root.Values.ca.secretName }}
      volumeMounts:
        - name: ca
          mountPath: /run/waybill/ca
          readOnly: true
      {{- end }}
  containers:
    - name: {{ .role }}
      image: {{ printf "%s:%s" $root.Values.image.repository ($root.Values.image.tag | default $root.Chart.AppVersion) | quote }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      args: [{{ .role }}]
      env:
        {{- include "waybill.databaseEnvironment" $root | nindent 8 }}
        {{- if and (eq .role "api") $root.Values.database.readSecretKey }}
        - name: WAYBILL_READ_DATABASE_URL
          valueFrom:
            secretKeyRef:
              name: {{ $root.Values.database.readSecretName | default $root.Values.database.secretName }}
              key: {{ $root.Values.database.readSecretKey }}
        {{- end }}
        {{- with $root.Values.database.connections }}
        - name: WAYBILL_DATABASE_CONNECTIONS
          value: {{ . | int64 | toString | quote }}
        {{- end }}
        - name: WAYBILL_SECRET_KEY_FILE
          value: {{ printf "/run/waybill/key/%s" (join ",/run/waybill/key/" (prepend $root.Values.secretKey.furtherKeys $root.Values.secretKey.secretKey)) | quote }}
        {{- if $root.Values.ca.secretName }}
        - name: WAYBILL_CA_FILE
          value: /run/waybill/ca/{{ $root.Values.ca.secretKey }}
        {{- end }}
        {{- if $root.Values.smtp.secretName }}
        - name: WAYBILL_SMTP_URL
          valueFrom:
            secretKeyRef:
              name: {{ $root.Values.smtp.secretName }}
              key: {{ $root.Values.smtp.secretKey }}
        {{- end }}
        {{- with $root.Values.publicUrl }}
        - name: WAYBILL_PUBLIC_URL
          value: {{ . | quote }}
        {{- end }}
        {{- if eq .role "api" }}
        {{- with $root.Values.trustedProxies }}
        - name: WAYBILL_TRUSTED_PROXY
          value: {{ join "," . | quote }}
        {{- end }}
        {{- end }}
        {{- include "waybill.roleOptions" . | trim | nindent 8 }}
      ports:
        {{- if eq .role "api" }}
        - name: http
          containerPort: 8080
        {{- end }}
        - name: metrics
          containerPort: 9464
      # A database that is away makes a pod unready, and restarts none.
      startupProbe:
        httpGet: {path: /healthz, port: metrics}
        periodSeconds: 1
        failureThreshold: 60
      livenessProbe:
        httpGet: {path: /healthz, port: metrics}
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 3
      readinessProbe:
        {{- if eq .role "api" }}
        httpGet: {path: /readyz, port: http}
        {{- else }}
        httpGet: {path: /healthz, port: metrics}
        {{- end }}
        periodSeconds: 2
        timeoutSeconds: 3
        failureThreshold: 2
      {{- if eq .role "api" }}
      # The pod leaves the load balancers before it stops accepting connections.
      lifecycle:
        preStop:
          sleep: {seconds: 5}
      {{- end }}
      resources:
        {{- toYaml .settings.resources | nindent 8 }}
      securityContext:
        {{- include "waybill.container.security" $root | nindent 8 }}
      volumeMounts:
        - name: secret-key
          mountPath: /run/waybill/key
          readOnly: true
        - name: data
          mountPath: /var/lib/waybill
        {{- if $root.Values.ca.secretName }}
        - name: ca
          mountPath: /run/waybill/ca
          readOnly: true
        {{- end }}
  volumes:
    - name: secret-key
      secret:
        secretName: {{ required "secretKey.secretName is missing: the name of a Secret with the key file" $root.Values.secretKey.secretName }}
        defaultMode: 0440
    # Mails, if there is no SMTP server.
    - name: data
      emptyDir: {sizeLimit: 64Mi}
    {{- if $root.Values.ca.secretName }}
    - name: ca
      secret:
        secretName: {{ $root.Values.ca.secretName }}
    {{- end }}
{{- end -}}
