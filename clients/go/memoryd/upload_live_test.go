package memoryd_test

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/memoryd/memoryd/clients/go/memoryd"
	memorydv1 "github.com/memoryd/memoryd/clients/go/memoryd/v1"
)

func TestADocumentIsUploadedInParts(t *testing.T) {
	text := strings.Repeat("A ship floats. ", 100_000)
	agent, sent := liveAgent(t).User("ada"), []int64{}
	options := &memoryd.UploadDocumentOptions{
		CreateDocumentOptions: memoryd.CreateDocumentOptions{
			Title: "Ships", MediaType: "text/plain", Tags: []string{"sea"},
		},
		Progress: func(bytes int64) { sent = append(sent, bytes) },
	}
	// A reader may return less than it is asked for.
	file := iotest.HalfReader(strings.NewReader(text))
	document := must[*memorydv1.Document](t)(agent.Documents().Upload(t.Context(), file, options))
	if document.GetTitle() != "Ships" || document.GetUserId() != "ada" || !slices.Equal(document.GetTags(), []string{"sea"}) {
		t.Errorf("it is %v", document)
	}
	if !slices.Equal(sent, []int64{1 << 20, int64(len(text))}) {
		t.Errorf("the progress is %v", sent)
	}
	var stored strings.Builder
	for chunk, err := range agent.Documents().Chunks(t.Context(), document.GetDocumentId(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		stored.WriteString(chunk.GetText())
	}
	if stored.String() != text {
		t.Errorf("%d bytes are stored", stored.Len())
	}
}

func TestTheFileOfAnUpdateIsTheNewContent(t *testing.T) {
	ctx, documents := t.Context(), liveAgent(t).Documents()
	created := must[*memorydv1.Document](t)(documents.Create(ctx, &memoryd.CreateDocumentOptions{
		Title: "Boats", Description: "on boats", Text: "A boat floats.",
	}))
	update := func(text string) (*memorydv1.Document, error) {
		changes := memoryd.UpdateDocumentChanges{
			Title: memoryd.Ptr("Ships"), MediaType: memoryd.Ptr("text/plain"),
		}
		return documents.UploadUpdate(ctx, created.GetDocumentId(), strings.NewReader(text), changes,
			&memoryd.UploadUpdateOptions{UpdateDocumentOptions: memoryd.UpdateDocumentOptions{
				Condition: memoryd.IfRevision(created.GetRevision()),
			}})
	}
	updated := must[*memorydv1.Document](t)(update("A ship floats."))
	if updated.GetTitle() != "Ships" || updated.GetDescription() != "on boats" {
		t.Errorf("it is %v", updated)
	}
	chunk := must[*memorydv1.DocumentChunk](t)(documents.Chunk(ctx, created.GetDocumentId(), 1, nil))
	if chunk.GetText() != "A ship floats." {
		t.Errorf("it is %q", chunk.GetText())
	}
	if _, err := update("A ship sinks."); !errors.Is(err, memoryd.ErrRevisionMismatch) {
		t.Errorf("it is %v", err)
	}
}

func TestAnUploadWithARequestIDIsMadeOnce(t *testing.T) {
	documents := liveAgent(t).Documents()
	options := &memoryd.UploadDocumentOptions{CreateDocumentOptions: memoryd.CreateDocumentOptions{
		MediaType: "text/plain", RequestID: rand.Text(),
	}}
	var ids []string
	for range 2 {
		file := strings.NewReader("A ship floats.")
		document := must[*memorydv1.Document](t)(documents.Upload(t.Context(), file, options))
		ids = append(ids, document.GetDocumentId())
	}
	equal(t, ids, ids[0], ids[0])
}

func TestAFileThatCannotBeReadChangesNothing(t *testing.T) {
	documents, torn := liveAgent(t).Documents(), errors.New("the disk is gone")
	file := io.MultiReader(strings.NewReader("A ship"), iotest.ErrReader(torn))
	_, err := documents.Upload(t.Context(), file, nil)
	if !errors.Is(err, memoryd.ErrCancelled) || !errors.Is(err, torn) {
		t.Errorf("it is %v", err)
	}
	for document, err := range documents.List(t.Context(), nil) {
		t.Errorf("there is %v, %v", document, err)
	}
}

func TestAnUploadIsRefusedByTheErrorOfTheDaemon(t *testing.T) {
	ctx, documents := t.Context(), liveAgent(t).Documents()
	if _, err := documents.Upload(ctx, strings.NewReader(""), nil); !errors.Is(err, memoryd.ErrInvalidArgument) {
		t.Errorf("it is %v", err)
	}
	endless := iotest.DataErrReader(neverEnding('a'))
	if _, err := documents.Upload(ctx, endless, nil); !errors.Is(err, memoryd.ErrTooLarge) {
		t.Errorf("it is %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := documents.Upload(ended, endless, nil); !errors.Is(err, memoryd.ErrCancelled) {
		t.Errorf("it is %v", err)
	}
}

// neverEnding is a file without an end.
type neverEnding byte

func (b neverEnding) Read(buffer []byte) (int, error) {
	for i := range buffer {
		buffer[i] = byte(b)
	}
	return len(buffer), nil
}

func TestAnUploadHasNoOtherContent(t *testing.T) {
	documents, file := liveAgent(t).Documents(), strings.NewReader("A ship")
	_, err := documents.Upload(t.Context(), file, &memoryd.UploadDocumentOptions{
		CreateDocumentOptions: memoryd.CreateDocumentOptions{Text: "A boat"},
	})
	if !errors.Is(err, memoryd.ErrInvalidArgument) {
		t.Errorf("it is %v", err)
	}
	changes, options := memoryd.UpdateDocumentChanges{}, memoryd.UpdateDocumentOptions{Text: "A boat"}
	_, err = documents.UploadUpdate(t.Context(), "d", file, changes, &memoryd.UploadUpdateOptions{UpdateDocumentOptions: options})
	if !errors.Is(err, memoryd.ErrInvalidArgument) {
		t.Errorf("it is %v", err)
	}
}
