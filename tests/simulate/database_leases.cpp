// The leases of workers.
#include <algorithm>

#include "storage/statement/errors.hpp"
#include "tests/simulate/database.hpp"

namespace waybill::simulate {

/// The leases of a worker through a session of their own.
class ModelLeases final : public storage::Leases {
 public:
  ModelLeases(Database& database, SessionPtr session, const Guid& worker, Duration lease)
      : database_(database), session_(std::move(session)), worker_(worker), lease_(lease) {
    session_->channels.insert("waybill_leases");
  }
  ~ModelLeases() override { database_.end(*session_); }

  bool enter() override {
    return perform([&] {
      const auto found = database_.workers_.find(worker_);
      if (found != database_.workers_.end() && found->second.session != session_ &&
          found->second.session->alive)
        return false;
      enter_at(database_.scheduler_.time());
      database_.notify("waybill_leases");
      return true;
    });
  }

  void free_lost(std::optional<Duration> kept_after_lease) override {
    perform([&] {
      const Time now = database_.scheduler_.time();
      std::set<Guid> lost;
      for (const auto& [guid, other] : database_.workers_) {
        const bool is_silent = kept_after_lease && std::max(database_.lease_end(guid), other.started_at) <
                                                       now - *kept_after_lease;
        if (guid != worker_ && (!other.session->alive || is_silent)) lost.insert(guid);
      }
      for (const Guid& guid : lost) {
        database_.workers_.erase(guid);
        database_.history_.add("worker " + guid.to_string().substr(0, 8) + " is lost");
      }
      database_.free_runs(lost);
      return true;
    });
  }

  storage::HeldShards renew(Duration lag) override {
    return perform([&] {
      const Time now = database_.scheduler_.time();
      if (!database_.workers_.contains(worker_)) enter_at(now);
      database_.beats_[worker_] = now + lease_;
      database_.matched_[worker_] = now - std::max(lag, Duration::zero());
      storage::HeldShards held;
      for (std::size_t i = 0; i < database_.shards_.size(); ++i) {
        const auto& shard = database_.shards_[i];
        if (shard.owner == worker_) held.emplace(static_cast<std::int16_t>(i), held_shard(shard));
      }
      return held;
    });
  }

  storage::HeldShards take(std::size_t limit, bool of_lost) override {
    return perform([&] {
      const Time now = database_.scheduler_.time();
      storage::HeldShards taken;
      for (std::size_t i = 0; i < database_.shards_.size() && taken.size() < limit; ++i) {
        auto& shard = database_.shards_[i];
        if (shard.owner == worker_) continue;
        if (shard.owner &&
            !(of_lost && (database_.lease_end(*shard.owner) < now || !database_.lives(*shard.owner))))
          continue;
        shard.orphaned = shard.owner.has_value();
        shard.owner = worker_;
        ++shard.epoch;
        taken.emplace(static_cast<std::int16_t>(i), held_shard(shard));
      }
      if (!taken.empty())
        database_.history_.add("worker " + worker_.to_string().substr(0, 8) + " takes " +
                               std::to_string(taken.size()) + " shards");
      return taken;
    });
  }

  std::size_t fair_share() override {
    return perform([&] {
      const Time now = database_.scheduler_.time();
      const auto alive = static_cast<std::size_t>(
          std::max<std::ptrdiff_t>(1, std::ranges::count_if(database_.workers_, [&](const auto& worker) {
                                     return database_.lease_end(worker.first) > now;
                                   })));
      return (storage::shard_count + alive - 1) / alive;
    });
  }

  void release(const std::vector<std::int16_t>& shards) override {
    perform([&] {
      for (const std::int16_t number : shards) {
        auto& shard = database_.shards_.at(static_cast<std::size_t>(number));
        if (shard.owner == worker_) shard.owner.reset();
      }
      database_.notify("waybill_leases");
      return true;
    });
  }

  void leave() override {
    perform([&] {
      database_.workers_.erase(worker_);
      for (auto& shard : database_.shards_) {
        if (shard.owner == worker_) shard.owner.reset();
      }
      database_.history_.add("worker " + worker_.to_string().substr(0, 8) + " leaves");
      database_.notify("waybill_leases");
      return true;
    });
  }

  bool notified() override {
    if (!session_->alive) throw storage::DatabaseUnavailable("the session has ended");
    database_.scheduler_.take_signal(session_->socket);
    return !std::exchange(session_->notified, {}).empty();
  }

  int socket() const override { return session_->socket; }

 private:
  void enter_at(Time now) {
    database_.workers_[worker_] = {.session = session_, .started_at = now};
    database_.names_[worker_] = session_;
    database_.beats_[worker_] = now + lease_;
  }

  static storage::HeldShard held_shard(const Database::Shard& shard) {
    return {.epoch = shard.epoch, .orphaned = shard.orphaned};
  }

  /// A statement that waits for no other.
  template <typename Work>
  std::invoke_result_t<Work&> perform(Work work) {
    database_.travel(*session_);
    auto result = work();
    database_.travel(*session_);
    return result;
  }

  Database& database_;
  SessionPtr session_;
  const Guid worker_;
  const Duration lease_;
};

std::unique_ptr<storage::Leases> Database::open_leases(Owner owner, const Guid& worker, Duration lease) {
  scheduler_.sleep(scheduler_.random().between(std::chrono::microseconds(200), std::chrono::milliseconds(3)));
  if (faults_.is_down || cut_off_.contains(owner))
    throw storage::DatabaseUnavailable("the server does not answer");
  return std::make_unique<ModelLeases>(*this, connect(owner, "waybill leases"), worker, lease);
}

bool Database::lives(const Guid& worker) const {
  const auto found = workers_.find(worker);
  if (found != workers_.end()) return found->second.session->alive;
  const auto named = names_.find(worker);
  return named != names_.end() && named->second->alive;
}

Time Database::lease_end(const Guid& worker) const {
  const auto found = beats_.find(worker);
  return found == beats_.end() ? Time::min() : found->second;
}

storage::Rows Database::set_idle(ServerSession&, const Arguments& args, Result& result) {
  idle_[args.guid(1)] = args.boolean(2);
  return result.take();
}

storage::Rows Database::all_render(ServerSession&, const Arguments&, Result& result) {
  result.row().boolean(true);
  return result.take();
}

}  // namespace waybill::simulate
