package memoryd

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"

	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

const partBytes = 1 << 20

// UploadDocumentOptions are the options of [Documents.Upload]. Text, Data and URL are left out: the content of the
// document is the file.
type UploadDocumentOptions struct {
	CreateDocumentOptions
	// Receives the number of bytes that were sent so far, after each part.
	Progress func(sentBytes int64)
}

// UploadUpdateOptions are the options of [Documents.UploadUpdate]. Text, Data and URL are left out: the new content of
// the document is the file.
type UploadUpdateOptions struct {
	UpdateDocumentOptions
	// Receives the number of bytes that were sent so far, after each part.
	Progress func(sentBytes int64)
}

// Upload creates a document from a file of any size, which is sent in parts. Only the context limits its time.
//
// The client never sends an upload again. To repeat one that has failed, give both the same request id. The error is
// ErrCancelled, and nothing has changed, if the file cannot be read: it also wraps the error of the reader. It may be
// ErrRecordExists, ErrTooLarge or ErrQuotaExceeded, and ErrDocumentUnreadable if no text can be extracted from the file.
func (d *Documents) Upload(
	ctx context.Context, file io.Reader, options *UploadDocumentOptions,
) (*memorydv1.Document, error) {
	chosen := *cmp.Or(options, &UploadDocumentOptions{})
	request, err := filled[memorydv1.CreateDocumentRequest](d.agent, given{options: &chosen.CreateDocumentOptions})
	if err != nil {
		return nil, err
	}
	if request.GetContent() != nil {
		return nil, otherContent()
	}
	return d.upload(ctx, file, chosen.Progress, &memorydv1.UploadDocumentHeader{
		AgentId:           request.GetAgentId(),
		RequestId:         request.GetRequestId(),
		AgentPrecondition: request.GetAgentPrecondition(),
		Target:            &memorydv1.UploadDocumentHeader_Create{Create: request.GetDraft()},
	})
}

// UploadUpdate changes a document, whose new content is a file of any size, and keeps the fields that are not among the
// changes. It is sent, and fails, as by [Documents.Upload], and with ErrRecordNotFound (kind "document") if the document
// does not exist.
func (d *Documents) UploadUpdate(
	ctx context.Context, documentID string, file io.Reader, changes UpdateDocumentChanges, options *UploadUpdateOptions,
) (*memorydv1.Document, error) {
	chosen := *cmp.Or(options, &UploadUpdateOptions{})
	request, err := filled[memorydv1.UpdateDocumentRequest](d.agent, given{
		arguments: []argument{{"document_id", documentID}},
		options:   &chosen.UpdateDocumentOptions,
		changes:   changes,
	})
	if err != nil {
		return nil, err
	}
	if request.GetContent() != nil {
		return nil, otherContent()
	}
	update := &memorydv1.DocumentUpdate{
		DocumentId: request.GetDocumentId(), Draft: request.GetDraft(), UpdateMask: request.GetUpdateMask(),
	}
	return d.upload(ctx, file, chosen.Progress, &memorydv1.UploadDocumentHeader{
		AgentId:           request.GetAgentId(),
		RequestId:         request.GetRequestId(),
		Precondition:      request.GetPrecondition(),
		AgentPrecondition: request.GetAgentPrecondition(),
		Target:            &memorydv1.UploadDocumentHeader_Update{Update: update},
	})
}

func otherContent() error {
	return invalidArgument("an upload's file is the content of the document: leave out Text, Data and URL")
}

func (d *Documents) upload(
	ctx context.Context, file io.Reader, progress func(int64), header *memorydv1.UploadDocumentHeader,
) (*memorydv1.Document, error) {
	header.RequestId = cmp.Or(header.GetRequestId(), rand.Text())
	// A stream that ends without being closed is cancelled: its file would otherwise seem to be whole.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := d.agent.client.documents.UploadDocument(ctx)
	if err != nil {
		return nil, err
	}
	err = stream.Send(&memorydv1.UploadDocumentRequest{Part: &memorydv1.UploadDocumentRequest_Header{Header: header}})
	for sent := int64(0); err == nil; {
		var part []byte
		if part, err = nextPart(file); err != nil {
			return nil, fmt.Errorf("%w: the file cannot be read: %w", ErrCancelled, err)
		}
		if len(part) == 0 {
			break
		}
		err = stream.Send(&memorydv1.UploadDocumentRequest{Part: &memorydv1.UploadDocumentRequest_Data{Data: part}})
		if sent += int64(len(part)); err == nil && progress != nil {
			progress(sent)
		}
	}
	// At io.EOF the daemon has answered early, by its error.
	if err != nil && err != io.EOF {
		return nil, err
	}
	response, err := stream.CloseAndRecv()
	return response.GetDocument(), err
}

// nextPart returns the next bytes of a file, which are none at its end.
func nextPart(file io.Reader) ([]byte, error) {
	part := make([]byte, partBytes)
	count, err := io.ReadFull(file, part)
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return part[:count], err
}
