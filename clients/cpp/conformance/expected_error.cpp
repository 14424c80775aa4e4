#include "expected_error.hpp"

#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>

#include "memoryd/error.hpp"

namespace conformance {

nlohmann::json describe(const grpc::Status& status) {
  nlohmann::json error = {{"code", memoryd::name(static_cast<memoryd::StatusCode>(status.error_code()))}};
  google::rpc::Status details;
  details.ParseFromString(status.error_details());
  for (const auto& detail : details.details()) {
    google::rpc::ErrorInfo info;
    google::rpc::BadRequest bad_request;
    if (detail.UnpackTo(&info) && info.domain() == "memoryd") {
      error["reason"] = info.reason();
      error["metadata"] = std::map<std::string, std::string>(info.metadata().begin(), info.metadata().end());
    } else if (detail.UnpackTo(&bad_request) && bad_request.field_violations_size() > 0) {
      error["field"] = bad_request.field_violations(0).field();
    }
  }
  return error;
}

}  // namespace conformance
