module kubernaut.ai/control-plane/pause

go 1.26.0
