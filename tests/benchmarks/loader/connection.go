package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

const (
	// The server's responses never wait for a window: what is measured is the server.
	streamWindow     = 1 << 30
	connectionWindow = 1 << 30
	maxFrameBytes    = 1 << 20
	defaultWindow    = 65_535
	prefixBytes      = 5
)

// A connection of HTTP/2, for one goroutine. Requests are written once all that was read has been handled.
type connection struct {
	socket   net.Conn
	reader   *bufio.Reader
	writer   *bufio.Writer
	framer   *http2.Framer
	decoder  *hpack.Decoder
	failed   error
	messages map[uint32]*stream

	firstHeaders []byte
	nextHeaders  []byte
	nextStream   uint32
	// What the server still takes of requests, on the connection and on each new stream.
	sendWindow   int64
	streamWindow int64
	frameBytes   int64
	waiting      []func() error
	// What was received since the last update of the connection's window.
	received uint32
}

// A stream is one call. Its handlers are called for each message of the response, and at its end.
type stream struct {
	buffered  []byte
	onMessage func(message []byte) error
	onEnd     func() error
}

func dial(address, path string) (*connection, error) {
	socket, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	c := &connection{
		socket:       socket,
		reader:       bufio.NewReaderSize(socket, 64<<10),
		writer:       bufio.NewWriterSize(socket, 64<<10),
		messages:     map[uint32]*stream{},
		nextStream:   1,
		sendWindow:   defaultWindow,
		streamWindow: defaultWindow,
		frameBytes:   16_384,
	}
	c.framer = http2.NewFramer(c.writer, c.reader)
	c.framer.SetReuseFrames()
	c.framer.SetMaxReadFrameSize(maxFrameBytes)
	c.decoder = hpack.NewDecoder(4_096, c.header)
	c.encodeHeaders(address, path)
	if _, err := c.writer.WriteString(http2.ClientPreface); err != nil {
		return nil, err
	}
	err = c.framer.WriteSettings(
		http2.Setting{ID: http2.SettingInitialWindowSize, Val: streamWindow},
		http2.Setting{ID: http2.SettingMaxFrameSize, Val: maxFrameBytes},
	)
	if err != nil {
		return nil, err
	}
	if err := c.framer.WriteWindowUpdate(0, connectionWindow); err != nil {
		return nil, err
	}
	return c, c.writer.Flush()
}

// encodeHeaders encodes a request's headers as any client sends them: once in full, and then as references to the
// table that the first ones have filled.
func (c *connection) encodeHeaders(address, path string) {
	var buffer bytes.Buffer
	encoder := hpack.NewEncoder(&buffer)
	encode := func() []byte {
		buffer.Reset()
		for _, field := range [][2]string{
			{":method", "POST"}, {":scheme", "http"}, {":path", path}, {":authority", address},
			{"content-type", "application/grpc"}, {"te", "trailers"}, {"user-agent", "loader"},
		} {
			// Writing to a buffer does not fail.
			_ = encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]})
		}
		return bytes.Clone(buffer.Bytes())
	}
	c.firstHeaders = encode()
	c.nextHeaders = encode()
}

func (c *connection) header(field hpack.HeaderField) {
	switch {
	case field.Name == "grpc-message" && field.Value != "":
		c.failed = errors.Join(c.failed, errors.New(field.Value))
	case field.Name == "grpc-status" && field.Value != "0":
		c.failed = errors.Join(c.failed, fmt.Errorf("a call ended with gRPC's status %s", field.Value))
	case field.Name == ":status" && field.Value != "200":
		c.failed = errors.Join(c.failed, fmt.Errorf("a call ended with HTTP's status %s", field.Value))
	}
}

// start sends a request, its prefix included, now or as soon as the server has room for it.
func (c *connection) start(body []byte, call *stream) error {
	size := int64(len(body))
	if size > c.streamWindow || size > c.frameBytes {
		return fmt.Errorf("a request of %d bytes does not fit into one frame", size)
	}
	if size > c.sendWindow {
		waiting := bytes.Clone(body)
		c.waiting = append(c.waiting, func() error { return c.start(waiting, call) })
		return nil
	}
	c.sendWindow -= size
	headers := c.nextHeaders
	if c.nextStream == 1 {
		headers = c.firstHeaders
	}
	id := c.nextStream
	c.nextStream += 2
	c.messages[id] = call
	err := c.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: headers, EndHeaders: true})
	if err != nil {
		return err
	}
	return c.framer.WriteData(id, true, body)
}

// step handles one frame, after it has sent what is to be sent if the frame must be waited for.
func (c *connection) step() error {
	if c.reader.Buffered() == 0 {
		if err := c.writer.Flush(); err != nil {
			return err
		}
	}
	frame, err := c.framer.ReadFrame()
	if err != nil {
		return err
	}
	switch frame := frame.(type) {
	case *http2.DataFrame:
		err = c.data(frame)
	case *http2.HeadersFrame:
		err = c.headers(frame)
	case *http2.SettingsFrame:
		err = c.settings(frame)
	case *http2.PingFrame:
		if !frame.IsAck() {
			err = c.framer.WritePing(true, frame.Data)
		}
	case *http2.WindowUpdateFrame:
		if frame.StreamID == 0 {
			c.sendWindow += int64(frame.Increment)
			err = c.startWaiting()
		}
	case *http2.RSTStreamFrame:
		err = fmt.Errorf("the server reset a stream: %v", frame.ErrCode)
	case *http2.GoAwayFrame:
		err = fmt.Errorf("the server closes the connection: %v", frame.ErrCode)
	}
	if err == nil {
		err = c.failed
	}
	return err
}

func (c *connection) startWaiting() error {
	waiting := c.waiting
	c.waiting = nil
	for _, start := range waiting {
		if err := start(); err != nil {
			return err
		}
	}
	return nil
}

func (c *connection) settings(frame *http2.SettingsFrame) error {
	if frame.IsAck() {
		return nil
	}
	if value, ok := frame.Value(http2.SettingInitialWindowSize); ok {
		c.streamWindow = int64(value)
	}
	if value, ok := frame.Value(http2.SettingMaxFrameSize); ok {
		c.frameBytes = int64(value)
	}
	return c.framer.WriteSettingsAck()
}

func (c *connection) headers(frame *http2.HeadersFrame) error {
	if !frame.HeadersEnded() {
		return errors.New("a response has headers in several frames")
	}
	if _, err := c.decoder.Write(frame.HeaderBlockFragment()); err != nil {
		return err
	}
	if err := c.decoder.Close(); err != nil {
		return err
	}
	if !frame.StreamEnded() {
		return nil
	}
	call := c.messages[frame.StreamID]
	delete(c.messages, frame.StreamID)
	if call == nil || c.failed != nil {
		return c.failed
	}
	return call.onEnd()
}

func (c *connection) data(frame *http2.DataFrame) error {
	c.received += frame.Length
	if c.received > connectionWindow/2 {
		if err := c.framer.WriteWindowUpdate(0, c.received); err != nil {
			return err
		}
		c.received = 0
	}
	call := c.messages[frame.StreamID]
	if call == nil || call.onMessage == nil {
		return nil
	}
	rest := frame.Data()
	if len(call.buffered) > 0 {
		call.buffered = append(call.buffered, rest...)
		rest = call.buffered
	}
	for len(rest) >= prefixBytes {
		size := prefixBytes + int(binary.BigEndian.Uint32(rest[1:prefixBytes]))
		if len(rest) < size {
			break
		}
		if err := call.onMessage(rest[prefixBytes:size]); err != nil {
			return err
		}
		rest = rest[size:]
	}
	call.buffered = append(call.buffered[:0], rest...)
	return nil
}

// framed returns a message with the prefix of gRPC.
func framed(message []byte) []byte {
	body := make([]byte, prefixBytes, prefixBytes+len(message))
	binary.BigEndian.PutUint32(body[1:], uint32(len(message)))
	return append(body, message...)
}
