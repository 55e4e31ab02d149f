{{/* The one place where settings of processes come from: (dict "root" . "role" "engine" "part" .Values.engine). */}}
{{- define "woml.env" -}}
{{- $v := .root.Values -}}
{{- $full := include "woml.fullname" .root -}}
{{- $role := .role -}}
{{- $part := .part -}}
{{- $database := $v.database -}}
{{- $isServer := ne $role "migrate" -}}
{{- $isGuests := has $role (list "sandbox" "plugin-host") -}}
{{ include "woml.is" (list "WOML_LOG" $v.log) }}
{{- if $isServer }}
{{ include "woml.is" (list "WOML_HEALTH_LISTEN" (printf "%s:9464" $v.listenHost)) }}
{{ include "woml.is" (list "WOML_DRAIN_DELAY_MS" (int64 $part.drainDelayMs)) }}
{{ include "woml.is" (list "WOML_GRACE_MS" (int64 $part.graceMs)) }}
{{- end }}
{{- if has $role (list "control" "sandbox" "plugin-host") }}
{{ include "woml.is" (list "WOML_LISTEN" (printf "%s:%s" $v.listenHost (include "woml.port" .))) }}
{{- end }}
{{- if not $isGuests }}
{{ include "woml.from" (list "WOML_DATABASE_URL" $database.existingSecret (include "woml.urlKey" .)) }}
{{- end }}
{{- if has $role (list "control" "engine") }}
{{ include "woml.is" (list "WOML_DATABASE_SET_ROLE" (ternary "on" "off" $database.setRole)) }}
{{- if $v.redis.existingSecret }}
{{ include "woml.from" (list "WOML_REDIS_URL" $v.redis.existingSecret $v.redis.key) }}
{{- end }}
{{ include "woml.is" (list "WOML_REDIS_PREFIX" (default (printf "{woml/%s/%s}" .root.Release.Namespace $full) $v.redis.prefix)) }}
{{- end }}
{{- if eq $role "migrate" }}
{{- range $service := list "control" "engine" }}
{{- $key := include "woml.urlKey" (dict "root" $.root "role" $service) }}
{{ include "woml.from" (list (printf "WOML_%s_DATABASE_URL" (upper $service)) $database.existingSecret $key) }}
{{- end }}
{{- end }}
{{- if eq $role "control" }}
{{- $ingress := ternary (printf "%s://%s" (ternary "https" "http" (ne $v.ingress.tlsSecret "")) $v.ingress.host) "" $v.ingress.enabled -}}
{{- with default $ingress $part.publicUrl }}
{{ include "woml.is" (list "WOML_PUBLIC_URL" .) }}
{{- end }}
{{ include "woml.from" (list "WOML_SEAL_PUBLIC_KEY" $v.seal.existingSecret $v.seal.keys.public) }}
{{- if $v.bootstrap.existingSecret }}
{{ include "woml.from" (list "WOML_BOOTSTRAP_ADMIN_KEY" $v.bootstrap.existingSecret $v.bootstrap.key) }}
{{- end }}
{{- end }}
{{- if has $role (list "engine" "sandbox") }}
{{ include "woml.from" (list "WOML_SANDBOX_LINE_SECRET" $v.line.existingSecret $v.line.keys.sandbox) }}
{{- end }}
{{- if has $role (list "engine" "plugin-host") }}
{{ include "woml.from" (list "WOML_PLUGIN_HOST_LINE_SECRET" $v.line.existingSecret $v.line.keys.pluginHost) }}
{{- end }}
{{- if eq $role "engine" }}
{{ include "woml.from" (list "WOML_SEAL_PRIVATE_KEY" $v.seal.existingSecret $v.seal.keys.private) }}
{{ include "woml.is" (list "WOML_SANDBOXES" (printf "%s-sandbox:7331" $full)) }}
{{ include "woml.is" (list "WOML_PLUGIN_HOSTS" (printf "%s-plugin-host:7332" $full)) }}
{{ include "woml.is" (list "WOML_LEASE_MS" (int64 $part.leaseMs)) }}
{{ include "woml.is" (list "WOML_CLOCK_BOUND_MS" (int64 $part.clockBoundMs)) }}
{{ include "woml.is" (list "WOML_DRIVEN_MAX" (int64 $part.drivenMax)) }}
{{- end }}
{{- if $isGuests }}
{{ include "woml.is" (list "WOML_STATE_DIR" "/tmp") }}
{{- end }}
{{- if eq $role "sandbox" }}
{{ include "woml.is" (list "WOML_SANDBOX_WORKERS" (int64 $part.workers)) }}
{{ include "woml.is" (list "WOML_SANDBOX_WORKERS_PER_TENANT" (int64 $part.workersPerTenant)) }}
{{- end }}
{{- if eq $role "plugin-host" }}
{{ include "woml.is" (list "WOML_PLUGIN_PROCESSES" (int64 $part.processes)) }}
{{ include "woml.is" (list "WOML_OWN_HOSTS" (include "woml.ownHosts" .)) }}
{{- if $part.privateHosts }}
{{ include "woml.is" (list "WOML_PRIVATE_HOSTS" (include "woml.privateHosts" $part)) }}
{{- end }}
{{- end }}
{{- if and $v.telemetry.endpoint (has $role (list "control" "engine" "plugin-host")) }}
{{ include "woml.is" (list "OTEL_EXPORTER_OTLP_ENDPOINT" $v.telemetry.endpoint) }}
{{- if $v.telemetry.headers.existingSecret }}
{{ include "woml.from" (list "OTEL_EXPORTER_OTLP_HEADERS" $v.telemetry.headers.existingSecret $v.telemetry.headers.key) }}
{{- end }}
{{- end }}
{{- end }}

{{- define "woml.is" -}}
- name: {{ index . 0 }}
  value: {{ index . 1 | toString | quote }}
{{- end }}

{{- define "woml.from" -}}
- name: {{ index . 0 }}
  valueFrom:
    secretKeyRef:
      name: {{ index . 1 }}
      key: {{ index . 2 }}
{{- end }}

{{- define "woml.port" -}}
{{- get (dict "control" "7330" "sandbox" "7331" "plugin-host" "7332") .role -}}
{{- end }}

{{- define "woml.urlKey" -}}
{{- $keys := .root.Values.database.keys -}}
{{- ternary $keys.single (get (dict "migrate" $keys.owner "control" $keys.control "engine" $keys.engine) .role) .root.Values.database.setRole -}}
{{- end }}

{{/* Each Service by every name that it answers to within a cluster, and what the operator names. */}}
{{- define "woml.ownHosts" -}}
{{- $full := include "woml.fullname" .root -}}
{{- $names := list -}}
{{- range $role := list "control" "sandbox" "plugin-host" -}}
{{- $short := printf "%s-%s" $full $role -}}
{{- $long := printf "%s.%s" $short $.root.Release.Namespace -}}
{{- $names = concat $names (list $short $long (printf "%s.svc" $long) (printf "%s.svc.cluster.local" $long)) -}}
{{- end -}}
{{- join "," (concat $names .part.ownHosts | uniq) -}}
{{- end }}

{{- define "woml.privateHosts" -}}
{{- $hosts := list -}}
{{- range .privateHosts }}{{ $hosts = append $hosts .host }}{{ end -}}
{{- join "," (uniq $hosts) -}}
{{- end }}
