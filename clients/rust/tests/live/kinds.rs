//! All kinds of memory besides entries.

use std::time::{Duration, SystemTime};

use memoryd::kinds::{
    CompactionKeepImportant, ContextSection, Entity, EntriesSource, EntryCondition, MemoryDraft, MessageDraft,
    MessagePart, MessageToolCall, MetadataCondition, NotesSource, RecordFilter, TextSource,
};
use memoryd::v1::message_part::Part;
use memoryd::v1::{MemoryLinkType, MemoryType, MessageRole, PlanStepStatus};
use memoryd::{Condition, ErrorKind, Merge, v1};
use serde_json::json;

use crate::daemon::{fresh, fresh_agent};

#[tokio::test]
async fn a_note_is_created_changed_listed_and_deleted() {
    let Some(agent) = fresh_agent() else { return };
    let notes = agent.notes();
    let note = notes.create("Tone", "Be brief.").tags(["style"]).metadata(&json!({"turn": 3})).await.unwrap();
    let changed = notes.update(&note.note_id).content("Be kind.").tags([] as [&str; 0]).await.unwrap();
    assert_eq!((changed.title.as_str(), changed.content.as_str(), changed.tags.len()), ("Tone", "Be kind.", 0));
    assert_eq!(notes.get(&note.note_id).min_revision(changed.revision).await.unwrap(), changed);
    assert_eq!(notes.list().without_content().await.unwrap()[0].content, "");
    let turn = MetadataCondition::new("turn").equals(&3);
    assert_eq!(notes.list().metadata([turn]).await.unwrap(), [changed]);
    assert!(notes.delete(&note.note_id).await.unwrap());
    assert!(!notes.delete(&note.note_id).await.unwrap());
}

#[tokio::test]
async fn erasing_returns_the_receipt() {
    let Some(agent) = fresh_agent() else { return };
    let note = agent.notes().create("Tone", "Be brief.").await.unwrap();
    let receipt = agent.notes().erase(note.note_id).await.unwrap();
    assert_ne!(receipt, v1::ErasureReceipt::default());
}

#[tokio::test]
async fn a_condition_refuses_a_change_of_a_record_that_has_changed() {
    let Some(agent) = fresh_agent() else { return };
    let note = agent.notes().create("Tone", "Be brief.").await.unwrap();
    let unchanged = Condition::ExpectedRevision(note.revision);
    agent.notes().update(&note.note_id).title("Style").condition(unchanged).await.unwrap();
    let error = agent.notes().update(&note.note_id).title("Voice").condition(unchanged).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RevisionMismatch);
    let error = agent.notes().create("t", "c").agent_condition(unchanged).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RevisionMismatch);
}

#[tokio::test]
async fn a_change_with_a_request_id_is_made_once() {
    let Some(agent) = fresh_agent() else { return };
    let request_id = fresh("request");
    for _ in 0..2 {
        agent.notes().create("Tone", "Be brief.").request_id(&request_id).await.unwrap();
    }
    assert_eq!(agent.notes().list().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_listing_has_the_records_of_all_pages() {
    let Some(agent) = fresh_agent() else { return };
    let messages = || (0..900).map(|number| MessageDraft::new(MessageRole::User).content(number.to_string()));
    for _ in 0..2 {
        agent.conversations().append("c", messages()).await.unwrap();
    }
    assert_eq!(agent.conversations().messages("c").await.unwrap().len(), 1_800);
    let mut stream = agent.conversations().messages("c").after_number(700).stream();
    let mut expected = 701..=1_800;
    while let Some(message) = stream.next().await {
        assert_eq!(Some(message.unwrap().number), expected.next());
    }
    assert_eq!(expected.next(), None);
    let error = agent.conversations().messages("other").stream().next().await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RecordNotFound);
}

#[tokio::test]
async fn a_memory_is_recalled_by_its_meaning_and_forgotten() {
    let Some(agent) = fresh_agent() else { return };
    let memories = agent.memories();
    let created = memories
        .remember("Ann lives in Oslo.")
        .memory_type(MemoryType::Semantic)
        .occur_time(SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000))
        .metadata(&json!({"source": "chat"}));
    let id = created.await.unwrap().memory.unwrap().memory_id;
    let from_chat = MetadataCondition::new("source").equals("chat");
    let recall = memories.recall("Where does Ann live?").limit(3).metadata([from_chat]).types([MemoryType::Semantic]);
    let found = recall.await.unwrap().memories;
    assert_eq!(found.iter().map(|each| &each.memory.as_ref().unwrap().memory_id).collect::<Vec<_>>(), [&id]);
    let moved = memories.update(&id).content("Ann lives in Rome.").ttl(Duration::from_secs(60)).await.unwrap();
    assert!(moved.memory.unwrap().expire_time.is_some());
    assert_eq!(memories.update(&id).expire_time(None).await.unwrap().memory.unwrap().expire_time, None);
    assert!(memories.forget(&id).await.unwrap().deleted);
    assert_eq!(memories.get(&id).await.unwrap_err().kind(), ErrorKind::RecordNotFound);
}

#[tokio::test]
async fn many_memories_are_read_linked_and_forgotten() {
    let Some(agent) = fresh_agent() else { return };
    let memories = agent.user("ada").memories();
    let boat = MemoryDraft::new("Ada owns a boat.").memory_id("boat").tags(["things"]);
    let drafts = [MemoryDraft::new("Ada likes tea.").memory_id("tea"), boat];
    assert_eq!(memories.create_many(drafts).await.unwrap().len(), 2);
    assert_eq!(memories.get_many(["tea", "boat", "none"]).await.unwrap().memories.len(), 2);
    memories.link("tea", "boat", MemoryLinkType::Related).strength(0.5).await.unwrap();
    assert_eq!(memories.links().memory_id("tea").await.unwrap()[0].to_memory_id, "boat");
    assert!(memories.unlink("tea", "boat").await.unwrap());
    for forget in [memories.forget_many().memory_ids(["tea"]), memories.forget_many().all_tags(["things"])] {
        assert_eq!(forget.await.unwrap().deleted_count, 1);
    }
}

#[tokio::test]
async fn a_plan_has_steps_of_which_one_is_completed() {
    let Some(agent) = fresh_agent() else { return };
    let plans = agent.plans();
    let plan = plans.create("Move to Oslo").conversation_id("c").steps(["find a flat", "pack"]).await.unwrap();
    let done = PlanStepStatus::Completed;
    plans.update_step(&plan.steps[0].step_id).conversation_id("c").status(done).await.unwrap();
    plans.add_step("travel").conversation_id("c").before_step_id(&plan.steps[1].step_id).await.unwrap();
    let plan = plans.get().conversation_id("c").await.unwrap();
    let steps: Vec<_> = plan.steps.iter().map(|step| (step.description.as_str(), step.status() == done)).collect();
    assert_eq!(steps, [("find a flat", true), ("travel", false), ("pack", false)]);
    plans.complete().conversation_id("c").await.unwrap();
}

#[tokio::test]
async fn messages_are_appended_read_and_cut_off() {
    let Some(agent) = fresh_agent() else { return };
    let conversations = agent.conversations();
    let call = MessagePart::new().tool_call(MessageToolCall::new("1", "clock"));
    let reply = MessageDraft::new(MessageRole::Assistant).parts([MessagePart::new().text("Hi"), call]);
    let said = [MessageDraft::new(MessageRole::User).content("Hello"), reply];
    assert_eq!(conversations.append("c", said).await.unwrap().first_number, 1);
    let parts = conversations.message("c").number(2).await.unwrap().parts;
    match &parts.iter().map(|part| part.part.as_ref().unwrap()).collect::<Vec<_>>()[..] {
        [Part::Text(text), Part::ToolCall(call)] => assert_eq!((text.as_str(), call.name.as_str()), ("Hi", "clock")),
        parts => panic!("{parts:?}"),
    }
    assert_eq!(conversations.truncate("c").from_number(2).await.unwrap().deleted_message_count, 1);
    assert_eq!(conversations.messages("c").roles([MessageRole::User]).await.unwrap().len(), 1);
    assert_eq!(conversations.messages("c").roles([MessageRole::Assistant]).await.unwrap().len(), 0);
    let important = CompactionKeepImportant::new().min_importance(0.9);
    conversations.compact("c", 10).keep_important(important).await.unwrap();
    conversations.compact("c", 10).drop_oldest().await.unwrap();
}

#[tokio::test]
async fn a_conversation_of_a_user_is_created_changed_listed_and_deleted() {
    let Some(agent) = fresh_agent() else { return };
    let conversations = agent.user("ada").conversations();
    conversations.create().conversation_id("c").title("Boats").await.unwrap();
    conversations.update("c").title("Ships").await.unwrap();
    let listed = conversations.list().await.unwrap();
    let found: Vec<_> = listed.iter().map(|each| (each.title.as_str(), each.user_id.as_str())).collect();
    assert_eq!(found, [("Ships", "ada")]);
    assert!(conversations.delete("c").erase().await.unwrap().receipt.is_some());
}

#[tokio::test]
async fn a_document_is_searched_in_chunks() {
    let Some(agent) = fresh_agent() else { return };
    let documents = agent.documents();
    let id = documents.create().title("Boats").text("A boat floats.\n\nA car drives.").await.unwrap().document_id;
    let found = documents.search("What floats?").limit(1).await.unwrap().chunks;
    assert_eq!(found[0].chunk.as_ref().unwrap().document_id, id);
    documents.update(&id).title("Ships").text("A ship floats.").await.unwrap();
    assert_eq!(documents.get(&id).await.unwrap().title, "Ships");
    let chunks = documents.chunks(&id).without_content().await.unwrap();
    assert_eq!(chunks.iter().map(|chunk| chunk.text.as_str()).collect::<Vec<_>>(), [""]);
    assert!(documents.chunk(&id, 1).await.unwrap().text.contains("ship"));
    assert_eq!(documents.list().await.unwrap().len(), 1);
}

#[tokio::test]
async fn fragments_are_consumed_with_a_lease() {
    let Some(agent) = fresh_agent() else { return };
    let fragments = agent.fragments();
    let heard = fragments.create("heard something").fragment_type("speech").ttl(Duration::from_secs(60));
    heard.sources([json!({"name": "ear"})]).await.unwrap();
    assert_eq!(fragments.flush().await.unwrap(), 1);
    let taken = fragments.take().limit(10).lease_duration(Duration::from_secs(30)).await.unwrap();
    assert_eq!(taken.fragments.iter().map(|each| each.content.as_str()).collect::<Vec<_>>(), ["heard something"]);
    assert_eq!(fragments.acknowledge(taken.lease_token).await.unwrap(), 1);
    assert_eq!(fragments.count().await.unwrap().fragment_count, 0);
}

#[tokio::test]
async fn a_call_that_waits_has_its_wait_added_to_the_timeout() {
    let Some(client) = crate::daemon::client() else { return };
    let agent = client.with_timeout(Duration::from_millis(500)).agent(fresh("agent"));
    let taken = agent.fragments().take().wait_duration(Duration::from_secs(1)).await.unwrap();
    assert_eq!(taken.fragments, []);
}

#[tokio::test]
async fn entities_are_kept_in_the_window_of_their_conversation() {
    let Some(agent) = fresh_agent() else { return };
    let entities = agent.entities();
    entities.add("c", [Entity::new("p1", "page", "Home")]).window_size(3).await.unwrap();
    entities.extract("c", "get_page").result(&json!({"page": {"id": "p2", "name": "About"}})).await.unwrap();
    let window = entities.get("c").await.unwrap();
    assert!(window.entities.iter().any(|each| each.entity_id == "p1"), "{window:?}");
    entities.clear().conversation_id("c").await.unwrap();
    assert_eq!(entities.list().await.unwrap(), []);
}

#[tokio::test]
async fn a_context_is_composed_of_sections() {
    let Some(agent) = fresh_agent() else { return };
    agent.set("city", "Oslo").await.unwrap();
    agent.notes().create("Tone", "Be brief.").await.unwrap();
    let cities = RecordFilter::new().entry(EntryCondition::new().key_prefixes(["c"]));
    let compose = agent.compose().max_tokens(2_000).sections([
        ContextSection::new().text(TextSource::new("You are an assistant.")),
        ContextSection::new().notes(NotesSource::new()),
        ContextSection::new().entries(EntriesSource::new().filter(cities)),
    ]);
    let text = text_of(&compose.await.unwrap());
    let places = ["You are an assistant.", "Be brief.", "city"].map(|part| text.find(part));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{text}");
}

#[tokio::test]
async fn a_bound_user_is_that_of_all_that_is_written_and_read() {
    let Some(agent) = fresh_agent() else { return };
    let ada = agent.user("ada");
    ada.set("color", "red").await.unwrap();
    ada.batch().set("size", &3).send().await.unwrap();
    let mut tx = ada.transaction();
    tx.set("shape", "round");
    tx.commit().await.unwrap();
    ada.update("visits", |visits: Option<u32>| visits.unwrap_or(0) + 1).await.unwrap();
    assert_eq!(keys(&ada).await, ["color", "shape", "size", "visits"]);
    assert_eq!(keys(&agent).await, [] as [&str; 0]);
    assert_eq!(agent.get_entry("visits").await.unwrap().unwrap().user_id, "ada");

    ada.notes().create("Ada's", "note").await.unwrap();
    agent.notes().create("nobody's", "note").await.unwrap();
    for (list, expected) in [
        (ada.notes().list(), &["Ada's"][..]),
        (ada.notes().list().all_users(), &["Ada's", "nobody's"][..]),
        (ada.notes().list().user_ids([""]), &["nobody's"][..]),
    ] {
        let notes = list.await.unwrap();
        assert_eq!(notes.iter().map(|note| note.title.as_str()).collect::<Vec<_>>(), expected);
    }
    ada.memories()
        .create_many([MemoryDraft::new("Ada likes tea."), MemoryDraft::new("Bob likes beer.").user_id("bob")])
        .await
        .unwrap();
    let recalled = ada.memories().recall("Who likes what?").await.unwrap().memories;
    let users: Vec<_> = recalled.iter().map(|each| each.memory.as_ref().unwrap().user_id.as_str()).collect();
    assert_eq!(users, ["ada"]);
    let composed = ada.compose().sections([ContextSection::new().notes(NotesSource::new())]).await.unwrap();
    let text = text_of(&composed);
    assert!(text.contains("Ada's") && !text.contains("nobody's"), "{text}");
    ada.conversations().append("c", [MessageDraft::new(MessageRole::User).content("Hello")]).await.unwrap();
    assert_eq!(ada.conversations().messages("c").await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_bound_user_is_that_of_a_scope_and_of_a_watch() {
    let Some(agent) = fresh_agent() else { return };
    let ada = agent.user("ada");
    let mut watch = ada.watch().kinds([v1::RecordKind::Entry]).await.unwrap();
    let task = ada.scope("task").await.unwrap();
    agent.set("nobody's", &1).await.unwrap();
    task.set("Ada's", &1).await.unwrap();
    match watch.next().await.unwrap().unwrap().subject {
        Some(v1::event::Subject::Entry(entry)) => assert_eq!(entry.key, "Ada's"),
        subject => panic!("{subject:?}"),
    }
    let attached = ada.attach(task.scope_id());
    let made = attached.get_or_set("made", async || Ok::<_, memoryd::Error>("once".to_owned()));
    assert_eq!(made.await.unwrap(), "once");
    assert_eq!(task.get_entry("made").await.unwrap().unwrap().user_id, "ada");
    task.merge(Merge::Overwrite).await.unwrap();
}

async fn keys(agent: &memoryd::Agent) -> Vec<String> {
    let (mut entries, mut keys) = (agent.entries(), Vec::new());
    while let Some(entry) = entries.next().await {
        keys.push(entry.unwrap().key);
    }
    keys
}

fn text_of(composed: &v1::ComposeContextResponse) -> String {
    composed.messages.iter().map(|message| message.content.as_str()).collect()
}
