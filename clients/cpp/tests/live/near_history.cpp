#include "live/near_history.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace memoryd {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kHistoryScopes = 3;

}  // namespace

bool AgentState::may_read(int number, std::string scope_id, const std::string& key, std::int64_t begin,
                          std::int64_t end) const {
  while (true) {
    const auto scope = values.find(scope_id);
    if (scope == values.end()) {
      return number == kNoScope;
    }
    const auto found = scope->second.find(key);
    if (found != scope->second.end()) {
      const auto& [stored, expires_at] = found->second;
      if (expires_at == kUnknown || begin < expires_at) {
        if (number == stored) {
          return true;
        }
        if (expires_at != kUnknown && end < expires_at) {
          return false;
        }
      }
    }
    if (scope_id.empty()) {
      return number == kNoValue;
    }
    scope_id = parents.at(scope_id);
  }
}

std::size_t History::floor(AgentState::Clock::time_point before) const {
  const std::lock_guard lock(mutex_);
  auto index = states_.size() - 1;
  while (index > 0 && (!states_[index].acked_at || *states_[index].acked_at >= before)) {
    --index;
  }
  return index;
}

bool History::explains(std::size_t floor, const std::string& scope_id, const std::map<std::string, int>& seen,
                       std::int64_t begin, std::int64_t end) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(states_.begin() + static_cast<std::ptrdiff_t>(floor), states_.end(), [&](const auto& state) {
    return std::ranges::all_of(
        seen, [&](const auto& each) { return state.may_read(each.second, scope_id, each.first, begin, end); });
  });
}

std::vector<std::string> History::scopes() const {
  const auto state = last();
  std::vector<std::string> ids;
  for (const auto& [scope_id, values] : state.values) {
    ids.push_back(scope_id);
  }
  return ids;
}

AgentState History::last() const {
  const std::lock_guard lock(mutex_);
  return states_.back();
}

void History::make(const std::function<void(AgentState&)>& alter, const std::function<void()>& change) {
  auto state = last();
  state.acked_at.reset();
  alter(state);
  {
    const std::lock_guard lock(mutex_);
    states_.push_back(std::move(state));
  }
  change();
  correct([](AgentState& acked) { acked.acked_at = AgentState::Clock::now(); });
}

void History::correct(const std::function<void(AgentState&)>& alter) {
  const std::lock_guard lock(mutex_);
  alter(states_.back());
}

void HistoryWriter::change() {
  using Change = void (HistoryWriter::*)();
  using Writer = HistoryWriter;
  static constexpr std::array<Change, 7> kOften{
      &Writer::set,    &Writer::set,   &Writer::set,       &Writer::set_for_a_while,
      &Writer::remove, &Writer::batch, &Writer::open_scope};
  static constexpr std::array<Change, 6> kRare{&Writer::merge, &Writer::dispose, &Writer::clear,
                                               &Writer::save,  &Writer::restore, &Writer::end};
  const auto made = chance(0.75) ? pick(random_, kOften) : pick(random_, kRare);
  (this->*made)();
}

bool HistoryWriter::chance(double share) { return std::bernoulli_distribution(share)(random_); }

std::string HistoryWriter::key() {
  return "k" + std::to_string(std::uniform_int_distribution(0, kHistoryKeys - 1)(random_));
}

std::string HistoryWriter::place() { return pick(random_, history_.scopes()); }

std::string HistoryWriter::leaf() {
  const auto state = history_.last();
  std::vector<std::string> leaves;
  for (const auto& [scope_id, parent_id] : state.parents) {
    const auto is_below = [&scope_id = scope_id](const auto& other) { return other.second == scope_id; };
    if (std::ranges::none_of(state.parents, is_below)) {
      leaves.push_back(scope_id);
    }
  }
  return leaves.empty() ? "" : pick(random_, leaves);
}

void HistoryWriter::set() {
  const auto scope_id = place();
  const auto changed = key();
  const int number = ++numbers_;
  history_.make([&](AgentState& state) { state.values[scope_id][changed] = {.number = number}; },
                [&] { memory(scope_id).set(changed, number); });
}

/// Sets an entry in the root only: whether a merge still finds such an entry is known to the daemon alone.
void HistoryWriter::set_for_a_while() {
  const auto changed = key();
  const int number = ++numbers_;
  const auto alter = [&](AgentState& state) {
    state.values[""][changed] = {.number = number, .expires_at = AgentState::kUnknown};
  };
  history_.make(alter, [&] {
    const auto stored = agent_.set(changed, number, {.expiry = 20ms});
    const auto expires_at = time_of(stored.entry().expire_time()).time_since_epoch();
    history_.correct([&](AgentState& state) {
      state.values[""][changed].expires_at = std::chrono::duration_cast<std::chrono::nanoseconds>(expires_at).count();
    });
  });
}

void HistoryWriter::remove() {
  const auto scope_id = place();
  const auto changed = key();
  history_.make([&](AgentState& state) { state.values[scope_id].erase(changed); },
                [&] { memory(scope_id).remove(changed); });
}

void HistoryWriter::batch() {
  const auto scope_id = place();
  Batch batch;
  std::map<std::string, AgentState::Written> numbers;
  while (numbers.size() < 3) {
    const auto changed = key();
    if (!numbers.contains(changed)) {
      numbers[changed] = {.number = ++numbers_};
      batch.set(changed, numbers_);
    }
  }
  const auto alter = [&](AgentState& state) {
    for (const auto& [changed, written] : numbers) {
      state.values[scope_id][changed] = written;
    }
  };
  history_.make(alter, [&] { memory(scope_id).write(batch); });
}

void HistoryWriter::open_scope() {
  if (history_.scopes().size() > kHistoryScopes) {
    return;
  }
  // Nobody reads in a scope whose id is not known yet.
  const auto parent_id = place();
  const auto scope_id = memory(parent_id).scope("s").release();
  const auto alter = [&](AgentState& state) {
    state.values[scope_id] = {};
    state.parents[scope_id] = parent_id;
  };
  history_.make(alter, [] {});
}

void HistoryWriter::merge() {
  const auto scope_id = leaf();
  if (scope_id.empty()) {
    return;
  }
  const auto alter = [&](AgentState& state) {
    for (const auto& [changed, written] : state.values[scope_id]) {
      state.values[state.parents[scope_id]][changed] = written;
    }
  };
  history_.make(alter, [&] { memory(scope_id).merge_and_keep(); });
}

void HistoryWriter::dispose() {
  const auto scope_id = leaf();
  if (scope_id.empty()) {
    return;
  }
  const auto alter = [&](AgentState& state) {
    state.values.erase(scope_id);
    state.parents.erase(scope_id);
  };
  history_.make(alter, [&] { memory(scope_id).close(); });
}

void HistoryWriter::clear() {
  const auto scope_id = place();
  history_.make([&](AgentState& state) { state.values[scope_id].clear(); }, [&] { memory(scope_id).clear(); });
}

void HistoryWriter::save() {
  v1::CreateSnapshotRequest request;
  request.set_agent_id(agent_.agent_id());
  request.set_snapshot_id("s" + std::to_string(++numbers_) + "-" + agent_.agent_id());
  try {
    (void)snapshots_.call(&v1::SnapshotService::Stub::CreateSnapshot, request);
  } catch (const AgentNotFound&) {
    return;
  }
  saved_ = history_.last();
  saved_id_ = request.snapshot_id();
}

void HistoryWriter::restore() {
  if (!saved_) {
    return;
  }
  const auto alter = [&](AgentState& state) {
    state = *saved_;
    state.acked_at.reset();
  };
  history_.make(alter, [&] {
    v1::RestoreSnapshotRequest request;
    request.set_agent_id(agent_.agent_id());
    request.set_snapshot_id(saved_id_);
    (void)snapshots_.call(&v1::SnapshotService::Stub::RestoreSnapshot, request);
  });
}

void HistoryWriter::end() {
  if (chance(0.5)) {
    history_.make([](AgentState& state) { state = AgentState{}; }, [&] { agent_.end(); });
  }
}

}  // namespace memoryd
