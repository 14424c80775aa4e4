"""The transport of JSON, Connect, gRPC-Web and server-sent events over HTTP/1.1, where no front end serves."""
