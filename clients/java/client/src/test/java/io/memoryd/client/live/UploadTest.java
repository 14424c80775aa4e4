package io.memoryd.client.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.memoryd.client.Agent;
import io.memoryd.client.Condition;
import io.memoryd.client.CreateDocumentOptions;
import io.memoryd.client.Documents;
import io.memoryd.client.UpdateDocumentChanges;
import io.memoryd.client.UpdateDocumentOptions;
import io.memoryd.client.error.CancelledException;
import io.memoryd.client.error.DeadlineExceededException;
import io.memoryd.client.error.InvalidArgumentException;
import io.memoryd.client.error.RecordNotFoundException;
import io.memoryd.client.error.RevisionMismatchException;
import io.memoryd.v1.Document;
import io.memoryd.v1.DocumentChunk;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

@LiveTest
class UploadTest {
  private static final CreateDocumentOptions TEXT =
      CreateDocumentOptions.DEFAULT.withMediaType("text/plain");

  @Test
  void aDocumentIsUploadedInParts(Agent agent) throws IOException {
    String text = "A ship floats. ".repeat(100_000);
    List<Long> sent = new ArrayList<>();
    Document document =
        agent
            .user("ada")
            .documents()
            .upload(file(text), TEXT.withTitle("Ships").withTags("sea"), sent::add);
    assertEquals("Ships", document.getTitle());
    assertEquals("ada", document.getUserId());
    assertEquals(List.of(1024L * 1024, (long) text.length()), sent);
    try (Stream<DocumentChunk> chunks = agent.documents().chunks(document.getDocumentId())) {
      assertEquals(text, chunks.map(DocumentChunk::getText).collect(Collectors.joining()));
    }
  }

  @Test
  void theFileOfAnUpdateIsTheNewContent(Agent agent) throws IOException {
    Documents documents = agent.documents();
    Document created =
        documents.create(CreateDocumentOptions.DEFAULT.withTitle("Boats").withText("A boat."));
    String id = created.getDocumentId();
    UpdateDocumentChanges changes =
        UpdateDocumentChanges.DEFAULT.withTitle("Ships").withMediaType("text/plain");
    UpdateDocumentOptions unchanged =
        UpdateDocumentOptions.DEFAULT.withCondition(
            Condition.expectedRevision(created.getRevision()));
    Document changed =
        documents.upload(id, file("A ship floats."), changes, unchanged, bytes -> {});
    assertEquals("Ships", changed.getTitle());
    assertEquals("A ship floats.", documents.chunk(id, 1).getText());
    assertThrows(
        RevisionMismatchException.class,
        () -> documents.upload(id, file("A ship sinks."), changes, unchanged, bytes -> {}));
    assertEquals("Ships", documents.upload(id, file("A ship sails.")).getTitle());
    assertThrows(RecordNotFoundException.class, () -> documents.upload("nothing", file("x")));
  }

  @Test
  void anUploadWithARequestIdIsMadeOnce(Agent agent) throws IOException {
    CreateDocumentOptions once = TEXT.withRequestId(UUID.randomUUID().toString());
    Document first = agent.documents().upload(file("A ship floats."), once);
    Document second = agent.documents().upload(file("A ship floats."), once);
    assertEquals(first.getDocumentId(), second.getDocumentId());
  }

  @Test
  void aFileThatCannotBeReadChangesNothing(Agent agent) {
    InputStream broken =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw new IOException("the disk is gone");
          }
        };
    InputStream torn = new SequenceInputStream(file("A ship"), broken);
    IOException failed =
        assertThrows(IOException.class, () -> agent.documents().upload(torn, TEXT));
    assertEquals("the disk is gone", failed.getMessage());
    assertNothingIsThere(agent);
  }

  @Test
  void anUploadHasNoOtherContent(Agent agent) {
    assertThrows(
        IllegalArgumentException.class,
        () -> agent.documents().upload(file("A ship"), TEXT.withText("A boat")));
    assertThrows(
        IllegalArgumentException.class,
        () ->
            agent
                .documents()
                .upload(
                    "d",
                    file("A ship"),
                    UpdateDocumentChanges.DEFAULT,
                    UpdateDocumentOptions.DEFAULT.withText("A boat"),
                    bytes -> {}));
  }

  @Test
  void anInterruptAndATimeoutCancelTheUpload(Agent agent) {
    Thread.currentThread().interrupt();
    assertThrows(CancelledException.class, () -> agent.documents().upload(new Endless(), TEXT));
    assertTrue(Thread.interrupted());
    CreateDocumentOptions hurried = TEXT.withTimeout(Duration.ofNanos(1));
    assertThrows(
        DeadlineExceededException.class, () -> agent.documents().upload(file("A ship"), hurried));
    assertNothingIsThere(agent);
  }

  @Test
  void aRefusalEndsTheReadingOfTheFile(Agent agent) {
    CreateDocumentOptions refused = TEXT.withTitle("two\nlines");
    assertThrows(
        InvalidArgumentException.class, () -> agent.documents().upload(new Endless(), refused));
  }

  /** A file without an end. */
  private static final class Endless extends InputStream {
    @Override
    public int read() {
      return 'x';
    }
  }

  private static void assertNothingIsThere(Agent agent) {
    try (Stream<Document> documents = agent.documents().list()) {
      assertEquals(0, documents.count());
    }
  }

  private static InputStream file(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }
}
