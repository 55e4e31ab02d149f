{{/* Room is left for the longest suffix, -plugin-host. */}}
{{- define "woml.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- default $full .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{/* (dict "root" . "role" "engine") */}}
{{- define "woml.selector" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- define "woml.labels" -}}
{{ include "woml.selector" . }}
app.kubernetes.io/part-of: woml
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* The metadata of all that belongs to one role; `name` where it is not the role's. */}}
{{- define "woml.metadata" -}}
name: {{ include "woml.fullname" .root }}-{{ default .role .name }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "woml.labels" . | nindent 2 }}
{{- end }}

{{/* Where a role's values are. */}}
{{- define "woml.key" -}}
{{- ternary "pluginHost" .role (eq .role "plugin-host") -}}
{{- end }}

{{- define "woml.image" -}}
{{- $image := .Values.image -}}
{{- $registry := default $image.registry .Values.global.imageRegistry -}}
{{- $name := ternary (printf "%s/%s" $registry $image.repository) $image.repository (ne $registry "") -}}
{{- if $image.digest -}}{{ $name }}@{{ $image.digest }}{{- else -}}{{ $name }}:{{ default .Chart.AppVersion $image.tag }}{{- end -}}
{{- end }}
