module kubernaut.ai/control-plane/default-rules

go 1.26.0

require github.com/prometheus-community/helm-charts v0.0.0-20260828105119-ed5d7d9b5933 // indirect
