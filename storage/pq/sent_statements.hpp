#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "storage/pq/prepared.hpp"
#include "storage/pq/steady_time.hpp"

namespace waybill::storage::pq {

/// One message to the server that has one result.
struct Sent {
  enum class Kind : std::uint8_t { prepare, query, deallocate, sync };

  Kind kind;
  bool is_answered = false;  // its owner has already received an answer
  std::uint32_t generation = 0;
  Prepared* prepared = nullptr;
  void* owner = nullptr;
  SteadyTime at{};  // when the sync after it was sent
};

/// The messages of one connection whose results have not arrived, in the order of their results, and the
/// times of progress. The messages between two syncs are one unit, which is sent as a whole. Pure; one
/// thread.
class SentStatements {
 public:
  void add(const Sent& sent) { sent_.push_back(sent); }
  /// Adds the sync that ends a unit, which is sent `now`.
  void add_sync(SteadyTime now) {
    for (auto sent = sent_.rbegin(); sent != sent_.rend() && sent->kind != Sent::Kind::sync; ++sent)
      sent->at = now;
    if (syncs_due_++ == 0) progress_ = now;
    sent_.push_back({.kind = Sent::Kind::sync});
  }

  bool empty() const { return sent_.empty(); }
  /// True if a whole unit is sent and its end is unanswered.
  bool awaits_sync() const { return syncs_due_ > 0; }

  /// Takes the message to which the next result belongs. There must be one.
  Sent take() {
    require(!sent_.empty(), "a result belongs to a statement that was sent");
    const Sent sent = sent_.front();
    sent_.pop_front();
    terminator_due_ = sent.kind != Sent::Kind::sync;
    return sent;
  }
  /// Puts the taken message back, because its result has not arrived.
  void put_back(const Sent& sent) { sent_.push_front(sent); }
  /// Returns true once after each result except that of a sync: libpq then returns null, although more
  /// results may follow.
  bool take_terminator() { return std::exchange(terminator_due_, false); }
  /// Notes that the owner of the first message has already received its answer. There must be a message.
  void answer_first() { sent_.front().is_answered = true; }

  /// Notes that data has arrived.
  void received(SteadyTime now) { progress_ = now; }
  /// Notes that the data is the answer to a message of this kind.
  void answered(Sent::Kind kind) {
    answered_ = progress_;
    if (kind == Sent::Kind::sync && check(syncs_due_ > 0, "the end of a unit was sent")) --syncs_due_;
  }
  /// Time of the last received data, or of the sending of the first unanswered unit.
  SteadyTime last_progress() const { return progress_; }
  /// Time of the last answer; min() if there is none.
  SteadyTime last_answer() const { return answered_; }
  /// Returns the time that an answered query took, without its wait behind other queries. Call it once for
  /// each query that the server ran.
  SteadyTime::duration own_time(const Sent& sent) {
    const SteadyTime begun = std::max(sent.at, head_since_);
    head_since_ = progress_;
    return progress_ - begun;
  }

  /// The owners of the unanswered queries in order.
  std::vector<void*> owners() const {
    std::vector<void*> owners;
    for (const Sent& sent : sent_) {
      if (sent.kind == Sent::Kind::query && !sent.is_answered) owners.push_back(sent.owner);
    }
    return owners;
  }

  /// Drops all messages, because their connection has ended. The times stay.
  void clear() {
    sent_.clear();
    syncs_due_ = 0;
    terminator_due_ = false;
  }

 private:
  std::deque<Sent> sent_;
  int syncs_due_ = 0;
  bool terminator_due_ = false;
  SteadyTime progress_{};
  SteadyTime answered_ = SteadyTime::min();
  SteadyTime head_since_{};  // time when the oldest unanswered query became the oldest
};

}  // namespace waybill::storage::pq
