#include "api/customers/customer_erasure.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "actions/action.hpp"
#include "api/customers/erasure_steps.hpp"
#include "api/customers/left_records.hpp"
#include "api/customers/person_eraser.hpp"
#include "base/error.hpp"
#include "base/pause.hpp"
#include "net/mail/mail_directory.hpp"
#include "storage/runs/run.hpp"
#include "storage/sql/customer_erasures.sql.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::api {
namespace {

constexpr Duration longest_wait = std::chrono::seconds(20);  // longer than an attempt of a webhook
constexpr Duration first_pause = std::chrono::milliseconds(50);
constexpr Duration longest_pause = std::chrono::milliseconds(500);

/// The types of the actions for which `is_wanted` is true.
template <typename Predicate>
std::vector<std::string> action_types(Predicate is_wanted) {
  std::vector<std::string> types;
  for (const actions::Action* const action : actions::all_actions()) {
    if (std::invoke(is_wanted, *action)) types.emplace_back(action->type());
  }
  return types;
}

bool sends_mail(const actions::Action& action) {
  return action.notification() == actions::Notification::email;
}

template <typename... Steps>
std::vector<Step> list_of(Steps... steps) {
  std::vector<Step> list;
  (list.push_back(std::move(steps)), ...);
  return list;
}

/// Erases the runs of records. The records are erased first.
class RunEraser {
 public:
  /// The runs of customers that had the person among their contacts show the person, too.
  RunEraser(const ErasureTarget& target, const PersonEraser& eraser)
      : target_(target), left_(eraser.search().left()) {
    const auto& others = eraser.contact_of();
    own_ = eraser.search().own().with(eraser.customers());
    own_.insert(own_.end(), others.begin(), others.end());
    own_.push_back(storage::no_record);  // a run for a list of records is erased whatever it lists
    all_.insert(own_.begin(), own_.end());
    all_.insert(left_.guids.begin(), left_.guids.end());
  }

  /// Waits for the ticks of schedules, and notes the last event that can hold the old data.
  Step begin() {
    return [this](storage::Session& session, std::size_t) {
      session.run(sql::customer_erasures::WaitForSchedules{.business = target_.business});
      last_event_ = session.run(sql::customer_erasures::LastEvent{}).front().id;
      return false;
    };
  }

  /// Looks for an event of the records that a live worker may be turning into runs. An event is pending until
  /// its runs are recorded, so a run is in the queue, in flight, or its event is pending.
  Step look_for_planned() {
    is_planned_ = false;
    return [this, after = std::int64_t(0)](storage::Session& session, std::size_t size) mutable {
      const auto limit = static_cast<std::int64_t>(size);
      const auto rows = session.run(sql::customer_erasures::Planned{
          .business = target_.business, .after = after, .last_event = last_event_, .limit = limit});
      std::int64_t count = 0;
      for (const auto& row : rows) {
        is_planned_ = is_planned_ || all_.contains(row.record);
        after = row.id;
        ++count;
      }
      return count == limit && !is_planned_;
    };
  }
  bool is_planned() const { return is_planned_; }

  /// Leaves the records out of digests, which hold other persons, too. A digest that is closed then has
  /// a list.
  std::vector<Step> leave_out_of_digests() {
    return list_of(
        items_step([this] { return Records{.guids = own_}; }), items_step([this] { return left_.all(); }),
        lists_step([this] { return Records{.guids = own_}; }), lists_step([this] { return left_.all(); }));
  }

  /// Erases queued runs and notes the records of those that a worker performs.
  std::vector<Step> erase_queue() {
    return list_of(queue_step([this] { return Records{.guids = own_}; }),
                   queue_step([this] { return left_.all(); }));
  }
  /// Erases the queued runs of the records that were noted.
  std::vector<Step> erase_queue_again() {
    again_ = std::exchange(in_flight_, {});
    again_left_ = {};
    for (const auto& [guid, first, last] : std::exchange(left_in_flight_, {})) {
      again_left_.guids.push_back(guid);
      again_left_.firsts.push_back(first);
      again_left_.lasts.push_back(last);
    }
    return list_of(queue_step([this] { return Records{.guids = again_}; }),
                   queue_step([this] { return again_left_.all(); }));
  }
  bool is_in_flight() const { return !in_flight_.empty() || !left_in_flight_.empty(); }

  std::vector<Step> erase_finished() {
    return list_of(runs_step([this] { return Records{.guids = own_}; }),
                   runs_step([this] { return left_.all(); }));
  }

  std::int64_t runs() const { return runs_; }

 private:
  Step queue_step(const std::function<Records()>& records) {
    return for_pages<Guid>(records, [this](storage::Session& session, const Records& portion,
                                           const Guid& after, std::size_t size) {
      const auto page = session
                            .run(sql::customer_erasures::QueuePage{.business = target_.business,
                                                                   .records = portion.guids,
                                                                   .after = after,
                                                                   .limit = static_cast<std::int64_t>(size)})
                            .front();
      const auto erased = session
                              .run(sql::customer_erasures::EraseQueue{
                                  .business = target_.business,
                                  .records = portion.guids,
                                  .no_record = storage::no_record,
                                  .firsts = storage::binary_array(portion.firsts),
                                  .lasts = storage::binary_array(portion.lasts),
                                  .after = after,
                                  .last = page.last,
                                  .impersonal_actions = action_types(&actions::Action::is_impersonal),
                                  .mailing_actions = action_types(sends_mail)})
                              .front();
      runs_ += erased.runs;
      if (erased.in_flight > 0) note_in_flight(portion);
      return std::pair(page.runs, Guid(page.last));
    });
  }

  Step items_step(const std::function<Records()>& records) const {
    return for_pages<Guid>(records, [this](storage::Session& session, const Records& portion,
                                           const Guid& after, std::size_t size) {
      const auto erased =
          session
              .run(sql::customer_erasures::EraseDigestItems{.business = target_.business,
                                                            .records = portion.guids,
                                                            .firsts = storage::binary_array(portion.firsts),
                                                            .lasts = storage::binary_array(portion.lasts),
                                                            .limit = static_cast<std::int64_t>(size)})
              .front();
      return std::pair(erased.items, after);  // the next page begins anew without them
    });
  }

  Step lists_step(const std::function<Records()>& records) const {
    return for_pages<Guid>(records, [this](storage::Session& session, const Records& portion,
                                           const Guid& after, std::size_t size) {
      const auto erased =
          session
              .run(sql::customer_erasures::EraseDigestLists{.business = target_.business,
                                                            .records = portion.guids,
                                                            .firsts = storage::binary_array(portion.firsts),
                                                            .lasts = storage::binary_array(portion.lasts),
                                                            .after = after,
                                                            .limit = static_cast<std::int64_t>(size)})
              .front();
      return std::pair(erased.lists, Guid(erased.last));
    });
  }

  void note_in_flight(const Records& portion) {
    if (portion.firsts.empty()) {
      in_flight_.insert(in_flight_.end(), portion.guids.begin(), portion.guids.end());
      make_distinct(in_flight_);
      return;
    }
    for (std::size_t i = 0; i < portion.guids.size(); ++i)
      left_in_flight_.emplace(portion.guids[i], portion.firsts[i], portion.lasts[i]);
  }

  Step runs_step(const std::function<Records()>& records) {
    return for_pages<Guid>(records, [this](storage::Session& session, const Records& portion,
                                           const Guid& after, std::size_t size) {
      const auto page = session
                            .run(sql::customer_erasures::RunPage{.business = target_.business,
                                                                 .records = portion.guids,
                                                                 .after = after,
                                                                 .limit = static_cast<std::int64_t>(size)})
                            .front();
      runs_ += session
                   .run(sql::customer_erasures::EraseRuns{
                       .business = target_.business,
                       .records = portion.guids,
                       .no_record = storage::no_record,
                       .firsts = storage::binary_array(portion.firsts),
                       .lasts = storage::binary_array(portion.lasts),
                       .after = after,
                       .last = page.last,
                       .impersonal_actions = action_types(&actions::Action::is_impersonal)})
                   .front()
                   .runs;
      return std::pair(page.runs, Guid(page.last));
    });
  }

  const ErasureTarget& target_;
  const LeftRecords& left_;
  std::vector<Guid> own_;
  std::unordered_set<Guid> all_;
  std::vector<Guid> in_flight_;
  std::set<std::tuple<Guid, Time, Time>> left_in_flight_;
  std::vector<Guid> again_;
  LeftRecords again_left_;
  std::int64_t last_event_ = 0;
  std::int64_t runs_ = 0;
  bool is_planned_ = false;
};

/// Ends jobs that can hold data from before the erasure, and then deletes the files of those that ended.
std::vector<Step> erase_jobs(const ErasureTarget& target) {
  return list_of(
      [&target](storage::Session& session, std::size_t) {
        session.run(sql::customer_erasures::StopJobs{.business = target.business});
        return false;
      },
      [&target](storage::Session& session, std::size_t) {
        session.run(sql::customer_erasures::DeleteJobFiles{.business = target.business});
        return false;
      });
}

/// Pauses that become longer, until the time is over.
class Waiting {
 public:
  bool is_over() const { return left_ <= Duration::zero(); }
  asio::awaitable<void> wait() {
    left_ -= next_;
    const auto time = std::exchange(next_, std::min(2 * next_, longest_pause));
    co_await pause(time);
  }

 private:
  Duration left_ = longest_wait;
  Duration next_ = first_pause;
};

}  // namespace

asio::awaitable<ErasedCounts> erase_customer(Analysis& analysis, const SecretBox& secrets,
                                             ErasureTarget target) {
  const auto take = [&](std::vector<Step> steps) {
    return perform(analysis, target.business, target.cause, std::move(steps));
  };
  PersonEraser eraser(secrets, target);
  co_await take(eraser.steps());
  RunEraser runs(target, eraser);
  co_await take(list_of(runs.begin()));
  Waiting waiting;
  for (;;) {
    co_await take(list_of(runs.look_for_planned()));
    if (!runs.is_planned() || waiting.is_over()) break;
    co_await waiting.wait();
  }
  co_await take(runs.leave_out_of_digests());
  co_await take(runs.erase_queue());
  while (runs.is_in_flight() && !waiting.is_over()) {
    co_await waiting.wait();
    co_await take(runs.erase_queue_again());
  }
  co_await take(runs.erase_finished());
  co_await take(erase_jobs(target));
  eraser.delete_files();
  if (runs.is_planned() || runs.is_in_flight()) {
    throw Failure(ErrorCode::unavailable,
                  "The data is erased, but messages with it are still being sent; repeat the request.")
        .with_retry_after(std::chrono::seconds(10));
  }
  co_await take(list_of(eraser.forget_changes_of_own_data(), eraser.end()));
  auto counts = eraser.counts();
  counts.runs = runs.runs();
  co_return counts;
}

}  // namespace waybill::api
