{{/* What no schema can say. Every complaint at once, each with the path of its value. */}}
{{- define "woml.refuse" -}}
{{- $v := .Values -}}
{{- $bad := list -}}
{{- if not $v.image.repository -}}
{{- $bad = append $bad "image.repository is empty: name the image as you built and pushed it" -}}
{{- end -}}
{{- range $part, $what := dict "database" "the URLs of PostgreSQL" "line" "the secrets between engines, sandboxes and plugin hosts" "seal" "the keys that seal secrets" -}}
{{- if not (get $v $part).existingSecret -}}
{{- $bad = append $bad (printf "%s.existingSecret is empty: name the Secret with %s" $part $what) -}}
{{- end -}}
{{- end -}}
{{- if eq $v.line.keys.sandbox $v.line.keys.pluginHost -}}
{{- $bad = append $bad "line.keys.sandbox and line.keys.pluginHost are one key: sandboxes and plugin hosts have a secret each" -}}
{{- end -}}
{{- range $key := list "control" "engine" "sandbox" "pluginHost" -}}
{{- $part := get $v $key -}}
{{- $endsMs := add (int64 $part.drainDelayMs) (int64 $part.graceMs) 10000 -}}
{{- if le (mul 1000 (int64 $part.terminationGracePeriodSeconds)) $endsMs -}}
{{- $bad = append $bad (printf "%s.terminationGracePeriodSeconds is not more than %d ms: drainDelayMs, graceMs and 10 s in which a process closes" $key $endsMs) -}}
{{- end -}}
{{- end -}}
{{- $workers := add (mul 448 (int64 $v.sandbox.workers)) 256 -}}
{{- if lt (include "woml.mib" $v.sandbox.resources.limits.memory | int64) $workers -}}
{{- $bad = append $bad (printf "sandbox.resources.limits.memory is less than %dMi: sandbox.workers times 448Mi, and 256Mi" $workers) -}}
{{- end -}}
{{- if gt (int64 $v.sandbox.workersPerTenant) (int64 $v.sandbox.workers) -}}
{{- $bad = append $bad "sandbox.workersPerTenant is more than sandbox.workers" -}}
{{- end -}}
{{- $processes := add (mul 256 (int64 $v.pluginHost.processes)) 512 -}}
{{- if lt (include "woml.mib" $v.pluginHost.resources.limits.memory | int64) $processes -}}
{{- $bad = append $bad (printf "pluginHost.resources.limits.memory is less than %dMi: pluginHost.processes times 256Mi, and 512Mi" $processes) -}}
{{- end -}}
{{- if and $v.networkPolicy.enabled $v.telemetry.endpoint (not $v.networkPolicy.telemetry.to) -}}
{{- $bad = append $bad "networkPolicy.telemetry.to is empty: say where the collector of telemetry.endpoint is" -}}
{{- end -}}
{{- if and $v.ingress.enabled (not $v.ingress.host) -}}
{{- $bad = append $bad "ingress.host is empty" -}}
{{- end -}}
{{- if $bad -}}
{{- fail (printf "\n\nThe values are refused:\n- %s\n" (join "\n- " $bad)) -}}
{{- end -}}
{{- end }}

{{/* The schema takes Mi and Gi alone. */}}
{{- define "woml.mib" -}}
{{- $number := trimSuffix "Gi" (trimSuffix "Mi" .) | int64 -}}
{{- ternary (mul 1024 $number) $number (hasSuffix "Gi" .) -}}
{{- end }}
