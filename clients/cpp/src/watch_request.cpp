#include "watch_request.hpp"

#include <google/protobuf/util/time_util.h>

#include <utility>

#include "selection.hpp"

namespace memoryd::detail {
namespace {

void write_start(v1::WatchEventsRequest& request, const WatchStart& start) {
  if (std::holds_alternative<InitialState>(start)) {
    request.set_include_initial_state(true);
  } else if (const auto* after = std::get_if<AfterRevision>(&start)) {
    request.set_after_revision(after->revision);
  } else if (const auto* resume = std::get_if<ResumeToken>(&start)) {
    request.set_resume_token(resume->token);
  }
}

}  // namespace

v1::WatchEventsRequest watch_request(v1::EventFilter filter, const WatchOptions& options) {
  filter.set_key_prefix(options.key_prefix);
  filter.mutable_event_types()->Assign(options.event_types.begin(), options.event_types.end());
  filter.mutable_kinds()->Assign(options.kinds.begin(), options.kinds.end());
  filter.mutable_causes()->Assign(options.causes.begin(), options.causes.end());
  auto record = options.filter;
  select(*record.mutable_conversation_ids(), options.conversation_ids, "conversation_ids");
  select_users(record, options.user_ids, false);
  if (record.ByteSizeLong() > 0) {
    *filter.mutable_record() = std::move(record);
  }
  v1::WatchEventsRequest request;
  *request.add_filters() = std::move(filter);
  write_start(request, options.start);
  if (!options.content) {
    request.set_view(v1::RECORD_VIEW_WITHOUT_CONTENT);
  }
  request.set_include_previous(options.previous);
  request.set_exclude_origin(options.exclude_origin);
  if (options.progress_interval) {
    using google::protobuf::util::TimeUtil;
    *request.mutable_progress_interval() = TimeUtil::MillisecondsToDuration(options.progress_interval->count());
  }
  return request;
}

}  // namespace memoryd::detail
