#include "watch_request.hpp"

#include <google/protobuf/util/time_util.h>

#include <utility>

#include "bound_user.hpp"
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

v1::WatchEventsRequest watch_request(v1::EventFilter filter, const WatchOptions& options,
                                     const std::string& bound_user_id) {
  filter.set_key_prefix(options.key_prefix);
  select(*filter.mutable_event_types(), options.event_types, "event_types");
  select(*filter.mutable_kinds(), options.kinds, "kinds");
  select(*filter.mutable_causes(), options.causes, "causes");
  auto record = options.filter;
  select(*record.mutable_conversation_ids(), options.conversation_ids, "conversation_ids");
  select_users(record, options.user_ids, false);
  select_user(record, bound_user_id);
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
