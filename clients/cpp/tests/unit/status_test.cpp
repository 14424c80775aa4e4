#include "status.hpp"

#include <gmock/gmock.h>
#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>
#include <gtest/gtest.h>
#include <memoryd/v1/error_reason.pb.h>

#include <string>
#include <typeinfo>
#include <vector>

#include "memoryd/call.hpp"

namespace memoryd {
namespace {

using testing::Pair;
using testing::UnorderedElementsAre;

template <class... Details>
grpc::Status status_with(grpc::StatusCode code, const Details&... details) {
  google::rpc::Status status;
  (status.add_details()->PackFrom(details), ...);
  return {code, "a message", status.SerializeAsString()};
}

google::rpc::ErrorInfo info_of(const std::string& reason, const std::string& domain = "memoryd") {
  google::rpc::ErrorInfo info;
  info.set_domain(domain);
  info.set_reason(reason);
  (*info.mutable_metadata())["revision"] = "7";
  return info;
}

TEST(Check, DoesNotThrowForOk) { EXPECT_NO_THROW(check(grpc::Status::OK)); }

TEST(Check, ThrowsByReasonFirst) {
  EXPECT_THROW(check(status_with(grpc::StatusCode::ALREADY_EXISTS, info_of("ERROR_REASON_RECORD_EXISTS"))),
               RecordExists);
  EXPECT_THROW(check(status_with(grpc::StatusCode::ABORTED, info_of("ERROR_REASON_REVISION_MISMATCH"))),
               RevisionMismatch);
}

TEST(Check, ThrowsByStatusCodeForAnUnknownReason) {
  EXPECT_THROW(check(status_with(grpc::StatusCode::ABORTED, info_of("ERROR_REASON_OF_TOMORROW"))), Aborted);
  EXPECT_THROW(check(grpc::Status(grpc::StatusCode::UNIMPLEMENTED, "")), Unimplemented);
  EXPECT_THROW(check(grpc::Status(grpc::StatusCode::UNKNOWN, "")), InternalError);
}

TEST(Check, HasAClassForEveryStatusCode) {
  for (int code = 1; code <= 16; ++code) {
    try {
      check(grpc::Status(static_cast<grpc::StatusCode>(code), ""));
      ADD_FAILURE() << "nothing was thrown for " << code;
    } catch (const Error& error) {
      EXPECT_NE(typeid(error), typeid(Error)) << code;
      EXPECT_EQ(static_cast<int>(error.code()), code);
    }
  }
}

TEST(Check, HasAClassForEveryReason) {
  const auto& reasons = *v1::ErrorReason_descriptor();
  for (int index = 1; index < reasons.value_count(); ++index) {
    try {
      check(status_with(grpc::StatusCode::DO_NOT_USE, info_of(reasons.value(index)->name())));
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_NE(typeid(error), typeid(Error)) << reasons.value(index)->name();
    }
  }
}

TEST(FailureOf, ReadsAllDetails) {
  google::rpc::BadRequest bad_request;
  auto& violation = *bad_request.add_field_violations();
  violation.set_field("key");
  violation.set_description("is blank");
  google::rpc::RetryInfo retry;
  retry.mutable_retry_delay()->set_seconds(1);
  retry.mutable_retry_delay()->set_nanos(500'000'000);
  const auto failure = detail::failure_of(status_with(grpc::StatusCode::UNAVAILABLE, info_of("R"), bad_request, retry));
  EXPECT_EQ(failure.message, "a message");
  EXPECT_EQ(failure.reason, "R");
  EXPECT_THAT(failure.metadata, UnorderedElementsAre(Pair("revision", "7")));
  EXPECT_THAT(failure.fields, UnorderedElementsAre(Pair("key", "is blank")));
  EXPECT_EQ(failure.retry_delay, std::chrono::milliseconds(1500));
}

TEST(FailureOf, IgnoresReasonsOfOtherDomains) {
  const auto failure = detail::failure_of(status_with(grpc::StatusCode::ABORTED, info_of("R", "example.org")));
  EXPECT_EQ(failure.reason, "");
}

TEST(FailureOf, IgnoresDetailsThatCannotBeDecoded) {
  const auto failure = detail::failure_of({grpc::StatusCode::NOT_FOUND, "", "\xff damaged"});
  EXPECT_EQ(failure.code, StatusCode::not_found);
  EXPECT_EQ(failure.message, "NOT_FOUND");
}

}  // namespace
}  // namespace memoryd
