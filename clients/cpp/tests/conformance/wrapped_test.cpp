#include "wrapped.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memoryd/v1/note_service.pb.h>

#include <stdexcept>

#include "given.hpp"

namespace conformance {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
namespace v1 = memoryd::v1;

v1::UpdateNoteRequest update() {
  v1::UpdateNoteRequest request;
  request.set_agent_id("a");
  request.set_note_id("n");
  request.mutable_update_mask()->add_paths("title");
  request.mutable_update_mask()->add_paths("content");
  request.mutable_draft()->set_title("Tone");
  request.set_request_id("r");
  return request;
}

TEST(Wrapped, MakesARequestAgainWithAllThatItSays) {
  Wrapped wrapped;
  auto request = update();
  wrapped.make_again("NoteService.UpdateNote", request);
  EXPECT_THAT(wrapped.summary(), HasSubstr("1 calls"));
  EXPECT_EQ(request.draft().title(), "Tone");
  EXPECT_EQ(request.update_mask().paths_size(), 2);
}

TEST(Wrapped, FindsAWrapperThatDropsAField) {
  Wrapped wrapped({{"NoteService.UpdateNote", [](const memoryd::Agent& agent, const Given&) {
                      (void)agent.notes().update("n", {.title = "Tone"}, {.request_id = "r"});
                    }}});
  auto request = update();
  const auto make = [&] { wrapped.make_again("NoteService.UpdateNote", request); };
  EXPECT_THAT(make, ThrowsMessage<std::runtime_error>(HasSubstr("content")));
}

TEST(Wrapped, LeavesARequestThatNoWrapperCanSay) {
  Wrapped wrapped;
  auto request = update();
  request.mutable_draft()->set_notebook("not in the mask");
  const auto asked = request.SerializeAsString();
  wrapped.make_again("NoteService.UpdateNote", request);
  EXPECT_EQ(request.SerializeAsString(), asked);
  EXPECT_THAT(wrapped.summary(), HasSubstr("0 calls"));
}

}  // namespace
}  // namespace conformance
