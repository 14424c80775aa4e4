#include "memoryd/upload.hpp"

#include <gmock/gmock.h>

#include <sstream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <vector>

#include "live_test.hpp"
#include "memoryd/call.hpp"

namespace memoryd {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kPartBytes = 1024 * 1024;

class UploadTest : public LiveTest {
 protected:
  std::size_t count() {
    std::size_t found = 0;
    for (const auto& document : agent().documents().list()) {
      found += document.document_id().empty() ? 0 : 1;
    }
    return found;
  }
};

TEST_F(UploadTest, SendsAFileInParts) {
  std::string text;
  while (text.size() < 1'500'000) {
    text += "A ship floats. ";
  }
  std::istringstream file(text);
  std::vector<std::int64_t> sent;
  const auto documents = agent().user("ada").documents();
  const auto document = documents.upload(file, {.tags = {"sea"}, .title = "Ships", .media_type = "text/plain"},
                                         [&](std::int64_t bytes) { sent.push_back(bytes); });
  EXPECT_EQ(document.title(), "Ships");
  EXPECT_EQ(document.user_id(), "ada");
  EXPECT_THAT(document.tags(), ElementsAre("sea"));
  EXPECT_THAT(sent, ElementsAre(kPartBytes, static_cast<std::int64_t>(text.size())));
  std::string stored;
  for (const auto& chunk : documents.chunks(document.document_id())) {
    stored += chunk.text();
  }
  EXPECT_EQ(stored, text);
}

TEST_F(UploadTest, ReplacesTheContentOfADocument) {
  const auto documents = agent().documents();
  const auto created = documents.create({.title = "Boats", .text = "A boat floats."});
  const UpdateDocumentChanges changes{.title = "Ships", .media_type = "text/plain"};
  const UpdateDocumentOptions unchanged{.condition = ExpectedRevision{created.revision()}};
  std::istringstream file("A ship floats.");
  EXPECT_EQ(documents.upload(created.document_id(), file, changes, unchanged).title(), "Ships");
  EXPECT_EQ(documents.chunk(created.document_id(), 1).text(), "A ship floats.");
  std::istringstream other("A ship sinks.");
  EXPECT_THROW(documents.upload(created.document_id(), other, changes, unchanged), RevisionMismatch);
}

TEST_F(UploadTest, WithARequestIdIsMadeOnce) {
  const CreateDocumentOptions options{.media_type = "text/plain", .request_id = new_request_id()};
  for (int turn = 0; turn < 2; ++turn) {
    std::istringstream file("A ship floats.");
    agent().documents().upload(file, options);
  }
  EXPECT_EQ(count(), 1U);
}

/// A file whose reading fails after some text.
class TornFile : public std::streambuf {
 public:
  TornFile() { setg(text_.data(), text_.data(), text_.data() + text_.size()); }

 protected:
  int_type underflow() override { throw std::runtime_error("the disk is gone"); }

 private:
  std::string text_ = "A ship";
};

TEST_F(UploadTest, ChangesNothingIfTheFileCannotBeRead) {
  TornFile torn;
  std::istream file(&torn);
  EXPECT_THROW(agent().documents().upload(file, {.media_type = "text/plain"}), Cancelled);
  EXPECT_EQ(count(), 0U);
}

TEST_F(UploadTest, ChangesNothingIfTheProgressThrows) {
  std::istringstream file("A ship floats.");
  EXPECT_THROW(agent().documents().upload(file, {.media_type = "text/plain"},
                                          [](std::int64_t) { throw std::out_of_range("enough"); }),
               std::out_of_range);
  EXPECT_EQ(count(), 0U);
}

TEST_F(UploadTest, HasNoOtherContent) {
  std::istringstream file("A ship floats.");
  EXPECT_THROW(agent().documents().upload(file, {.text = "A boat"}), InvalidArgument);
}

TEST_F(UploadTest, IsEndedByItsStopToken) {
  std::stop_source stop;
  stop.request_stop();
  std::istringstream file("A ship floats.");
  EXPECT_THROW(agent().documents().upload(file, {.media_type = "text/plain", .call = {.stop = stop.get_token()}}),
               Cancelled);
}

}  // namespace
}  // namespace memoryd
