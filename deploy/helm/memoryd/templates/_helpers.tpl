{{- define "memoryd.name" -}}
{{- if eq .Release.Name .Chart.Name }}{{ .Chart.Name }}{{ else }}{{ printf "%s-memoryd" .Release.Name | trunc 52 | trimSuffix "-" }}{{ end -}}
{{- end }}

{{- define "memoryd.selector" -}}
app.kubernetes.io/name: memoryd
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "memoryd.labels" -}}
{{ include "memoryd.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "memoryd.check" -}}
{{- $v := .Values -}}
{{- if not $v.insecure -}}
{{- $_ := required "tls.secretName: name the Secret with the daemon's certificate, or set insecure: true" $v.tls.secretName -}}
{{- if not $v.tls.clientCertificates -}}
{{- $_ := required "tokens.secretName: name the Secret with tokens.toml, or set tls.clientCertificates or insecure: true" $v.tokens.secretName -}}
{{- end -}}
{{- end -}}
{{- if eq $v.mode "shared" -}}
{{- $_ := required "store.secretName: name the Secret with the URL of the store" $v.store.secretName -}}
{{- end -}}
{{- end }}

{{- define "memoryd.probe" -}}
{{- if .Values.tls.secretName -}}
# Probes of gRPC cannot use TLS: the daemon is asked at its unix socket.
exec:
  command: [memoryd, health]
{{- else -}}
grpc:
  port: 7600
{{- end -}}
{{- end }}

{{- define "memoryd.pod" -}}
metadata:
  labels:
    {{- include "memoryd.labels" . | nindent 4 }}
  {{- with .Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "memoryd.name" . }}
  automountServiceAccountToken: false
  # Kubernetes would set a variable for each Service of the namespace.
  enableServiceLinks: false
  # The pause before the end, --drain-timeout, and the time of the last snapshot.
  terminationGracePeriodSeconds: {{ add .Values.drainTimeoutSeconds 50 }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 7600
    runAsGroup: 7600
    fsGroup: 7600
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  {{- with .Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: memoryd
      image: {{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [serve]
      env:
        - name: MEMORYD_LISTEN
          value: 0.0.0.0:7600,unix:/run/memoryd/memoryd.sock
        # The volume belongs to the group of the pod.
        - name: MEMORYD_SOCKET_MODE
          value: "0600"
        - name: MEMORYD_DATA_DIR
          value: /data/memoryd
        - name: MEMORYD_DRAIN_TIMEOUT
          value: {{ .Values.drainTimeoutSeconds }}s
        {{- if .Values.metrics.enabled }}
        - name: MEMORYD_METRICS_LISTEN
          value: 0.0.0.0:{{ .Values.metrics.port }}
        {{- end }}
        {{- if .Values.insecure }}
        - name: MEMORYD_INSECURE
          value: "true"
        {{- end }}
        {{- if .Values.tls.secretName }}
        - name: MEMORYD_TLS_CERT_FILE
          value: /etc/memoryd/tls/tls.crt
        - name: MEMORYD_TLS_KEY_FILE
          value: /etc/memoryd/tls/tls.key
        {{- if .Values.tls.clientCertificates }}
        - name: MEMORYD_TLS_CLIENT_CA_FILE
          value: /etc/memoryd/tls/ca.crt
        {{- end }}
        {{- end }}
        {{- if .Values.tokens.secretName }}
        - name: MEMORYD_TOKEN_FILE
          value: /etc/memoryd/tokens/tokens.toml
        {{- end }}
        {{- if eq .Values.mode "shared" }}
        - name: MEMORYD_STORE
          valueFrom:
            secretKeyRef:
              name: {{ .Values.store.secretName }}
              key: {{ .Values.store.key }}
        # Clients connect again now and then, also to daemons that were added.
        - name: MEMORYD_CONNECTION_AGE
          value: 10m
        {{- end }}
        {{- range $name, $value := .Values.settings }}
        - name: MEMORYD_{{ upper $name }}
          {{- /* quote alone would write a large number as 1e+06. */}}
          value: {{ ternary $value (toJson $value) (kindIs "string" $value) | quote }}
        {{- end }}
      ports:
        - name: grpc
          containerPort: 7600
        {{- if .Values.metrics.enabled }}
        - name: metrics
          containerPort: {{ .Values.metrics.port }}
        {{- end }}
      startupProbe:
        {{- include "memoryd.probe" . | nindent 8 }}
        periodSeconds: 2
        timeoutSeconds: 5
        failureThreshold: 300
      readinessProbe:
        {{- include "memoryd.probe" . | nindent 8 }}
        periodSeconds: 10
        timeoutSeconds: 5
      # It asks about the process, not about the store: a restart would not mend Redis. A socket that is open is enough.
      livenessProbe:
        tcpSocket:
          port: grpc
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      lifecycle:
        # Until all nodes have heard that the pod gets no new connections.
        preStop:
          sleep:
            seconds: 5
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      volumeMounts:
        - name: data
          mountPath: /data
        - name: run
          mountPath: /run/memoryd
        - name: tmp
          mountPath: /tmp
        {{- if .Values.tls.secretName }}
        - name: tls
          mountPath: /etc/memoryd/tls
          readOnly: true
        {{- end }}
        {{- if .Values.tokens.secretName }}
        - name: tokens
          mountPath: /etc/memoryd/tokens
          readOnly: true
        {{- end }}
  volumes:
    - name: run
      emptyDir:
        medium: Memory
        sizeLimit: 1Mi
    - name: tmp
      emptyDir:
        sizeLimit: 2Gi
    {{- if eq .Values.mode "shared" }}
    # For snapshots that are requested, and for files that are being received.
    - name: data
      emptyDir: {}
    {{- end }}
    {{- if .Values.tls.secretName }}
    - name: tls
      secret:
        secretName: {{ .Values.tls.secretName }}
        defaultMode: 0440
    {{- end }}
    {{- if .Values.tokens.secretName }}
    - name: tokens
      secret:
        secretName: {{ .Values.tokens.secretName }}
        defaultMode: 0440
    {{- end }}
  {{- if eq .Values.mode "shared" }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "memoryd.selector" . | nindent 10 }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
