module github.com/memoryd/memoryd/tests/web/connect_go

go 1.26.0

require (
	connectrpc.com/connect v1.21.1
	github.com/memoryd/memoryd/clients/go v0.0.0
	google.golang.org/genproto/googleapis/rpc v0.0.0-20261019180522-ce908d29299b
)

require (
	golang.org/x/net v0.60.0 // indirect
	golang.org/x/sys v0.48.0 // indirect
	golang.org/x/text v0.42.0 // indirect
	google.golang.org/genproto/googleapis/api v0.0.0-20261019180522-ce908d29299b // indirect
	google.golang.org/grpc v1.85.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)

replace github.com/memoryd/memoryd/clients/go => ../../../clients/go
