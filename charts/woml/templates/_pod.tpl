{{/* The one pod: (dict "root" . "role" "engine" "part" .Values.engine), with "env" and "args" where these are not the role's own. */}}
{{- define "woml.pod" -}}
{{- $v := .root.Values -}}
{{- $part := .part -}}
{{- $isServer := has .role (list "control" "engine" "sandbox" "plugin-host") -}}
{{- $trusts := and $v.trust.existingSecret (not (has .role (list "sandbox" "smoke"))) -}}
{{- if $isServer }}
serviceAccountName: {{ include "woml.fullname" .root }}-{{ .role }}
terminationGracePeriodSeconds: {{ int64 $part.terminationGracePeriodSeconds }}
topologySpreadConstraints:
  {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    matchLabelKeys: [pod-template-hash]
    labelSelector:
      matchLabels:
        {{- include "woml.selector" $ | nindent 8 }}
  {{- end }}
{{- else }}
restartPolicy: Never
{{- end }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile:
    type: RuntimeDefault
{{- with concat $v.global.imagePullSecrets $v.image.pullSecrets | uniq }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with $part.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $part.runtimeClassName }}
runtimeClassName: {{ . }}
{{- end }}
{{- range $field := list "nodeSelector" "tolerations" "affinity" }}
{{- with get $part $field }}
{{ $field }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
containers:
  - name: {{ .role }}
    image: {{ include "woml.image" .root }}
    imagePullPolicy: {{ $v.image.pullPolicy }}
    args:
      {{- toYaml (default (list .role) .args) | nindent 6 }}
    env:
      {{- default (include "woml.env" .) .env | nindent 6 }}
      {{- if $trusts }}
      {{- include "woml.is" (list "NODE_EXTRA_CA_CERTS" (printf "/etc/woml/trust/%s" $v.trust.key)) | nindent 6 }}
      {{- end }}
      {{- with $part.extraEnv }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
    {{- if $isServer }}
    ports:
      {{- with include "woml.port" . }}
      - name: {{ ternary "http" "line" (eq $.role "control") }}
        containerPort: {{ . }}
      {{- end }}
      - name: health
        containerPort: 9464
    startupProbe:
      httpGet:
        path: /health/live
        port: health
      periodSeconds: 2
      timeoutSeconds: 3
      failureThreshold: 60
    readinessProbe:
      httpGet:
        path: /health/ready
        port: health
      periodSeconds: 5
      timeoutSeconds: 3
      failureThreshold: 2
    livenessProbe:
      httpGet:
        path: /health/live
        port: health
      periodSeconds: 10
      timeoutSeconds: 5
      failureThreshold: 6
    {{- end }}
    resources:
      {{- toYaml $part.resources | nindent 6 }}
    securityContext:
      allowPrivilegeEscalation: false
      privileged: false
      readOnlyRootFilesystem: true
      capabilities:
        drop: [ALL]
    volumeMounts:
      - name: tmp
        mountPath: /tmp
      {{- if $trusts }}
      - name: trust
        mountPath: /etc/woml/trust
        readOnly: true
      {{- end }}
volumes:
  - name: tmp
    emptyDir:
      sizeLimit: {{ $part.tmpSize }}
  {{- if $trusts }}
  - name: trust
    secret:
      secretName: {{ $v.trust.existingSecret }}
      items:
        - key: {{ $v.trust.key }}
          path: {{ $v.trust.key }}
  {{- end }}
{{- end }}

{{/* A pod's template, with its labels: the parameters of woml.pod. */}}
{{- define "woml.podTemplate" -}}
metadata:
  labels:
    {{- include "woml.labels" . | nindent 4 }}
    {{- with .part.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .part.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- include "woml.pod" . | trim | nindent 2 }}
{{- end }}

{{/* (dict "root" . "role" "engine") */}}
{{- define "woml.deployment" -}}
{{- include "woml.refuse" .root -}}
{{- $part := get .root.Values (include "woml.key" .) -}}
{{- $one := merge (dict "part" $part) . -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "woml.metadata" . | nindent 2 }}
spec:
  replicas: {{ int64 $part.replicas }}
  revisionHistoryLimit: 5
  strategy:
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 1
  selector:
    matchLabels:
      {{- include "woml.selector" . | nindent 6 }}
  template:
    {{- include "woml.podTemplate" $one | nindent 4 }}
{{- end }}
