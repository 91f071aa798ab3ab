#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/guid.hpp"

namespace waybill::storage {

/// The latest events whose ordered runs ended, by workflow and record. When such a run ends, no run of both
/// with an earlier event is open, so new ones need not search for any. Remembers at least the `limit` pairs
/// used last, and at most twice as many. For one thread.
class EndedRuns {
 public:
  explicit EndedRuns(std::size_t limit = 4096) : limit_(limit) {}

  void add(const Guid& workflow, const Guid& record, std::uint64_t event);
  /// Returns nullopt if none is known.
  std::optional<std::uint64_t> latest(const Guid& workflow, const Guid& record);
  /// Forgets all. Needed after a lost connection: a fail-over can open ended runs again.
  void clear();

 private:
  using Key = std::pair<Guid, Guid>;
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return std::hash<Guid>{}(key.first) * 31 + std::hash<Guid>{}(key.second);
    }
  };
  std::uint64_t& at(const Key& key);

  std::size_t limit_;
  std::unordered_map<Key, std::uint64_t, Hash> recent_;  // up to limit_ pairs, with those used last
  std::unordered_map<Key, std::uint64_t, Hash> older_;   // recent_ as it was when it was full
};

}  // namespace waybill::storage
