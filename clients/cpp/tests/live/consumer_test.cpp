#include "memoryd/consumer.hpp"

#include <gmock/gmock.h>

#include <future>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

#include "live_test.hpp"

namespace memoryd {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

class ConsumerTest : public LiveTest {
 protected:
  void flush(std::initializer_list<std::string> contents) {
    for (const auto& content : contents) {
      (void)agent().fragments().create(content);
    }
    (void)agent().fragments().flush();
  }

  std::int64_t left() { return agent().fragments().count().fragment_count(); }
};

TEST_F(ConsumerTest, RemovesTheFragmentsThatItsHandlerHasHandled) {
  std::promise<void> both;
  std::vector<std::string> handled;
  auto consumer = agent().fragments().on_flush([&](const Delivery& delivery) {
    for (const auto& fragment : delivery.fragments) {
      handled.push_back(fragment.content());
      if (handled.size() == 2) {
        both.set_value();
      }
    }
  });
  flush({"one", "two"});
  both.get_future().get();
  consumer.close();
  EXPECT_THAT(handled, ElementsAre("one", "two"));
  EXPECT_EQ(left(), 0);
}

TEST_F(ConsumerTest, DeliversFragmentsAgainWhoseHandlerThrows) {
  flush({"one"});
  std::promise<void> twice;
  std::vector<int> deliveries;
  std::vector<std::exception_ptr> errors;
  auto consumer = agent().fragments().on_flush(
      [&](const Delivery& delivery) {
        deliveries.push_back(static_cast<int>(delivery.fragments.at(0).delivery_count()));
        if (deliveries.size() == 1) {
          throw std::out_of_range("no");
        }
        twice.set_value();
      },
      {.on_error = [&](const std::exception_ptr& error) { errors.push_back(error); }});
  twice.get_future().get();
  consumer.close();
  EXPECT_THAT(deliveries, ElementsAre(1, 2));
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_THROW(std::rethrow_exception(errors.front()), std::out_of_range);
  EXPECT_EQ(left(), 0);
}

TEST_F(ConsumerTest, RenewsTheLeaseWhileItsHandlerRuns) {
  flush({"one"});
  std::promise<int> taken;
  auto consumer = agent().fragments().on_flush(
      [&](const Delivery&) {
        int count = 0;
        // Past the end of the first lease, nobody else is given the fragment.
        for (int turn = 0; turn < 3; ++turn) {
          count += agent().fragments().take({.wait_duration = 200ms}).fragments_size();
        }
        taken.set_value(count);
      },
      {.lease = 300ms});
  EXPECT_EQ(taken.get_future().get(), 0);
  consumer.close();
  EXPECT_EQ(left(), 0);
}

TEST_F(ConsumerTest, SaysThatTheLeaseIsLost) {
  flush({"one"});
  std::promise<void> lost;
  std::vector<std::exception_ptr> errors;
  auto consumer = agent().fragments().on_flush(
      [&](const Delivery& delivery) {
        (void)agent().fragments().clear();
        std::promise<void> stopped;
        const std::stop_callback when_lost(delivery.lease_lost, [&] { stopped.set_value(); });
        stopped.get_future().get();
        lost.set_value();
      },
      {.lease = 300ms, .on_error = [&](const std::exception_ptr& error) { errors.push_back(error); }});
  lost.get_future().get();
  consumer.close();
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_THROW(std::rethrow_exception(errors.front()), LeaseLost);
}

TEST_F(ConsumerTest, EndsWithAnErrorThatNoRetryResolves) {
  auto consumer = agent().fragments().on_flush([](const Delivery&) {}, {.lease = 1ms});
  EXPECT_THROW(consumer.wait(), InvalidArgument);
  EXPECT_THROW(consumer.close(), InvalidArgument);
}

TEST_F(ConsumerTest, ReleasesWhatItStillReceivesAfterItsEnd) {
  auto consumer = agent().fragments().on_flush([](const Delivery&) { throw std::runtime_error("it is closed"); },
                                               {.on_error = [](const std::exception_ptr&) {}});
  auto closing = std::async(std::launch::async, [&] { consumer.close(); });
  flush({"one"});
  closing.get();
  EXPECT_EQ(agent().fragments().take({.wait_duration = 5s}).fragments_size(), 1);
}

TEST_F(ConsumerTest, EndsWithItsClient) {
  Client other;
  auto consumer = other.agent(agent().agent_id()).fragments().on_flush([](const Delivery&) {});
  other.close();
  consumer.wait();
}

}  // namespace
}  // namespace memoryd
