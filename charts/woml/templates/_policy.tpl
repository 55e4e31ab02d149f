{{/* (dict "root" . "role" "engine" "ingress" TEXT "egress" TEXT), both in full; an empty text: nothing at all. */}}
{{- define "woml.policy" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "woml.metadata" . | nindent 2 }}
  {{- with .annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  podSelector:
    matchLabels:
      {{- include "woml.selector" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress: {{- include "woml.rules" .ingress }}
  egress: {{- include "woml.rules" .egress }}
{{- end }}

{{- define "woml.rules" -}}
{{- with trim . }}{{ nindent 4 . }}{{ else }} []{{ end -}}
{{- end }}

{{/* (list "to" PEERS PORTS): one rule; anyone where there are no peers. */}}
{{- define "woml.rule" -}}
{{- $peers := index . 1 }}
- ports:
    {{- range index . 2 }}
    - port: {{ int64 . }}
      protocol: TCP
    {{- end }}
  {{- if $peers }}
  {{ index . 0 }}:
    {{- toYaml $peers | nindent 4 }}
  {{- end }}
{{- end }}

{{/* The pods of a role as one peer. */}}
{{- define "woml.peers" -}}
- podSelector:
    matchLabels:
      {{- include "woml.selector" . | nindent 6 }}
{{- end }}

{{- define "woml.dns" -}}
{{- $dns := .Values.networkPolicy.dns }}
- ports:
    {{- range $port := $dns.ports }}
    {{- range $protocol := list "UDP" "TCP" }}
    - port: {{ int64 $port }}
      protocol: {{ $protocol }}
    {{- end }}
    {{- end }}
  to:
    {{- toYaml $dns.to | nindent 4 }}
{{- end }}

{{/* /metrics and /health, to whom it is said. */}}
{{- define "woml.watched" -}}
{{- with .Values.networkPolicy.monitoring.from }}
{{- include "woml.rule" (list "from" . (list 9464)) }}
{{- end }}
{{- end }}

{{- define "woml.toDatabase" -}}
{{- with .Values.networkPolicy.database }}
{{- include "woml.rule" (list "to" .to (list .port)) }}
{{- end }}
{{- end }}

{{- define "woml.toRedis" -}}
{{- if .Values.redis.existingSecret }}
{{- include "woml.rule" (list "to" .Values.networkPolicy.redis.to (list .Values.networkPolicy.redis.port)) }}
{{- end }}
{{- end }}

{{- define "woml.toCollector" -}}
{{- if .Values.telemetry.endpoint }}
{{- include "woml.rule" (list "to" .Values.networkPolicy.telemetry.to (list .Values.networkPolicy.telemetry.port)) }}
{{- end }}
{{- end }}

{{/* What is reachable from the open network and nothing else: as the plugin host itself sees it. */}}
{{- define "woml.toInternet" }}
- ports:
    - protocol: TCP
  to:
    - ipBlock:
        cidr: 0.0.0.0/0
        except:
          - 0.0.0.0/8
          - 10.0.0.0/8
          - 100.64.0.0/10
          - 127.0.0.0/8
          - 168.63.129.16/32
          - 169.254.0.0/16
          - 172.16.0.0/12
          - 192.0.0.0/24
          - 192.0.2.0/24
          - 192.88.99.0/24
          - 192.168.0.0/16
          - 198.18.0.0/15
          - 198.51.100.0/24
          - 203.0.113.0/24
          - 224.0.0.0/4
          - 240.0.0.0/4
          {{- range .Values.pluginHost.deniedCidrs }}
          {{- if not (contains ":" .) }}
          - {{ . }}
          {{- end }}
          {{- end }}
    - ipBlock:
        cidr: 2000::/3
        except:
          - 2001::/23
          - 2001:db8::/32
          - 2002::/16
          - 3fff::/20
          {{- range .Values.pluginHost.deniedCidrs }}
          {{- if contains ":" . }}
          - {{ . }}
          {{- end }}
          {{- end }}
{{- end }}

{{- define "woml.toPrivateHosts" -}}
{{- range .Values.pluginHost.privateHosts }}
{{- include "woml.rule" (list "to" .to (list (splitList ":" .host | last))) }}
{{- end }}
{{- end }}
