package io.memoryd.client.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.memoryd.client.Agent;
import io.memoryd.client.BatchForgetMemoriesOptions;
import io.memoryd.client.CreateMemoryOptions;
import io.memoryd.client.LinkMemoriesOptions;
import io.memoryd.client.ListMemoriesOptions;
import io.memoryd.client.ListMemoryLinksOptions;
import io.memoryd.client.Memories;
import io.memoryd.client.MemoryInput;
import io.memoryd.client.MetadataConditionInput;
import io.memoryd.client.PurgeMemoryOptions;
import io.memoryd.client.RecallMemoriesOptions;
import io.memoryd.client.UpdateMemoryChanges;
import io.memoryd.client.error.RecordNotFoundException;
import io.memoryd.v1.CreateMemoryOutcome;
import io.memoryd.v1.Memory;
import io.memoryd.v1.MemoryLink;
import io.memoryd.v1.MemoryLinkType;
import io.memoryd.v1.MemoryType;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

@LiveTest
class MemoriesTest {
  private static final MemoryLinkType RELATED = MemoryLinkType.MEMORY_LINK_TYPE_RELATED;

  @Test
  void aListingHasTheRecordsOfAllPages(Agent agent) {
    List<MemoryInput> drafts =
        IntStream.range(0, 1_500)
            .mapToObj(i -> MemoryInput.of("Fact " + i + " stands alone."))
            .toList();
    agent.memories().createMany(drafts.subList(0, 750));
    agent.memories().createMany(drafts.subList(750, 1_500));
    assertEquals(1_500, agent.memories().list().map(Memory::getContent).distinct().count());
    ListMemoriesOptions bare = ListMemoriesOptions.DEFAULT.withoutContent();
    assertEquals("", agent.memories().list(bare).findFirst().orElseThrow().getContent());
  }

  @Test
  void aMemoryIsRecalledByItsMeaningAndForgotten(Agent agent) {
    Memories memories = agent.memories();
    var created =
        memories.remember(
            "Ann lives in Oslo.",
            CreateMemoryOptions.DEFAULT
                .withType(MemoryType.MEMORY_TYPE_SEMANTIC)
                .withOccurTime(Instant.parse("2026-01-31T12:00:00Z"))
                .withMetadata(Map.of("source", "chat", "turn", 3)));
    assertEquals(CreateMemoryOutcome.CREATE_MEMORY_OUTCOME_CREATED, created.getOutcome());
    String id = created.getMemory().getMemoryId();
    var recalled =
        memories.recall(
            "Where does Ann live?",
            RecallMemoriesOptions.DEFAULT
                .withLimit(3)
                .withMetadata(MetadataConditionInput.of("source").withEquals("chat"))
                .withTypes(MemoryType.MEMORY_TYPE_SEMANTIC));
    assertEquals(id, recalled.getMemories(0).getMemory().getMemoryId());
    UpdateMemoryChanges moved =
        UpdateMemoryChanges.DEFAULT
            .withContent("Ann lives in Rome.")
            .withTtl(Duration.ofMinutes(1));
    assertTrue(memories.update(id, moved).getMemory().hasExpireTime());
    UpdateMemoryChanges lasting = UpdateMemoryChanges.DEFAULT.withoutExpireTime();
    assertFalse(memories.update(id, lasting).getMemory().hasExpireTime());
    assertTrue(memories.forget(id).getDeleted());
    assertThrows(RecordNotFoundException.class, () -> memories.get(id));
  }

  @Test
  void manyMemoriesAreReadForgottenAndPurged(Agent agent) {
    Memories memories = agent.user("ada").memories();
    memories.createMany(
        List.of(
            MemoryInput.of("Ada likes tea.").withMemoryId("tea"),
            MemoryInput.of("Ada owns a boat.").withMemoryId("boat").withTags("things")));
    assertEquals(2, memories.getMany(List.of("tea", "boat", "none")).getMemoriesCount());
    BatchForgetMemoriesOptions options = BatchForgetMemoriesOptions.DEFAULT;
    assertEquals(1, memories.forgetMany(options.withMemoryIds("tea")).getDeletedCount());
    assertEquals(1, memories.forgetMany(options.withAllTags("things")).getDeletedCount());
    assertEquals("tea", memories.restore("tea").getMemoryId());
    assertTrue(memories.purge("tea", PurgeMemoryOptions.DEFAULT.withBlockReimport()));
    assertEquals(
        CreateMemoryOutcome.CREATE_MEMORY_OUTCOME_BLOCKED,
        memories.remember("Ada likes tea.").getOutcome());
  }

  @Test
  void memoriesAreLinked(Agent agent) {
    Memories memories = agent.memories();
    var created =
        memories.createMany(
            List.of(
                MemoryInput.of("Ann has a boat."),
                MemoryInput.of("The boat is red.").withMemoryId("red")));
    String boat = created.get(0).getMemory().getMemoryId();
    memories.link(boat, "red", RELATED, LinkMemoriesOptions.DEFAULT.withStrength(0.9));
    assertEquals(0.9, memories.getLink(boat, "red", RELATED).getStrength());
    ListMemoryLinksOptions strong =
        ListMemoryLinksOptions.DEFAULT.withMemoryId(boat).withMinStrength(0.5);
    assertEquals(List.of("red"), memories.links(strong).map(MemoryLink::getToMemoryId).toList());
    assertTrue(memories.unlink(boat, "red"));
  }
}
