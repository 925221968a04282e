{{/* The name of the application. */}}
{{- define "feedbackd.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/*
The beginning of all names. 30 characters, a hyphen and a tenant of 21 make 52. To the name of a StatefulSet, Kubernetes
adds a hyphen and ten characters for a label, which may have 63.
*/}}
{{- define "feedbackd.fullname" -}}
{{- $name := include "feedbackd.name" . -}}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- regexReplaceAll "-+$" (.Values.fullnameOverride | default $full | replace "." "-" | trunc 30) "" -}}
{{- end -}}

{{- define "feedbackd.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "feedbackd.fullname" .) -}}
{{- else -}}
{{- .Values.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}

{{- define "feedbackd.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{/* Labels of the release's objects. */}}
{{- define "feedbackd.labels" -}}
app.kubernetes.io/name: {{ include "feedbackd.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end -}}

{{/* Labels that select the release's daemons. They can never change. */}}
{{- define "feedbackd.daemons" -}}
app.kubernetes.io/name: {{ include "feedbackd.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/component: daemon
{{- end -}}

{{/* Labels that select one daemon. Takes root and daemon. They can never change. */}}
{{- define "feedbackd.selector" -}}
{{ include "feedbackd.daemons" .root }}
{{- with .daemon.tenant }}
feedbackd/tenant: {{ . | quote }}
{{- end }}
{{- end -}}

{{/*
The daemons of this release as a JSON array: one for each tenant, or one without a tenant. An entry has everything in which
daemons differ: tenant (empty: none), id, fullname, host, secret, cpu, memory, size, storageClassName and config.
*/}}
{{- define "feedbackd.daemonList" -}}
{{- include "feedbackd.checkVolumes" .Values -}}
{{- $full := include "feedbackd.fullname" . -}}
{{- $values := .Values -}}
{{- $daemons := list -}}
{{- $names := list -}}
{{- $ids := list -}}
{{- range .Values.tenants }}
{{- $id := .id | default .name -}}
{{- if has .name $names }}{{ fail (printf "tenants: the name %s occurs twice" .name) }}{{ end -}}
{{- if has $id $ids }}{{ fail (printf "tenants: the id %s occurs twice; each tenant needs one of its own" $id) }}{{ end -}}
{{- $names = append $names .name -}}
{{- $ids = append $ids $id -}}
{{- $persistence := .persistence | default dict -}}
{{- $resources := .resources | default dict -}}
{{- $host := .host | default (ternary (printf "%s.%s" .name $values.ingress.host) "" (ne $values.ingress.host "")) -}}
{{- $daemons = append $daemons (dict
      "tenant" .name
      "id" $id
      "fullname" (printf "%s-%s" $full .name)
      "host" $host
      "secret" (.existingSecret | default $values.existingSecret)
      "cpu" ($resources.cpu | default $values.resources.cpu)
      "memory" ($resources.memory | default $values.resources.memory)
      "size" ($persistence.size | default $values.persistence.size)
      "storageClassName" ($persistence.storageClassName | default $values.persistence.storageClassName)
      "config" (.config | default dict)) -}}
{{- else }}
{{- $daemons = append $daemons (dict
      "tenant" ""
      "id" ""
      "fullname" $full
      "host" $values.ingress.host
      "secret" $values.existingSecret
      "cpu" $values.resources.cpu
      "memory" $values.resources.memory
      "size" $values.persistence.size
      "storageClassName" $values.persistence.storageClassName
      "config" dict) -}}
{{- end -}}
{{- toJson $daemons -}}
{{- end -}}

{{/* Kubernetes would refuse these pods long after the installation. */}}
{{- define "feedbackd.checkVolumes" -}}
{{- $names := list -}}
{{- range .extraVolumes -}}
{{- if has .name $names }}{{ fail (printf "extraVolumes: the name %s occurs twice" .name) }}{{ end -}}
{{- $names = append $names .name -}}
{{- end -}}
{{- $paths := list "/tmp" "/etc/feedbackd" "/var/lib/feedbackd" "/run/secrets/feedbackd" -}}
{{- range .extraVolumeMounts -}}
{{- if not (has .name $names) }}{{ fail (printf "extraVolumeMounts: extraVolumes has no volume %s" .name) }}{{ end -}}
{{- if has .mountPath $paths }}{{ fail (printf "extraVolumeMounts: %s is used twice" .mountPath) }}{{ end -}}
{{- $paths = append $paths .mountPath -}}
{{- end -}}
{{- end -}}

{{/* Puts all values of `from` into `into`. Unlike mergeOverwrite, it also takes over false, 0 and empty texts. */}}
{{- define "feedbackd.overlay" -}}
{{- $into := .into -}}
{{- range $key, $value := .from -}}
{{- if and (kindIs "map" $value) (kindIs "map" (get $into $key)) -}}
{{- include "feedbackd.overlay" (dict "into" (get $into $key) "from" $value) -}}
{{- else if or (kindIs "map" $value) (kindIs "slice" $value) -}}
{{- $_ := set $into $key (deepCopy $value) -}}
{{- else -}}
{{- $_ := set $into $key $value -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The names by which clients in the cluster reach a daemon. */}}
{{- define "feedbackd.hosts" -}}
{{- $name := .daemon.fullname -}}
{{- $namespace := .root.Release.Namespace -}}
{{- $hosts := list
      $name
      (printf "%s.%s" $name $namespace)
      (printf "%s.%s.svc" $name $namespace)
      (printf "%s.%s.svc.%s" $name $namespace .root.Values.clusterDomain) -}}
{{- if .root.Values.ingress.enabled -}}
{{- $hosts = append $hosts .daemon.host -}}
{{- end -}}
{{- join ", " $hosts -}}
{{- end -}}

{{/* A daemon's configuration, as JSON. Takes root and daemon. */}}
{{- define "feedbackd.config" -}}
{{- $hosts := include "feedbackd.hosts" . -}}
{{- $config := dict "redis" (dict "consumer" (printf "%s-0" .daemon.fullname)) "http" (dict "listen" "0.0.0.0:9464") -}}
{{- if and .root.Values.ingress.enabled .root.Values.ingress.tls.enabled -}}
{{- $_ := set $config.http "public_url" (printf "https://%s" .daemon.host) -}}
{{- end -}}
{{- include "feedbackd.overlay" (dict "into" $config "from" .root.Values.config) -}}
{{- include "feedbackd.overlay" (dict "into" $config "from" .daemon.config) -}}
{{- $own := dict
      "store" (dict "path" "/var/lib/feedbackd/store.git")
      "state" (dict "dir" "/var/lib/feedbackd/state")
      "redis" (dict "tenant" .daemon.id)
      "http" (dict "hosts" (list $hosts $config.http.hosts | compact | join ", ")) -}}
{{- include "feedbackd.overlay" (dict "into" $config "from" $own) -}}
{{- toJson $config -}}
{{- end -}}

{{/* Memory is reserved as a whole, or the node could run out of it. A limit for CPU would only slow the daemon down. */}}
{{- define "feedbackd.resources" -}}
requests:
  cpu: {{ .cpu | quote }}
  memory: {{ .memory | quote }}
limits:
  memory: {{ .memory | quote }}
{{- end -}}

{{/* Seconds between SIGTERM and SIGKILL: the drain, then a push. */}}
{{- define "feedbackd.gracePeriod" -}}
{{- $config := include "feedbackd.config" . | fromJson -}}
{{- $drain := dig "shutdown" "drain_seconds" 10 $config -}}
{{- add (int64 $drain) (int64 .root.Values.shutdownReserveSeconds) -}}
{{- end -}}

{{/*
Maps as TOML. Helm's own toToml writes every number as a float, because values arrive as JSON, and the daemon wants
integers. A text in JSON is one in TOML as well, apart from DEL. The other characters that are escaped here are none of YAML.
*/}}
{{- define "feedbackd.toml.text" -}}
{{- $text := toRawJson . | trim -}}
{{- if regexMatch "[\\x7f-\\x9f\\x{FFFE}\\x{FFFF}]" $text -}}
{{- range concat (untilStep 127 160 1) (list 65534 65535) -}}
{{- $text = replace (printf "%c" .) (printf "\\u%04x" .) $text -}}
{{- end -}}
{{- end -}}
{{- $text -}}
{{- end -}}

{{- define "feedbackd.toml.key" -}}
{{- if regexMatch "^[A-Za-z0-9_-]+$" . }}{{ . }}{{ else }}{{ include "feedbackd.toml.text" . }}{{ end -}}
{{- end -}}

{{- define "feedbackd.toml.value" -}}
{{- if kindIs "map" . -}}
{{- $pairs := list -}}
{{- range $key, $value := . -}}
{{- if not (kindIs "invalid" $value) -}}
{{- $pairs = append $pairs (printf "%s = %s" (include "feedbackd.toml.key" $key) (include "feedbackd.toml.value" $value)) -}}
{{- end -}}
{{- end -}}
{ {{- if $pairs }} {{ join ", " $pairs }} {{ end -}} }
{{- else if kindIs "slice" . -}}
{{- $items := list -}}
{{- range . }}{{ $items = append $items (include "feedbackd.toml.value" .) }}{{ end -}}
[{{ join ", " $items }}]
{{- else if kindIs "string" . -}}
{{- include "feedbackd.toml.text" . -}}
{{- else -}}
{{- toJson . -}}
{{- end -}}
{{- end -}}

{{/* One table: its values, then its tables, then its arrays of tables. Takes path and table. */}}
{{- define "feedbackd.toml.table" -}}
{{- $path := .path -}}
{{- $tables := dict -}}
{{- $arrays := dict -}}
{{- range $key, $value := .table -}}
{{- $name := include "feedbackd.toml.key" $key -}}
{{- $isArrayOfTables := and (kindIs "slice" $value) (not (empty $value)) -}}
{{- if $isArrayOfTables -}}
{{- range $value }}{{ if not (kindIs "map" .) }}{{ $isArrayOfTables = false }}{{ end }}{{ end -}}
{{- end -}}
{{- if kindIs "map" $value -}}
{{- $_ := set $tables $name $value -}}
{{- else if $isArrayOfTables -}}
{{- $_ := set $arrays $name $value -}}
{{- else if not (kindIs "invalid" $value) }}
{{ $name }} = {{ include "feedbackd.toml.value" $value }}
{{- end -}}
{{- end -}}
{{- range $name, $table := $tables -}}
{{- $below := append $path $name }}

[{{ join "." $below }}]
{{- include "feedbackd.toml.table" (dict "path" $below "table" $table) -}}
{{- end -}}
{{- range $name, $rows := $arrays -}}
{{- $below := append $path $name -}}
{{- range $rows }}

[[{{ join "." $below }}]]
{{- range $key, $value := . }}
{{- if not (kindIs "invalid" $value) }}
{{ include "feedbackd.toml.key" $key }} = {{ include "feedbackd.toml.value" $value }}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "feedbackd.toml" -}}
{{- include "feedbackd.toml.table" (dict "path" list "table" .) | trim -}}
{{- end -}}

{{/* What every container of a daemon has: image, rights, environment and mounts. Takes root and daemon. */}}
{{- define "feedbackd.container" -}}
image: {{ include "feedbackd.image" .root | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
env:
  # Where the daemon looks for passwords and keys: each file has the name of a systemd credential.
  - name: CREDENTIALS_DIRECTORY
    value: /run/secrets/feedbackd
{{- with .root.Values.extraEnv }}
{{ toYaml . | indent 2 }}
{{- end }}
volumeMounts:
  - name: data
    mountPath: /var/lib/feedbackd
  - name: config
    mountPath: /etc/feedbackd
    readOnly: true
  - name: tmp
    mountPath: /tmp
{{- if .daemon.secret }}
  - name: secret
    mountPath: /run/secrets/feedbackd
    readOnly: true
{{- end }}
{{- with .root.Values.extraVolumeMounts }}
{{ toYaml . | indent 2 }}
{{- end }}
{{- end -}}

{{/* The volumes of a pod, without the data. Takes root and daemon. */}}
{{- define "feedbackd.volumes" -}}
- name: config
  configMap:
    name: {{ .daemon.fullname | quote }}
- name: tmp
  emptyDir: {}
{{- with .daemon.secret }}
- name: secret
  secret:
    secretName: {{ . | quote }}
    # The volume's group may read it, no one else.
    defaultMode: 0440
{{- end }}
{{- with .root.Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* What every pod has: account, rights, and where the image comes from. Takes root. */}}
{{- define "feedbackd.pod" -}}
serviceAccountName: {{ include "feedbackd.serviceAccountName" . | quote }}
automountServiceAccountToken: false
# Variables such as FEEDBACKD_SERVICE_HOST could be taken for misspelt keys.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  {{- range $key := list "runAsUser" "runAsGroup" "fsGroup" }}
  {{- with index $.Values.podSecurityContext $key }}
  {{ $key }}: {{ int64 . }}
  {{- end }}
  {{- end }}
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
{{ toYaml . | indent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
{{ toYaml . | indent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
{{ toYaml . | indent 2 }}
{{- end }}
{{- end -}}
